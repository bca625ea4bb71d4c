#include "tools/tune/autotune.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "tools/tune/optimise.hpp"
#include "tools/tune/perturbed.hpp"
#include "tools/tune/relay.hpp"
#include "tools/tune/tune_cost.hpp"

namespace kagami::tools {
namespace {

constexpr double kWorthIt = 0.98;     // of the old cost: less of a gain is none
constexpr double kStepSize = 0.1745;  // rad, of the tests before and after
constexpr double kRelaySeconds = 12.0;
constexpr double kRelaySpeed = 1.0;  // rad/s

/// One call of autotune.
class Session {
 public:
  Session(const models::RobotDescription& robot, const std::string& gains_text,
          std::span<const control::TunableValue> changed_gains, const JointArray<double>& pose,
          const AutotuneSettings& settings, const AutotuneHooks& hooks)
      : robot_(robot), pose_(pose), settings_(settings), hooks_(hooks) {
    controller_ = make_loop_controller(robot, gains_text);
    apply_gains(*controller_, changed_gains);
    if (settings.joint >= 0) {
      joints_ = {settings.joint};
    } else {
      joints_.resize(robot.joint_names.size());
      std::iota(joints_.begin(), joints_.end(), 0);
    }
    for (const int joint : joints_) {
      for (const control::TunableValue& gain : gains_of(*controller_, name(joint)))
        result_.before.push_back(gain);
    }
    result_.after = result_.before;
  }

  AutotuneResult run() {
    const std::vector<ServoSet> twins =
        enclosing_twins(robot_.servos, settings_.twins, settings_.seed);
    TuneCost cost(robot_, *controller_, pose_, joints_, twins);
    result_.cost_before = cost();
    result_.cost_after = result_.cost_before;
    result_.before_tests = steps();
    std::vector<control::TunableValue> found =
        settings_.method == AutotuneMethod::kRelay ? by_relay() : by_search(cost);
    if (!goes_on()) {
      result_.aborted = true;
      result_.why = "aborted: the gains are unchanged";
    } else if (!found.empty()) {
      judge(cost, std::move(found));
    }
    apply_gains(*controller_, result_.after);
    result_.after_tests = steps();
    return std::move(result_);
  }

 private:
  [[nodiscard]] const std::string& name(int joint) const {
    return robot_.joint_names[static_cast<std::size_t>(joint)];
  }
  [[nodiscard]] bool goes_on() const {
    return hooks_.abort == nullptr || !hooks_.abort->load(std::memory_order_relaxed);
  }

  // the same gains for every joint of the session
  [[nodiscard]] std::vector<control::TunableValue> changes(const std::vector<SearchedGain>& gains,
                                                           const std::vector<double>& x) const {
    std::vector<control::TunableValue> all;
    for (const int joint : joints_) {
      std::size_t i = 0;
      for (const SearchedGain& gain : gains) {
        all.push_back({name(joint) + "/" + gain.name, gain.is_fixed() ? gain.lower : x[i++]});
      }
    }
    return all;
  }

  std::vector<control::TunableValue> by_search(TuneCost& cost) {
    const std::vector<SearchedGain> gains = searched_gains(*controller_, name(joints_.front()));
    SearchBounds bounds;
    std::vector<double> start;
    for (const SearchedGain& gain : gains) {
      if (gain.is_fixed()) continue;
      bounds.lower.push_back(gain.lower);
      bounds.upper.push_back(gain.upper);
      const std::string full = name(joints_.front()) + "/" + gain.name;
      for (const control::TunableValue& now : result_.before) {
        if (now.name == full) start.push_back(std::clamp(now.value, gain.lower, gain.upper));
      }
    }
    const auto of = [&](const std::vector<double>& x) {
      apply_gains(*controller_, changes(gains, x));
      ++result_.evaluations;
      if (hooks_.progress) {
        hooks_.progress(std::min(1.0, static_cast<double>(result_.evaluations) /
                                          static_cast<double>(settings_.evaluations)));
      }
      return cost();
    };
    const SearchResult found =
        search(of, bounds, start, settings_.evaluations, [&] { return goes_on(); });
    return found.best.empty() ? std::vector<control::TunableValue>{} : changes(gains, found.best);
  }

  std::vector<control::TunableValue> by_relay() {
    if (joints_.size() != 1) {
      throw ConfigError("autotune: a relay drives one joint; expected a joint, or optimise");
    }
    const int joint = joints_.front();
    const auto j = static_cast<std::size_t>(joint);
    JointSignal signal;
    signal.kind = TestKind::kRelay;
    signal.joint = joint;
    signal.seconds = kRelaySeconds;
    signal.relay_speed = kRelaySpeed;
    ServoModelLoop twin(robot_, robot_.servos,
                        line_timing(static_cast<int>(robot_.wiring.boards.size())));
    // away from the soft limits, where the targets would stop
    JointArray<double> pose = pose_;
    const JointWiring& wiring = robot_.wiring.joints[j];
    const double room = to_rad(15.0);
    if (wiring.soft_max - wiring.soft_min > 2.0 * room) {
      pose[j] = to_rad(
          std::round(to_deg(std::clamp(pose[j], wiring.soft_min + room, wiring.soft_max - room))));
    }
    const JointTestResult test = test_joint(robot_, twin, controller_.get(), pose, signal);
    std::vector<double> sign{0.0};
    for (std::size_t i = 1; i < test.target.size(); ++i) {
      sign.push_back(test.target[i] - test.target[i - 1]);
    }
    const std::optional<RelayCycle> cycle =
        relay_cycle(sign, test.response.angle, kLoopPeriod, kRelaySpeed, signal.relay_hysteresis);
    if (!cycle) {
      result_.why = "the relay made no steady cycle: the gains are unchanged";
      return {};
    }
    return gains_after(*cycle, joint);
  }

