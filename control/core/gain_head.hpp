/// What every gain set begins with, whichever controller it is for.
#pragma once

#include <string>
#include <string_view>

#include "models/base/config_fwd.hpp"

namespace kagami::control {

/// Of a file `kagami.gains/1`.
struct GainHead {
  std::string file;  ///< with its root, as errors begin: "awa.json: /"
  std::string name;
  std::string note;
  std::string date;   ///< year-month-day
  std::string robot;  ///< whose joints and size the gains are for; empty: any
};

/// Reads schema, controller (which must be the one named), name, note, date and robot; the latter
/// may be absent for `any_robot`. Throws ConfigError naming file, key and value. Set-up.
GainHead read_gain_head(const ConfigNode& root, std::string_view controller,
                        bool any_robot = false);
/// Throws ConfigError where the set is another robot's.
void check_robot(const GainHead& head, const std::string& robot);

}  // namespace kagami::control
