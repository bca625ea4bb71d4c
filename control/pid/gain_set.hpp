/// Gain sets as files: named, dated, for one robot or for any.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "control/core/gain_head.hpp"
#include "control/pid/pid.hpp"
#include "models/base/config_fwd.hpp"

namespace kagami::control {

/// A file `kagami.gains/1`: see docs/math/pid.md.
struct PidGainSet {
  GainHead head;    ///< its robot may be any
  PidSettings all;  ///< what joints without an entry of their own get
  std::vector<std::pair<std::string, PidSettings>> joints;  ///< by name
};

/// Throws ConfigError naming file, key, value and range. Set-up, like all below.
PidGainSet read_pid_gain_set(const ConfigDocument& document);
PidGainSet read_pid_gain_set(const std::filesystem::path& file);

/// One entry per joint, model order, each checked against `period` (s between measurements). Throws
/// ConfigError for a set of another robot, a joint that the robot has not, or gains that cannot
/// work at this period.
std::vector<PidSettings> settings_for(const PidGainSet& set, const std::string& robot,
                                      std::span<const std::string> joint_names, double period);

}  // namespace kagami::control
