/// What a relay's limit cycle shows of a loop, and the gains that follow: [Astrom 1984].
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/pid/pid.hpp"

namespace kagami::tools {

/// A limit cycle, mean of its whole periods.
struct RelayCycle {
  double period = 0.0;         ///< s
  double amplitude = 0.0;      ///< of the measured curve's first harmonic: what the method is about
  double ultimate_gain = 0.0;  ///< 4 d / (pi sqrt(a^2 - eps^2)); unit of d per unit of a
  double lag = 0.0;            ///< s, phase lag of the joint beyond the integrator, over frequency
  int periods = 0;
};

/// From the relay's output (its sign at equal steps of `dt` s) and the curve it turned on. `d`:
/// its amplitude; `hysteresis`: at which the curve turned it. The first two periods are left out;
/// empty with fewer than two more, or an amplitude that is not above the hysteresis.
std::optional<RelayCycle> relay_cycle(const std::vector<double>& sign,
                                      const std::vector<double>& angle, double dt, double d,
                                      double hysteresis);

/// For the joint PID, whose reference goes to the servos by itself: kp of [Tyreus 1992], no
/// integral (u adds up to a target as it is), and kd = kp lag: what kp sums up while a step is late
/// is what kd takes out of it again, so that the sum ends where it began. Ours; docs/tuning.md.
control::ParallelGains servo_gains(const RelayCycle& cycle) noexcept;

}  // namespace kagami::tools
