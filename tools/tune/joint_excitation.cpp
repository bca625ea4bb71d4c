#include "tools/tune/joint_excitation.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/base/time.hpp"

namespace kagami::tools {
namespace {

constexpr std::int64_t kSettleTicks = 1000;
constexpr std::size_t kCurveEvery = 5;  // ticks, in JSON
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

nlohmann::json degrees(const std::vector<double>& curve, std::size_t every) {
  nlohmann::json values = nlohmann::json::array();
  for (std::size_t i = 0; i < curve.size(); i += every) values.push_back(to_deg(curve[i]));
  return values;
}

}  // namespace

Response readings_on_cycles(const ReadingCurve& readings, const Response& response) {
  Response seen{response.dt, response.reference, {}, to_rad(1.0)};
  const std::vector<double>& t = readings.time;
  std::size_t next = 0;
  for (std::size_t i = 0; i < response.reference.size(); ++i) {
    const double now = static_cast<double>(i) * response.dt;
    while (next < t.size() && t[next] < now) ++next;
    if (next == 0 || next == t.size()) {
      seen.angle.push_back(readings.angle[next == 0 ? 0 : next - 1]);
      continue;
    }
    const double share = (now - t[next - 1]) / (t[next] - t[next - 1]);
    seen.angle.push_back(readings.angle[next - 1] +
                         share * (readings.angle[next] - readings.angle[next - 1]));
  }
  return seen;
}

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

nlohmann::json joint_test_json(const JointTestResult& r, bool with_curves) {
  nlohmann::json j{{"kind", name_of(r.signal.kind)},
                   {"joint", r.joint},
                   {"size_deg", to_deg(r.signal.size)},
                   {"seconds", r.signal.seconds},
                   {"status", control::name(r.status)},
                   {"metrics", metrics_json(r.metrics, with_curves)},
                   {"measured", metrics_json(r.measured, false)}};
  if (!with_curves) return j;
  nlohmann::json reading_times = r.readings.time;
  j["curves"] = {{"dt_s", static_cast<double>(kCurveEvery) * r.response.dt},
                 {"reference_deg", degrees(r.response.reference, kCurveEvery)},
                 {"angle_deg", degrees(r.response.angle, kCurveEvery)},
                 {"target_deg", degrees(r.target, kCurveEvery)},
                 {"reading_s", reading_times},
                 {"reading_deg", degrees(r.readings.angle, 1)}};
  return j;
}

}  // namespace kagami::tools
