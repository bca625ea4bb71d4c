#include "control/pid/gain_set.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"

namespace kagami::control {
namespace {

constexpr Range kGain{0.0, 1000.0, ""};
constexpr Range kTime{0.0, 100.0, "s"};
constexpr std::array<std::string_view, 2> kOutputs{"speed", "torque"};
constexpr std::array<std::string_view, 2> kForms{"standard", "parallel"};
constexpr std::array<std::string_view, 2> kDerivatives{"measurement", "error"};
constexpr std::array<std::string_view, 3> kAntiWindups{"none", "conditional", "back-calculation"};

// all gains of one form, or none of any: then those of `base` stay
ParallelGains read_gains(const ConfigNode& node, const ParallelGains& base, bool required) {
  const std::array<std::string_view, 6> keys{"form", "kp", "ti", "td", "ki", "kd"};
  const bool any =
      std::any_of(keys.begin(), keys.end(), [&](std::string_view key) { return node.has(key); });
  if (!any && !required) return base;
  if (node.one_of("form", kForms) == "parallel") {
    return {node.number("kp", kGain), node.number("ki", kGain), node.number("kd", kGain)};
  }
  StandardGains gains;
  gains.kp = node.number("kp", kGain);
  if (node.has("ti")) gains.ti = node.number("ti", {1e-3, 1e3, "s"});
  gains.td = node.number("td", kTime);
  return parallel_form(gains);
}

PidSettings read_settings(const ConfigNode& node, const PidSettings& base, bool required) {
  PidSettings s = base;
  s.gains = read_gains(node, base.gains, required);
  if (node.has("derivative")) {
    s.derivative = node.one_of("derivative", kDerivatives) == "error" ? DerivativeOn::kError
                                                                      : DerivativeOn::kMeasurement;
  }
  if (node.has("anti_windup")) {
    const std::string kind = node.one_of("anti_windup", kAntiWindups);
    s.anti_windup = kind == "none"          ? AntiWindup::kNone
                    : kind == "conditional" ? AntiWindup::kConditional
                                            : AntiWindup::kBackCalculation;
  }
  s.filter_time = node.number_or("filter_time", base.filter_time, kTime);
  s.tracking_time = node.number_or("tracking_time", base.tracking_time, kTime);
  if (required || node.has("output_limit")) {
    s.output_limit = node.number("output_limit", {1e-6, 1000.0, ""});
  }
  s.rate_feed_forward =
      node.number_or("rate_feed_forward", base.rate_feed_forward, {0.0, kMaxRateFeedForward, ""});
  s.gravity_feed_forward = node.number_or("gravity_feed_forward", base.gravity_feed_forward,
                                          {0.0, kMaxGravityFeedForward, ""});
  s.lead_time = node.number_or("lead_time", base.lead_time, {0.0, kMaxLeadTime, "s"});
  node.reject_unknown_keys();
  return s;
}

}  // namespace

PidGainSet read_pid_gain_set(const ConfigDocument& document) {
  const ConfigNode root = document.root();
  PidGainSet set;
  set.head = read_gain_head(root, "pid", true);
  PidSettings base;
  base.output =
      root.one_of("output", kOutputs) == "torque" ? PidOutput::kTorque : PidOutput::kSpeed;
  set.all = read_settings(root.object("all"), base, true);
  if (const std::optional<ConfigNode> joints = root.find_object("joints")) {
    for (const std::string& joint : joints->keys()) {
      set.joints.emplace_back(joint, read_settings(joints->object(joint), set.all, false));
    }
  }
  root.reject_unknown_keys();
  return set;
}

PidGainSet read_pid_gain_set(const std::filesystem::path& file) {
  return read_pid_gain_set(ConfigDocument::read(file));
}

std::vector<PidSettings> settings_for(const PidGainSet& set, const std::string& robot,
                                      std::span<const std::string> joint_names, double period) {
  check_robot(set.head, robot);
  std::vector<PidSettings> settings(joint_names.size(), set.all);
  for (const auto& [joint, own] : set.joints) {
    const auto place = std::find(joint_names.begin(), joint_names.end(), joint);
    if (place == joint_names.end()) {
      throw ConfigError(set.head.file + "joints/" + joint + ": the robot '" + robot +
                        "' has no such joint");
    }
    settings[static_cast<std::size_t>(place - joint_names.begin())] = own;
  }
  for (std::size_t j = 0; j < settings.size(); ++j) {
    check(settings[j], period, set.head.file + "joints/" + joint_names[j]);
  }
  return settings;
}

}  // namespace kagami::control
