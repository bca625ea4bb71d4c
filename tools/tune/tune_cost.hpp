/// What a gain set is worth: one number from several twins that differ as robots may.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tools/tune/gain_changes.hpp"
#include "tools/tune/servo_model_loop.hpp"

namespace kagami::tools {

/// The gains that are searched, with their bounds.
struct SearchedGain {
  std::string name;  ///< "kp", below each joint
  double lower = 0.0;
  double upper = 0.0;
  [[nodiscard]] bool is_fixed() const noexcept { return lower == upper; }
};
/// kp, kd, lead_time, filter_time, and ki held at 0 (what u adds up to is a target: kp alone takes
/// out an error that stays), as far as the controller has them as tunables.
std::vector<SearchedGain> searched_gains(const control::Controller& controller,
                                         const std::string& joint);

/// The joints do a move to and fro and a step of 20 degrees (less without room), all at once, from
/// `pose`; per twin and joint
///
///   c = rms(error) + 0.01 s rms(target' - reference') + 0.1 rad * share of saturated cycles,
///
/// and the cost is the mean over the joints of (mean over twins + worst twin) / 2, rad, under the
/// bound that no joint on any twin goes more than 4 % beyond the end of the step or of a move: what
/// is beyond costs 5 rad per stroke's length. docs/tuning.md.
class TuneCost {
 public:
  /// Borrows `robot` and `controller`. `joints`: those that move and share the gains.
  TuneCost(const models::RobotDescription& robot, control::Controller& controller,
           const JointArray<double>& pose, std::vector<int> joints,
           const std::vector<ServoSet>& twins);

  /// With the controller as it is; infinite when it fails on a twin.
  double operator()();

  /// rad, reference of the joint `t` s after the beginning, and its rate (rad/s).
  [[nodiscard]] double offset(int joint, double t, double& rate) const;

 private:
  const models::RobotDescription& robot_;
  control::Controller& controller_;
  JointArray<double> pose_;
  std::vector<int> joints_;
  JointArray<double> way_{};  // rad, where the joint has room for its move, with its sign
  std::vector<ServoModelLoop> twins_;
};

}  // namespace kagami::tools
