#include "tools/tune/joint_test.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/errors.hpp"
#include "models/base/time.hpp"

namespace kagami::tools {
namespace {

constexpr std::int64_t kSettleTicks = 1000;
static_assert(kSettleTicks * kLoopPeriodNs == static_cast<std::int64_t>(kSettleTime * 1e9));

/// Collects what the joint does from the test's start on.
class Collector {
 public:
  Collector(JointTestResult& result, int board)
      : result_(result),
        joint_(static_cast<std::size_t>(result.signal.joint)),
        board_(static_cast<std::size_t>(board)) {}

  void take(const LoopRow& row) {
    const std::int64_t sampled_ns = row.measured.sampled_ns[board_];
    const bool is_new = sampled_ns != last_ns_;
    last_ns_ = sampled_ns;
    if (row.tick < kSettleTicks) return;
    if (begin_ns_ < 0) begin_ns_ = row.now_ns;
    if (row.core.is_saturated(result_.signal.joint)) ++saturated_;
    result_.response.reference.push_back(row.command.q_ref[joint_]);
    result_.response.angle.push_back(row.angle[joint_]);
    result_.target.push_back(row.target[joint_]);
    if (!is_new) return;
    result_.readings.time.push_back(seconds(sampled_ns - begin_ns_));
    result_.readings.angle.push_back(row.measured.angle[joint_]);
  }
  [[nodiscard]] double saturation() const {
    return static_cast<double>(saturated_) / static_cast<double>(result_.target.size());
  }

 private:
  JointTestResult& result_;
  std::size_t joint_;
  std::size_t board_;
  std::int64_t last_ns_ = -1;
  std::int64_t begin_ns_ = -1;
  std::int64_t saturated_ = 0;
};

}  // namespace

int joint_index(const models::RobotDescription& robot, const std::string& name) {
  const auto place = std::find(robot.joint_names.begin(), robot.joint_names.end(), name);
  if (place != robot.joint_names.end()) return static_cast<int>(place - robot.joint_names.begin());
  std::string names;
  for (const std::string& joint : robot.joint_names) names += " " + joint;
  throw ConfigError("joint '" + name + "': the robot '" + robot.name + "' has" + names);
}

JointTestResult test_joint(const models::RobotDescription& robot, LoopPlant& plant,
                           control::Controller* controller, const JointArray<double>& pose,
                           const JointSignal& signal) {
  check(signal);
  if (signal.joint < 0 || signal.joint >= static_cast<int>(robot.joint_names.size())) {
    throw ConfigError("joint test: joint " + std::to_string(signal.joint) + " of " +
                      std::to_string(robot.joint_names.size()));
  }
  const auto j = static_cast<std::size_t>(signal.joint);
  JointTestResult result;
  result.signal = signal;
  result.joint = robot.joint_names[j];
  result.response.dt = kLoopPeriod;
  LoopCore core(robot, controller);
  // the first value is that from before the signal began
  const auto ticks = static_cast<std::int64_t>(std::llround(signal.seconds / kLoopPeriod)) + 1;
  const LoopReference reference = [&](std::int64_t tick, motions::PlayCommand& command) {
    const auto t = static_cast<double>(tick - kSettleTicks) * kLoopPeriod;
    const SignalPoint point = tick <= kSettleTicks ? SignalPoint{} : control::signal_at(signal, t);
    command.q_ref[j] = pose[j] + point.offset;
    command.qd_ref[j] = point.rate;
    if (tick == kSettleTicks && signal.kind == TestKind::kRelay) {
      core.set_relay(RelaySettings{signal.joint, signal.relay_speed, signal.relay_hysteresis});
    }
  };
  Collector collector(result, robot.wiring.joints[j].board());
  plant.run(core, pose, kSettleTicks + ticks, reference,
            [&](const LoopRow& row) { collector.take(row); });
  result.status = core.status();
  if (result.readings.time.size() < 2 || result.target.size() < 20) {
    throw ConfigError("joint test: the controller failed before the test began (" +
                      std::string(control::name(core.status())) + ")");
  }
  result.metrics = measure(result.response);
  result.metrics.saturation = collector.saturation();
  result.measured = measure(readings_on_cycles(result.readings, result.response));
  result.measured.saturation = result.metrics.saturation;
  return result;
}

}  // namespace kagami::tools
