#include "tools/dashboard/robot_excitation.hpp"

#include <chrono>
#include <nlohmann/json.hpp>

#include "models/base/errors.hpp"

namespace kagami::tools {
namespace {

using runtime::CycleRecord;
using runtime::EventCode;
using runtime::JointTestStage;

constexpr std::chrono::milliseconds kPatience{2000};  // until the cycle has looked at it

bool ends_a_test(EventCode code) {
  return code == EventCode::kJointTestBroken || code == EventCode::kJointTestRefused;
}

}  // namespace

RobotExcitation::RobotExcitation(runtime::LiveControl& live, const models::RobotDescription& robot,
                                 double period)
    : live_(live), robot_(robot), period_(period) {}

void RobotExcitation::row(const CycleRecord& row) {
  const std::lock_guard lock(mutex_);
  if (!test_ || test_->has_ended) return;
  Gathered& test = *test_;
  for (std::int32_t i = 0; i < row.out.num_events; ++i) {
    const runtime::Event& event = row.out.events[static_cast<std::size_t>(i)];
    if (ends_a_test(event.code)) test.broken = event_sentence(event, robot_.joint_names);
  }
  if (row.out.test == JointTestStage::kRunning && test.broken.empty()) {
    // rows come by two hooks: every one of a test, and those that all viewers get
    test.rows.add(row);
  } else if (!test.broken.empty() || !test.rows.empty()) {
    test.has_ended = true;
    changed_.notify_all();
  }
}

nlohmann::json RobotExcitation::run(const JointSignal& signal, const std::atomic<bool>& ends) {
  {
    const std::lock_guard lock(mutex_);
    test_.emplace(Gathered{JointTestRows(robot_.wiring, signal.joint, period_)});
  }
  const runtime::LiveAnswer asked = live_.excitation().begin(signal);
  const auto drop = [this] {
    const std::lock_guard lock(mutex_);
    test_.reset();
  };
  if (!asked.ok()) {
    drop();
    throw ConfigError(asked.sentence());
  }
  const bool was_taken = live_.tickets().wait(asked.ticket, kPatience).has_value();
  std::unique_lock lock(mutex_);
  while (!test_->has_ended && !ends && live_.is_open()) {
    if (!was_taken && test_->rows.empty() && live_.tickets().was_refused(asked.ticket)) {
      // the row that says why follows on the recorder's thread
      changed_.wait_for(lock, kPatience, [this] { return test_->has_ended; });
      break;
    }
    changed_.wait_for(lock, std::chrono::milliseconds(100));
  }
  const Gathered test = std::move(*test_);
  test_.reset();
  lock.unlock();
  if (!test.broken.empty()) throw ConfigError(test.broken);
  if (!test.has_ended) {
    throw ConfigError(live_.is_open() ? "the cycle did not accept the test"
                                      : "the test was not finished: the run has ended");
  }
  return test.rows.answer(signal);
}

}  // namespace kagami::tools
