/// Gain sets of the balance strategies as files: named, dated, for one robot.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "control/balance/balance.hpp"
#include "control/core/gain_head.hpp"
#include "models/base/config_fwd.hpp"

namespace kagami::control {

/// Which parts of the robot the strategies mean, by name.
struct BalanceParts {
  std::array<std::string, kLegJoints> legs;  ///< in the order of LegJoint; empty: no such joint
  std::array<double, kLegJoints> signs{};    ///< 1 or -1
  std::string trunk;
  std::string support_foot;  ///< a frame in its sole: z upwards, on the floor in the standing pose
  std::vector<std::string>
      soles;                ///< frames of all soles that stand, the support foot's among them
  double sole_front = 0.0;  ///< m, from the frame to the sole's edge
  double sole_back = 0.0;
  double sole_side = 0.0;  ///< m, to either side
};

inline constexpr double kMaxObserverRate = 50.0;  ///< 1/s

/// A file `kagami.gains/1` with the controller "balance": see docs/math/reaction_null_space.md.
struct BalanceGainSet {
  GainHead head;
  ThreeJointModel lumps;
  BalanceSettings settings;
  double observer_rate = 0.0;         ///< 1/s, at which measurements pull a run's reference model
  std::optional<BalanceParts> parts;  ///< needed where a run is to use the set
};

/// Throws ConfigError naming file, key, value and range. Set-up, like all below.
BalanceGainSet read_balance_gain_set(const ConfigDocument& document);
BalanceGainSet read_balance_gain_set(const std::filesystem::path& file);

}  // namespace kagami::control
