#include "tools/tune/joint_test_rows.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/base/errors.hpp"
#include "models/base/time.hpp"

namespace kagami::tools {
namespace {

constexpr std::size_t kMostTicks = 200'000;  // a test takes 60 s at most, at 2 kHz

}  // namespace

JointTestRows::JointTestRows(const RobotWiring& wiring, int joint, double period)
    : joint_(static_cast<std::size_t>(joint)),
      board_(static_cast<std::size_t>(wiring.joints[joint_].board())),
      name_(wiring.joints[joint_].joint) {
  response_.dt = period;
}

void JointTestRows::add(const runtime::CycleRecord& row) {
  if (!tick_.empty() && row.in.tick <= tick_.back()) return;
  if (tick_.size() >= kMostTicks) return;
  if (begin_ns_ < 0) begin_ns_ = row.in.now_ns;
  const std::int64_t missing = tick_.empty() ? 0 : row.in.tick - tick_.back() - 1;
  for (std::int64_t k = 0; k <= std::clamp<std::int64_t>(missing, 0, 1000); ++k) {
    tick_.push_back(row.in.tick);
    response_.reference.push_back(row.out.q_ref[joint_]);
    response_.angle.push_back(row.out.q_simulated[joint_]);
    target_.push_back(row.out.targets.angle[joint_]);
  }
  const drivers::BoardReading& reading = row.in.sample.reading[board_];
  if (reading.sampled_ns < 0 || reading.sampled_ns == last_sampled_ns_) return;
  last_sampled_ns_ = reading.sampled_ns;
  readings_.time.push_back(seconds(reading.sampled_ns - begin_ns_));
  readings_.angle.push_back(row.in.sample.angle[joint_]);
}

JointTestResult JointTestRows::result(const JointSignal& signal) const {
  if (readings_.time.size() < 2 || tick_.size() < 20) {
    throw ConfigError("too few readings of the robot during the test; check the line");
  }
  JointTestResult result;
  result.signal = signal;
  result.joint = name_;
  result.response = readings_on_cycles(readings_, response_);
  result.target = target_;
  result.readings = readings_;
  result.metrics = result.measured = measure(result.response);
  return result;
}

nlohmann::json JointTestRows::answer(const JointSignal& signal) const {
  nlohmann::json answer = joint_test_json(result(signal), true);
  answer["tick_from"] = tick_.front();
  answer["tick_to"] = tick_.back();
  return answer;
}

}  // namespace kagami::tools
