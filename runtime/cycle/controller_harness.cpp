#include "runtime/cycle/controller_harness.hpp"

#include <algorithm>
#include <limits>

#include "models/base/time.hpp"

namespace kagami::runtime {

using control::ControlStatus;

void ReferenceTrack::clear() noexcept {
  q_.clear();
  qd_.clear();
}

void ReferenceTrack::push(std::int64_t time_ns, const motions::PlayCommand& command) noexcept {
  q_.push(time_ns, command.q_ref);
  qd_.push(time_ns, command.qd_ref);
  q_now_ = command.q_ref;
  qd_now_ = command.qd_ref;
}

void ReferenceTrack::at(std::int64_t time_ns, JointArray<double>& q,
                        JointArray<double>& qd) const noexcept {
  q = q_now_;
  qd = qd_now_;
  static_cast<void>(q_.at(time_ns, q));
  static_cast<void>(qd_.at(time_ns, qd));
}

JointMeasurements measurements_of(const drivers::ServoSample& sample) noexcept {
  JointMeasurements measured;
  measured.angle = sample.angle;
  for (std::size_t b = 0; b < measured.sampled_ns.size(); ++b) {
    measured.sampled_ns[b] = sample.reading[b].sampled_ns;
  }
  return measured;
}

ControllerHarness::ControllerHarness(const RobotWiring& wiring,
                                     const control::ControlLimits& limits)
    : num_joints_(static_cast<int>(wiring.joints.size())),
      num_boards_(static_cast<int>(wiring.boards.size())),
      guard_(limits) {
  for (std::size_t i = 0; i < wiring.joints.size(); ++i) {
    board_[i] = static_cast<std::int8_t>(wiring.joints[i].board());
  }
  in_.num_joints = num_joints_;
  last_ns_.fill(-1);
  // sizes that a controller's answer will have; assignments then take no memory
  out_.tau = JointVector::Zero(0);
}

void ControllerHarness::set_board(int board, std::int64_t now_ns, const JointMeasurements& measured,
                                  const ReferenceTrack& track) noexcept {
  const auto b = static_cast<std::size_t>(board);
  const std::int64_t sampled_ns = measured.sampled_ns[b];
  const bool is_new = sampled_ns > last_ns_[b];
  const double dt = is_new && last_ns_[b] >= 0 ? seconds(sampled_ns - last_ns_[b]) : 0.0;
  if (is_new) last_ns_[b] = sampled_ns;
  const double age =
      sampled_ns < 0 ? std::numeric_limits<double>::infinity() : seconds(now_ns - sampled_ns);
  JointArray<double> q;
  JointArray<double> qd;
  track.at(sampled_ns, q, qd);
  for (int j = 0; j < num_joints_; ++j) {
    const auto i = static_cast<std::size_t>(j);
    if (board_[i] != board) continue;
    in_.sample_dt[i] = dt;
    in_.age[i] = age;
    in_.q_ref_then[i] = q[i];
    in_.qd_ref_then[i] = qd[i];
  }
}

void ControllerHarness::set_measurements(std::int64_t now_ns, double dt,
                                         const JointMeasurements& measured,
                                         const ReferenceTrack& track,
                                         const motions::PlayCommand& command,
                                         const JointArray<double>& q_target) noexcept {
  in_.dt = dt;
  in_.q_ref = command.q_ref;
  in_.qd_ref = command.qd_ref;
  in_.measured = measured.angle;
  in_.q_target = q_target;
  for (int b = 0; b < num_boards_; ++b) set_board(b, now_ns, measured, track);
}

ControlStatus ControllerHarness::reset(control::Controller& controller) noexcept {
  guard_.reset();
  out_.is_saturated.fill(false);
  ControlStatus status = guard_.check_input(in_);
  finding_ = guard_.finding();
  if (status != ControlStatus::kOk) return status;
  status = controller.reset(in_);
  finding_ = controller.finding();
  return status;
}

ControlStatus ControllerHarness::update(control::Controller& controller) noexcept {
  ControlStatus status = guard_.check_input(in_);
  finding_ = guard_.finding();
  if (status != ControlStatus::kOk) return status;
  out_.is_saturated.fill(false);
  status = controller.update(in_, out_);
  finding_ = controller.finding();
  return status;
}

ControlStatus ControllerHarness::check(const control::Controller& controller) noexcept {
  const ControlStatus status = guard_.check_output(in_, controller.drive(), out_);
  if (status != ControlStatus::kOk) finding_ = guard_.finding();
  return status;
}

int ControllerHarness::saturated() const noexcept {
  return static_cast<int>(
      std::count(out_.is_saturated.begin(), out_.is_saturated.begin() + num_joints_, true));
}

}  // namespace kagami::runtime
