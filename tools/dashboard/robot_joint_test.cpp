#include "tools/dashboard/robot_joint_test.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"

namespace kagami::tools {
namespace {

using runtime::CycleRecord;
using runtime::EventCode;
using runtime::JointTestStage;

constexpr std::chrono::milliseconds kPatience{2000};  // until the cycle has looked at it
constexpr std::size_t kMostTicks = 200'000;           // a test takes 60 s at most, at 2 kHz

bool ends_a_test(EventCode code) {
  return code == EventCode::kJointTestBroken || code == EventCode::kJointTestRefused;
}

}  // namespace

RobotJointTest::RobotJointTest(runtime::LiveControl& live, const models::RobotDescription& robot,
                               double period)
    : live_(live), robot_(robot), period_(period) {}

void RobotJointTest::row(const CycleRecord& row) {
  const std::lock_guard lock(mutex_);
  if (!test_ || test_->has_ended) return;
  Gathered& test = *test_;
  for (std::int32_t i = 0; i < row.out.num_events; ++i) {
    const runtime::Event& event = row.out.events[static_cast<std::size_t>(i)];
    if (ends_a_test(event.code)) test.broken = event_sentence(event, robot_.joint_names);
  }
  if (row.out.test == JointTestStage::kRunning && test.broken.empty()) {
    gather(test, row);
  } else if (!test.broken.empty() || !test.tick.empty()) {
    test.has_ended = true;
    changed_.notify_all();
  }
}

void RobotJointTest::gather(Gathered& test, const CycleRecord& row) const {
  // rows come by two hooks: every one of a test, and those that all viewers get
  if (!test.tick.empty() && row.in.tick <= test.tick.back()) return;
  if (test.tick.size() >= kMostTicks) return;
  const auto board = static_cast<std::size_t>(robot_.wiring.joints[joint_].board());
  const drivers::BoardReading& reading = row.in.sample.reading[board];
  if (test.begin_ns < 0) test.begin_ns = row.in.now_ns;
  // a tick that the run skipped lasts as long as the one before
  const std::int64_t missing = test.tick.empty() ? 0 : row.in.tick - test.tick.back() - 1;
  for (std::int64_t k = 0; k <= std::clamp<std::int64_t>(missing, 0, 1000); ++k) {
    test.tick.push_back(row.in.tick);
    test.response.reference.push_back(row.out.q_ref[joint_]);
    test.response.angle.push_back(row.out.q_simulated[joint_]);
    test.target.push_back(row.out.targets.angle[joint_]);
  }
  if (reading.sampled_ns < 0 || reading.sampled_ns == test.last_sampled_ns) return;
  test.last_sampled_ns = reading.sampled_ns;
  test.readings.time.push_back(static_cast<double>(reading.sampled_ns - test.begin_ns) * 1e-9);
  test.readings.angle.push_back(row.in.sample.angle[joint_]);
}

nlohmann::json RobotJointTest::run(const JointSignal& signal, const std::atomic<bool>& ends) {
  {
    const std::lock_guard lock(mutex_);
    joint_ = static_cast<std::size_t>(signal.joint);
    test_.emplace();
    test_->response.dt = period_;
  }
  const runtime::LiveAnswer asked = live_.test_joint(signal);
  const auto drop = [this] {
    const std::lock_guard lock(mutex_);
    test_.reset();
  };
  if (!asked.ok()) {
    drop();
    throw ConfigError(asked.sentence());
  }
  const bool was_taken = live_.wait(asked.ticket, kPatience).has_value();
  std::unique_lock lock(mutex_);
  while (!test_->has_ended && !ends && live_.is_open()) {
    if (!was_taken && test_->tick.empty() && live_.was_refused(asked.ticket)) break;
    changed_.wait_for(lock, std::chrono::milliseconds(100));
  }
  const Gathered test = std::move(*test_);
  test_.reset();
  lock.unlock();
  if (!test.broken.empty()) throw ConfigError(test.broken);
  if (!test.has_ended) throw ConfigError("the test did not come to its end: the run has ended");
  return answer(signal, test);
}

nlohmann::json RobotJointTest::answer(const JointSignal& signal, const Gathered& test) const {
  if (test.readings.time.size() < 2 || test.tick.size() < 20) {
    throw ConfigError("the robot was hardly read during the test; expected readings");
  }
  JointTestResult result;
  result.signal = signal;
  result.joint = robot_.joint_names[joint_];
  result.response = readings_on_cycles(test.readings, test.response);
  result.target = test.target;
  result.readings = test.readings;
  result.metrics = result.measured = measure(result.response);
  nlohmann::json answer = joint_test_json(result, true);
  // rows count the joints at a limit, they do not name them
  answer["metrics"]["saturation"] = answer["measured"]["saturation"] = nullptr;
  answer["tick_from"] = test.tick.front();
  answer["tick_to"] = test.tick.back();
  return answer;
}

}  // namespace kagami::tools
