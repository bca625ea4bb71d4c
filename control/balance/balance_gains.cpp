#include "control/balance/balance_gains.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"

namespace kagami::control {
namespace {

constexpr std::array<std::string_view, 2> kTurns{"yaw", "pitch"};
constexpr Range kGain{0.0, 1e4, ""};

ThreeJointModel read_lumps(const ConfigNode& node) {
  const Range mass{0.0, 1e3, "kg"};
  const Range length{0.0, 10.0, "m"};
  const ThreeJointModel m{node.number("m1", mass),    node.number("mh1", mass),
                          node.number("m2", mass),    node.number("l1", length),
                          node.number("lg1", length), node.number("lg2", length)};
  node.reject_unknown_keys();
  try {
    check(m);
  } catch (const ConfigError& e) {
    node.fail("", e.what());
  }
  return m;
}

StrategyGains read_strategy(const ConfigNode& node) {
  StrategyGains g;
  const std::vector<double> kp_start = node.numbers("kp_start", kLegJoints, kGain);
  const std::vector<double> kp_end = node.numbers("kp_end", kLegJoints, kGain);
  const std::vector<double> kd_start = node.numbers("kd_start", kLegJoints, kGain);
  const std::vector<double> kd_end = node.numbers("kd_end", kLegJoints, kGain);
  for (std::size_t i = 0; i < g.joints.size(); ++i) {
    g.joints[i] = {{kp_start[i], kp_end[i]}, {kd_start[i], kd_end[i]}};
  }
  g.by_pitch = node.one_of("by", kTurns) == "pitch";
  g.end_turn = node.number("end_turn", {1e-3, 3.0, "rad"});
  g.oppose_kp = node.number_or("oppose_kp", 0.0, kGain);
  g.oppose_kd = node.number_or("oppose_kd", 0.0, kGain);
  g.left_ka = node.number_or("left_ka", 0.0, kGain);
  g.right_ka = node.number_or("right_ka", 0.0, kGain);
  g.return_rate = node.number_or("return_rate", 0.0, {0.0, 100.0, "1/s"});
  node.reject_unknown_keys();
  return g;
}

// what is left out stays as BalanceSettings has it
void read_choice(const ConfigNode& node, BalanceSettings& s) {
  const Range size{1e-6, 10.0, ""};
  s.start_size = node.number_or("start_size", s.start_size, size);
  s.large_start = node.number_or("large_start", s.large_start, {s.start_size, 10.0, ""});
  s.large_size = node.number_or("large_size", s.large_size, {s.start_size, 10.0, ""});
  s.vertical_share = node.number_or("vertical_share", s.vertical_share, {0.0, 1.0, ""});
  s.again_size = node.number_or("again_size", s.again_size, {1.0, 1e3, ""});
  s.decide_time = node.number_or("decide_time", s.decide_time, {0.0, 10.0, "s"});
  s.blend_time = node.number_or("blend_time", s.blend_time, {0.0, 10.0, "s"});
  s.settled_turn = node.number_or("settled_turn", s.settled_turn, {1e-6, 1.0, "rad"});
  s.settled_speed = node.number_or("settled_speed", s.settled_speed, {1e-6, 10.0, "rad/s"});
  s.settled_time = node.number_or("settled_time", s.settled_time, {0.0, 10.0, "s"});
  node.reject_unknown_keys();
}

// by the thesis's joints; a missing entry is a joint that the robot does not have
BalanceParts read_parts(const ConfigNode& node) {
  constexpr std::array<const char*, kLegJoints> kNames{
      "right_hip_yaw", "right_hip_roll", "right_hip_pitch", "right_ankle_pitch", "right_ankle_roll",
      "left_hip_yaw",  "left_hip_roll",  "left_hip_pitch",  "left_ankle_pitch",  "left_ankle_roll"};
  const Range length{0.0, 1.0, "m"};
  BalanceParts parts;
  parts.signs.fill(1.0);
  const ConfigNode legs = node.object("legs");
  for (std::size_t i = 0; i < kNames.size(); ++i) parts.legs[i] = legs.text_or(kNames[i], "");
  legs.reject_unknown_keys();
  if (node.has("signs")) {
    const std::vector<double> signs = node.numbers("signs", kLegJoints, {-1.0, 1.0, ""});
    std::copy(signs.begin(), signs.end(), parts.signs.begin());
  }
  parts.trunk = node.text("trunk");
  parts.support_foot = node.text("support_foot");
  const ConfigNode soles = node.object("soles");
  for (const char* side : {"left", "right"}) parts.soles.push_back(soles.text(side));
  parts.sole_front = soles.number("front", length);
  parts.sole_back = soles.number("back", length);
  parts.sole_side = soles.number("side", length);
  soles.reject_unknown_keys();
  node.reject_unknown_keys();
  return parts;
}

}  // namespace

BalanceGainSet read_balance_gain_set(const ConfigDocument& document) {
  const ConfigNode root = document.root();
  BalanceGainSet set;
  set.head = read_gain_head(root, "balance");
  set.lumps = read_lumps(root.object("lumps"));
  set.settings.hold_rate = root.number_or("hold_rate", 40.0, {0.0, 200.0, "1/s"});
  const ConfigNode strategies = root.object("strategies");
  for (int i = 0; i < kStrategies; ++i) {
    set.settings.strategies[static_cast<std::size_t>(i)] =
        read_strategy(strategies.object(name(static_cast<Strategy>(i))));
  }
  strategies.reject_unknown_keys();
  if (const std::optional<ConfigNode> choice = root.find_object("choice")) {
    read_choice(*choice, set.settings);
  }
  set.observer_rate = root.number_or("observer_rate", 0.0, {0.0, kMaxObserverRate, "1/s"});
  if (const std::optional<ConfigNode> parts = root.find_object("parts")) {
    set.parts = read_parts(*parts);
  }
  root.reject_unknown_keys();
  return set;
}

BalanceGainSet read_balance_gain_set(const std::filesystem::path& file) {
  return read_balance_gain_set(ConfigDocument::read(file));
}

}  // namespace kagami::control
