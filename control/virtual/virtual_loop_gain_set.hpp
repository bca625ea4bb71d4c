/// The gain set of the virtual closed loop: what closes, what leads, what carries.
#pragma once

#include <string>
#include <vector>

#include "control/core/gain_head.hpp"
#include "control/virtual/virtual_loop.hpp"
#include "models/base/config_fwd.hpp"
#include "models/base/range.hpp"

namespace kagami::control {

inline constexpr Range kLeadStiffness{0.0, 100.0, "N m/rad"};
inline constexpr Range kLeadDamping{0.0, 100.0, "N m s/rad"};
inline constexpr Range kCorrectionRate{0.0, 200.0, "1/s"};
inline constexpr Range kObserverRate{0.0, 50.0, "1/s"};

/// A gain set `kagami.gains/1` with the controller "virtual-loop":
/// docs/math/virtual_closed_loop.md.
struct VirtualLoopGainSet {
  GainHead head;
  struct Tie {
    std::string name;
    std::string a;            ///< body or frame of the robot
    std::string b;            ///< likewise, or "world"
    bool leaves_yaw = false;  ///< may turn about a's z axis
  };
  std::vector<Tie> loops;  ///< two frames that hold each other as they stand at the start
  /// Frame on the ground that carries a robot whose base floats; empty: its base is held.
  std::string stands_on;
  struct Lead {
    std::string joint;
    double kp = 0.0;  ///< N m/rad
    double kd = 0.0;  ///< N m s/rad
  };
  std::vector<Lead> leads;     ///< joints that follow the motion; the others follow the loops
  double damping = 0.0;        ///< N m s/rad, on every other joint
  double observer_rate = 0.0;  ///< 1/s, see Controller
  VirtualLoopSettings settings;
};
/// Throws ConfigError naming file, key, value and range.
VirtualLoopGainSet read_virtual_loop_gain_set(const ConfigDocument& document);

}  // namespace kagami::control
