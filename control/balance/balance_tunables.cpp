#include "control/balance/balance_tunables.hpp"

#include <algorithm>

namespace kagami::control {
namespace {

constexpr std::size_t at_index(int i) noexcept {
  return static_cast<std::size_t>(i);
}

// the set's largest coefficients: what the size of its robot requires
struct Largest {
  double kp = 0.0;
  double kd = 0.0;
  double ka = 0.0;
};

Largest largest_of(const BalanceSettings& settings) {
  Largest most;
  for (const StrategyGains& g : settings.strategies) {
    for (const SpringDamper& s : g.joints) {
      most.kp = std::max({most.kp, s.kp.start, s.kp.end});
      most.kd = std::max({most.kd, s.kd.start, s.kd.end});
    }
    most.kp = std::max(most.kp, g.oppose_kp);
    most.kd = std::max(most.kd, g.oppose_kd);
    most.ka = std::max({most.ka, g.left_ka, g.right_ka});
  }
  return most;
}

}  // namespace

template <class Settings>
auto& BalanceTunables::at(Settings& s, const Place& place) noexcept {
  // both in the order of Kind
  using G = StrategyGains;
  using S = BalanceSettings;
  constexpr double G::*kOfStrategy[] = {&G::left_ka,   &G::right_ka,    &G::oppose_kp,
                                        &G::oppose_kd, &G::return_rate, &G::end_turn};
  constexpr double S::*kOfAll[] = {&S::hold_rate,     &S::start_size,     &S::large_start,
                                   &S::large_size,    &S::vertical_share, &S::again_size,
                                   &S::decide_time,   &S::blend_time,     &S::settled_turn,
                                   &S::settled_speed, &S::settled_time};
  static_assert(std::size(kOfStrategy) + std::size(kOfAll) ==
                static_cast<std::size_t>(Kind::kSettledTime) -
                    static_cast<std::size_t>(Kind::kLeftKa) + 1);
  const auto since = [&](Kind first) {
    return static_cast<int>(place.kind) - static_cast<int>(first);
  };
  if (place.kind >= Kind::kHoldRate) return s.*kOfAll[since(Kind::kHoldRate)];
  auto& g = s.strategies[place.strategy];
  if (place.kind >= Kind::kLeftKa) return g.*kOfStrategy[since(Kind::kLeftKa)];
  auto& joint = g.joints[place.joint];
  auto& pair = place.kind >= Kind::kKdStart ? joint.kd : joint.kp;
  return place.kind == Kind::kKpStart || place.kind == Kind::kKdStart ? pair.start : pair.end;
}

BalanceTunables::BalanceTunables(const BalanceSettings& settings,
                                 const std::array<std::string, kLegJoints>& joints) {
  const bool can_turn = !joints[kRightHipYaw].empty() && !joints[kLeftHipYaw].empty();
  for (int i = 0; i < kStrategies; ++i) {
    const bool is_always = !settings.choose && settings.always == static_cast<Strategy>(i);
    // what the choice cannot come to is not shown
    const bool of_yaw = i == static_cast<int>(Strategy::kUpperBodyRotation) ||
                        i == static_cast<int>(Strategy::kCombined);
    const bool may_be = settings.choose && (can_turn || !of_yaw);
    if (is_always || may_be) add_strategy(settings, i, joints);
  }
  add({Kind::kHoldRate, 0, 0}, {"hold_rate", 0.0, 200.0, "1/s"}, "/hold_rate");
  if (settings.choose) add_choice(can_turn);
  for (std::size_t i = 0; i < list_.size(); ++i) {
    list_[i].default_value = at(settings, places_[i]);
    list_[i].text = text_of(places_[i].kind);
  }
}

const char* BalanceTunables::text_of(Kind kind) noexcept {
  // in the order of Kind
  constexpr const char* kTexts[] = {
      "virtual spring while the upper body is at rest",
      "virtual spring once it has turned by end_turn",
      "virtual damper while the upper body is at rest",
      "virtual damper once it has turned by end_turn",
      "how hard the ankle follows the hip inside the reaction null space",
      "how hard the ankle follows the hip inside the reaction null space",
      "how hard the right ankle turns against the left one",
      "how hard the right ankle turns against the left one",
      "rate at which the ankle makes up what it missed",
      "turn of the upper body at which coefficients have reached their end",
      "rate at which joints that no strategy drives are held",
      "a push is noticed from this size on",
      "a large push, when the strategy is chosen",
      "a large push, at any time of the reaction",
      "share about the vertical from which a push is off the middle",
      "times the first push: another one has come",
      "time from the push's begin to the choice",
      "time in which one strategy goes over into another",
      "turn below which the upper body is back",
      "speed below which a leg joint counts as at rest",
      "time for which both must hold"};
  static_assert(std::size(kTexts) == static_cast<std::size_t>(Kind::kSettledTime) + 1);
  return kTexts[static_cast<std::size_t>(kind)];
}

void BalanceTunables::add(const Place& place, const Tunable& tunable, const std::string& path) {
  places_.push_back(place);
  list_.push_back(tunable);
  paths_.push_back(path);
}

void BalanceTunables::add_strategy(const BalanceSettings& settings, int strategy,
                                   const std::array<std::string, kLegJoints>& joints) {
  const std::string strategy_name = control::name(static_cast<Strategy>(strategy));
  const std::string path = "/strategies/" + strategy_name + "/";
  const StrategyGains& g = settings.strategies[at_index(strategy)];
  const Largest most = largest_of(settings);
  const auto s = static_cast<std::uint8_t>(strategy);
  struct Item {
    Kind kind;
    const char* key;
    double most;
    const char* unit;
  };
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (joints[i].empty()) continue;
    for (const Item& c : {Item{Kind::kKpStart, "kp_start", most.kp, "N m/rad"},
                          Item{Kind::kKpEnd, "kp_end", most.kp, "N m/rad"},
                          Item{Kind::kKdStart, "kd_start", most.kd, "N m s/rad"},
                          Item{Kind::kKdEnd, "kd_end", most.kd, "N m s/rad"}}) {
      add({c.kind, s, static_cast<std::uint8_t>(i)},
          {strategy_name + "/" + joints[i] + "/" + c.key, 0.0, kRoom * c.most, c.unit},
          path + c.key + "/" + std::to_string(i));
    }
  }
  // a law that the strategy has not is not switched on by turning it
  for (const Item& c : {Item{Kind::kLeftKa, "left_ka", most.ka / kRoom, "N m s/rad"},
                        Item{Kind::kRightKa, "right_ka", most.ka / kRoom, "N m s/rad"},
                        Item{Kind::kOpposeKp, "oppose_kp", most.kp, "N m/rad"},
                        Item{Kind::kOpposeKd, "oppose_kd", most.kd, "N m s/rad"}}) {
    if (at(settings, {c.kind, s, 0}) == 0.0) continue;
    add({c.kind, s, 0}, {strategy_name + "/" + c.key, 0.0, kRoom * c.most, c.unit}, path + c.key);
  }
  if (g.left_ka > 0.0 || g.right_ka > 0.0) {
    add({Kind::kReturnRate, s, 0}, {strategy_name + "/return_rate", 0.0, 100.0, "1/s"},
        path + "return_rate");
  }
  add({Kind::kEndTurn, s, 0}, {strategy_name + "/end_turn", 1e-3, 3.0, "rad"}, path + "end_turn");
}

