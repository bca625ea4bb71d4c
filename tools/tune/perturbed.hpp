/// Servos drawn at random within what is known of them: the many robots that one gain set must
/// suit.
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/range.hpp"
#include "models/base/servo_parameters.hpp"

namespace kagami::tools {

/// From .. to, each drawn evenly and for each joint apart. The defaults are the ranges in which the
/// stock KHR-1's walk was seen to stand, parameter by parameter (docs/tuning.md, with the source).
struct ServoRanges {
  Range delay{0.008, 0.020, "s"};
  Range filter{0.07, 0.12, "s"};  ///< of each of the two
  Range kp{10.0, 40.0, "N m/rad"};
  Range kde{0.0, 0.5, "N m s/rad"};
  Range stall_torque{0.7, 0.9, "N m"};
  Range free_speed{5.6, 6.7, "rad/s"};
  Range rotor_inertia{0.0, 0.005, "kg m^2"};
  double trim_deg = 1.0;       ///< to both sides of the given servo's
  double dead_band_deg = 0.5;  ///< up to; of a third of the joints
  double backlash_deg = 1.0;   ///< up to; of another third: never both
  double sag = 0.1;            ///< up to
};

/// As many servos as `centre` has, whose trims they keep about; the same for the same seed on every
/// machine.
ServoSet draw_servos(const ServoSet& centre, std::uint64_t seed, const ServoRanges& ranges = {});

/// A servo at the end of every range at once, for all joints alike.
enum class ServoCorner : std::uint8_t {
  kSlow,  ///< longest lags, softest loop, most damping and inertia, least torque and speed; play
  kFast,  ///< the other ends; dead band
};
/// No drawn servo lags more than the slow one or less than the fast one. Trims at their ends too: a
/// joint without an error never begins the swing that whole degrees keep up.
ServoSet corner_servos(const ServoSet& centre, ServoCorner corner, const ServoRanges& ranges = {});

/// For searches of gains: `centre`, the slow corner, the fast one, then drawn ones as below. Throws
/// ConfigError for a count below 1.
std::vector<ServoSet> enclosing_twins(const ServoSet& centre, int count, std::uint64_t seed);

/// `centre` itself and then `count` - 1 drawn ones, seeds `seed`, `seed` + 1, ... Throws
/// ConfigError for a count below 1.
std::vector<ServoSet> perturbed_twins(const ServoSet& centre, int count, std::uint64_t seed);

}  // namespace kagami::tools
