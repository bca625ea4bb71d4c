/// Gain sets of the balance strategies as files: named, dated, for one robot.
#pragma once

#include <filesystem>
#include <string>

#include "control/balance/balance.hpp"
#include "models/base/config.hpp"

namespace kagami::control {

/// A file `kagami.gains/1` with the controller "balance": see docs/math/reaction_null_space.md.
struct BalanceGainSet {
  std::string file;  ///< with its root, as errors begin
  std::string name;
  std::string note;
  std::string date;   ///< year-month-day
  std::string robot;  ///< whose joints and size the gains are for
  ThreeJointModel lumps;
  BalanceSettings settings;
};

/// Throws ConfigError naming file, key, value and range. Set-up, like all below.
BalanceGainSet read_balance_gain_set(const ConfigDocument& document);
BalanceGainSet read_balance_gain_set(const std::filesystem::path& file);
/// Throws ConfigError where the set is another robot's.
void check_robot(const BalanceGainSet& set, const std::string& robot);

}  // namespace kagami::control
