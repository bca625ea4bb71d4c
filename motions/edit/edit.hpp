/// New motions from bound ones (bind.hpp): cut, mirrored, reversed, joined, blended, retimed.
#pragma once

#include <vector>

#include "models/base/wiring.hpp"
#include "motions/file/motion.hpp"
#include "motions/play/player.hpp"

namespace kagami::motions {

/// The part from `from` to `to`, s after the first pose. Where no pose is, the ends lie on the
/// straight line between the poses around. Throws ConfigError unless 0 <= from < to.
Motion trimmed(const Motion& motion, double from, double to);

/// The same way backwards: every leg keeps its time and speed code.
Motion reversed(const Motion& motion);

/// Which joint takes a joint's angle in the mirror, by index, and with which sign.
struct MirrorPartner {
  std::size_t joint = 0;
  int sign = 1;
};
/// Left and right exchanged. One partner for each joint.
Motion mirrored(const Motion& motion, const std::vector<MirrorPartner>& partners);

/// `first`, then `second` after a transition of `transition` s between their end and start poses.
/// If both have speed codes, so has the result: the transition takes the slowest that arrives in
/// time, and longer where none does. The result does not loop. Throws ConfigError for motions of
/// different robots.
Motion joined(const Motion& first, const Motion& second, double transition,
              const SpeedTable& speed);

/// (1 - weight) * first + weight * second, each stretched to the duration between theirs; a pose
/// wherever one of them has one, straight lines between. 0 <= weight <= 1.
Motion blended(const Motion& first, const Motion& second, double weight);

/// Durations long enough that no joint is faster than its limit (rad/s, > 0, one per joint) in this
/// mode; none becomes shorter. Speed codes become slower where they must.
Motion retimed(const Motion& motion, const std::vector<double>& limits, PlayMode mode,
               const SpeedTable& speed);

/// Fastest speed of each joint (rad/s) on each leg, [leg][joint]; leg p leads to pose p, 0 is
/// empty.
std::vector<std::vector<double>> leg_speeds(const Motion& motion, PlayMode mode,
                                            const SpeedTable& speed);

/// The straight lines between the poses of a bound motion, which must outlive it.
class PosePath {
 public:
  explicit PosePath(const Motion& motion);
  /// Of every pose, s after the first.
  [[nodiscard]] const std::vector<double>& times() const { return times_; }
  /// Angles at `t`, rad; before the first and after the last pose: theirs.
  [[nodiscard]] std::vector<double> at(double t) const;

 private:
  const Motion& motion_;
  std::vector<double> times_;
};

}  // namespace kagami::motions