  // a lead by the lag that the cycle shows
  std::vector<control::TunableValue> gains_after(const RelayCycle& cycle, int joint) {
    const control::ParallelGains g = servo_gains(cycle);
    std::vector<control::TunableValue> found;
    for (const SearchedGain& gain : searched_gains(*controller_, name(joint))) {
      const double wanted = gain.name == "kp"          ? g.kp
                            : gain.name == "ki"        ? g.ki
                            : gain.name == "kd"        ? g.kd
                            : gain.name == "lead_time" ? cycle.lag
                                                       : 0.0;
      found.push_back({name(joint) + "/" + gain.name, std::clamp(wanted, gain.lower, gain.upper)});
    }
    relay_result_ = "ultimate gain " + number_text(0.01 * std::round(100.0 * cycle.ultimate_gain)) +
                    " 1/s, period " + number_text(0.001 * std::round(1000.0 * cycle.period)) +
                    " s; ";
    return found;
  }

  void judge(TuneCost& cost, std::vector<control::TunableValue> found) {
    apply_gains(*controller_, found);
    const double after = cost();
    if (!(after < kWorthIt * result_.cost_before)) {
      result_.why = relay_result_ + "nothing better was found: the gains are unchanged";
      return;
    }
    result_.cost_after = after;
    for (control::TunableValue& gain : result_.after) {
      for (const control::TunableValue& change : found) {
        if (change.name == gain.name) gain.value = change.value;
      }
    }
    const double less = 100.0 * (1.0 - after / result_.cost_before);
    result_.why = relay_result_ + "the cost fell by " + number_text(std::round(less)) + " %";
  }

  // a step of each joint on the twin itself, away from its nearer limit
  std::vector<JointTestResult> steps() {
    std::vector<JointTestResult> tests;
    ServoModelLoop twin(robot_, robot_.servos,
                        line_timing(static_cast<int>(robot_.wiring.boards.size())));
    for (const int joint : joints_) {
      const auto j = static_cast<std::size_t>(joint);
      const JointWiring& wiring = robot_.wiring.joints[j];
      JointSignal signal;
      signal.joint = joint;
      const bool up = wiring.soft_max - pose_[j] >= pose_[j] - wiring.soft_min;
      signal.size = up ? kStepSize : -kStepSize;
      tests.push_back(test_joint(robot_, twin, controller_.get(), pose_, signal));
    }
    return tests;
  }

  const models::RobotDescription& robot_;
  JointArray<double> pose_;
  AutotuneSettings settings_;
  const AutotuneHooks& hooks_;
  std::unique_ptr<control::Controller> controller_;
  std::vector<int> joints_;
  AutotuneResult result_;
  std::string relay_result_;
};

nlohmann::json side_json(const std::vector<control::TunableValue>& gains,
                         const std::vector<JointTestResult>& tests, double cost) {
  nlohmann::json values = nlohmann::json::object();
  for (const control::TunableValue& gain : gains) values[gain.name] = gain.value;
  nlohmann::json metrics = nlohmann::json::object();
  for (const JointTestResult& test : tests) metrics[test.joint] = metrics_json(test.metrics);
  return {{"gains", values}, {"metrics", metrics}, {"cost_deg", to_deg(cost)}};
}

}  // namespace

AutotuneMethod autotune_method(std::string_view name) {
  if (name == "relay") return AutotuneMethod::kRelay;
  if (name == "optimise") return AutotuneMethod::kOptimise;
  throw ConfigError("autotune: method '" + std::string(name) + "', expected relay or optimise");
}

AutotuneResult autotune(const models::RobotDescription& robot, const std::string& gains_text,
                        std::span<const control::TunableValue> changed_gains,
                        const JointArray<double>& pose, const AutotuneSettings& settings,
                        const AutotuneHooks& hooks) {
  if (settings.joint < -1 || settings.joint >= static_cast<int>(robot.joint_names.size())) {
    throw ConfigError("autotune: joint " + std::to_string(settings.joint) + " of " +
                      std::to_string(robot.joint_names.size()));
  }
  if (settings.evaluations < 10 || settings.evaluations > 10000) {
    throw ConfigError("autotune: evaluations " + std::to_string(settings.evaluations) +
                      ", expected 10..10000");
  }
  return Session(robot, gains_text, changed_gains, pose, settings, hooks).run();
}

nlohmann::json autotune_json(const AutotuneResult& r) {
  return {{"before", side_json(r.before, r.before_tests, r.cost_before)},
          {"after", side_json(r.after, r.after_tests, r.cost_after)},
          {"evaluations", r.evaluations},
          {"aborted", r.aborted},
          {"why", r.why}};
}

}  // namespace kagami::tools
