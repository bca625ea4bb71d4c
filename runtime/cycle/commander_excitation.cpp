// A test of one joint: from a hold, under the same gate and the same stops as a motion, back to it.
#include "runtime/cycle/commander.hpp"

namespace kagami::runtime {

std::optional<JointTestReason> Commander::why_not_tested(const control::JointSignal& signal,
                                                         StopLevel stop) const noexcept {
  if (stage_ == Stage::kTest) return JointTestReason::kUnderWay;
  if (stop != StopLevel::kNone || stop_ != StopLevel::kNone) return JointTestReason::kStopAsked;
  if (supervisor_.state() != SupervisorState::kHold) return JointTestReason::kNotHolding;
  if (!begun_) return JointTestReason::kNothingSent;
  const bool is_there = signal.joint >= 0 && signal.joint < num_joints_;
  const auto j = static_cast<std::size_t>(is_there ? signal.joint : 0);
  return why_not(signal, is_there ? &joints_[j] : nullptr, standing()[j]);
}

const JointArray<double>& Commander::standing() const noexcept {
  return stage_ == Stage::kFollow ? command_.q_ref : gate_.safe();
}

void Commander::begin_test(const control::JointSignal& signal, StopLevel stop,
                           EventList& events) noexcept {
  if (const std::optional<JointTestReason> reason = why_not_tested(signal, stop)) {
    events.add(EventCode::kJointTestRefused, static_cast<double>(*reason), signal.joint);
    return;
  }
  supervisor_.take(RunSignal::kTest);
  before_test_ = {stage_, phase_, streams_};
  command_.q_ref = standing();
  const auto j = static_cast<std::size_t>(signal.joint);
  test_.begin(signal, joints_[j], command_.q_ref[j], gate_.safe());
  test_is_broken_ = false;
  stage_ = Stage::kTest;
  phase_ = Phase::kTesting;
  streams_ = true;
}

void Commander::follow_test(double dt, EventList& events) noexcept {
  const JointTestStage before = test_.stage();
  const JointTestStage now = test_.step(dt, gate_.safe(), command_);
  if (now == JointTestStage::kNone) return finish_test();
  if (test_.has_stopped()) return finish_stop(events);
  if (now == before) return;
  if (now == JointTestStage::kRunning) {
    events.add(EventCode::kJointTestBegan, static_cast<double>(test_.kind()), test_.joint());
  } else if (now == JointTestStage::kGliding && !test_is_broken_) {
    events.add(EventCode::kJointTestEnded, test_.seconds(), test_.joint());
  }
}

// into the hold that it came from: the boards were sent back there
void Commander::finish_test() noexcept {
  supervisor_.take(RunSignal::kEnded);
  stage_ = before_test_.stage;
  phase_ = before_test_.phase;
  streams_ = before_test_.streams;
  command_.target_is_new = false;
}

void Commander::drive_test(double dt, const drivers::ServoSample& sample,
                           EventList& events) noexcept {
  if (stage_ != Stage::kTest) return;
  const auto j = static_cast<std::size_t>(test_.joint());
  if (test_.drive(dt, sample.angle[j], command_.target[j])) return;
  break_test(JointTestReason::kRelayAway, events);
  test_.glide(command_.target);
}

void Commander::break_test(JointTestReason reason, EventList& events) noexcept {
  if (stage_ != Stage::kTest || test_is_broken_) return;
  test_is_broken_ = true;
  events.add(EventCode::kJointTestBroken, static_cast<double>(reason), test_.joint());
}

}  // namespace kagami::runtime