// the ranges of the gain set's "choice"
void BalanceTunables::add_choice(bool can_turn) {
  struct Setting {
    Kind kind;
    const char* key;
    double min;
    double max;
    const char* unit;
  };
  for (const Setting& c : {Setting{Kind::kStartSize, "start_size", 1e-6, 10.0, ""},
                           Setting{Kind::kLargeStart, "large_start", 1e-6, 10.0, ""},
                           Setting{Kind::kLargeSize, "large_size", 1e-6, 10.0, ""},
                           Setting{Kind::kVerticalShare, "vertical_share", 0.0, 1.0, ""},
                           Setting{Kind::kAgainSize, "again_size", 1.0, 1e3, ""},
                           Setting{Kind::kDecideTime, "decide_time", 0.0, 10.0, "s"},
                           Setting{Kind::kBlendTime, "blend_time", 0.0, 10.0, "s"},
                           Setting{Kind::kSettledTurn, "settled_turn", 1e-6, 1.0, "rad"},
                           Setting{Kind::kSettledSpeed, "settled_speed", 1e-6, 10.0, "rad/s"},
                           Setting{Kind::kSettledTime, "settled_time", 0.0, 10.0, "s"}}) {
    if (c.kind == Kind::kVerticalShare && !can_turn) continue;
    const std::string key = std::string("choice/") + c.key;
    add({c.kind, 0, 0}, {key, c.min, c.max, c.unit}, "/" + key);
  }
}

double BalanceTunables::value(const BalanceSettings& settings, int index) const noexcept {
  return at(settings, places_[at_index(index)]);
}

bool BalanceTunables::set(int index, double value, BalanceSettings& settings) const noexcept {
  const Tunable& t = list_[at_index(index)];
  if (!t.takes(value)) return false;
  double& place = at(settings, places_[at_index(index)]);
  const double before = place;
  place = value;
  if (settings.large_start >= settings.start_size && settings.large_size >= settings.start_size) {
    return true;
  }
  place = before;
  return false;
}

const std::string& BalanceTunables::gain_path(int index) const noexcept {
  return paths_[at_index(index)];
}

}  // namespace kagami::control
