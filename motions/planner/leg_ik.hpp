/// Joint angles of two legs that put mass centre, trunk and feet where a plan requires them.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/base/types.hpp"
#include "models/dynamics/jacobians.hpp"
#include "models/robot/model.hpp"
#include "models/robot/state.hpp"
#include "motions/planner/spline5.hpp"

namespace kagami::motions {

/// Position, velocity, acceleration of a point in W (m, m/s, m/s^2).
struct PointMotion {
  Vec3 p = Vec3::Zero();
  Vec3 v = Vec3::Zero();
  Vec3 a = Vec3::Zero();
};

/// Where a robot with level feet should be, all in W. Index 0: left.
struct BodyTargets {
  PathPoint pitch;  ///< of the trunk about +y, its rate and the rate's rate (rad, s); 0 upright
  PointMotion com;
  std::array<PointMotion, 2> foot;  ///< origins of the foot bodies (ankles)
};

/// Coordinates of the whole robot and their first two derivatives. On the heap, unlike State.
struct PlanSample {
  Eigen::VectorXd q;
  Eigen::VectorXd v;
  Eigen::VectorXd vdot;
};

/// Damped Newton on the Jacobians of mass centre, trunk and feet. The other joints stay where they
/// are.
class LegIk {
 public:
  /// `feet`: names of the left and the right foot's body. Keeps a reference to the model. Throws
  /// ModelError for a base that does not float, an unknown body, or feet that do not hang on the
  /// base by 6 joints each.
  LegIk(const models::Model& model, const std::array<std::string, 2>& feet);

  /// From the guess state.q, to a largest error of 1e-10 (m, rad); then v and vdot exactly.
  /// Throws ConfigError for targets out of reach or a joint beyond its limits; names the joint.
  PlanSample solve(const BodyTargets& targets, models::State& state);
  /// Largest error (m, rad) of state.q.
  double residual(const BodyTargets& targets, const JointVector& q);

  [[nodiscard]] BodyIndex foot(int side) const { return feet_[static_cast<std::size_t>(side)]; }
  [[nodiscard]] const models::Model& model() const { return model_; }

 private:
  using Mat18 = Eigen::Matrix<double, 18, 18>;
  using Vec18 = Eigen::Matrix<double, 18, 1>;

  Vec18 error(const BodyTargets& targets, const JointVector& q);
  Mat18 jacobian(const JointVector& q);
  Vec18 bias(const models::State& state);
  JointVector spread(const Vec18& x) const;
  void check_limits(const JointVector& q) const;

  const models::Model& model_;
  std::array<BodyIndex, 2> feet_{};
  std::vector<int> dofs_;  // the base's six, then the joints of the legs
  models::JacobianWorkspace w_;
  models::Jacobian J_W_, dJ_W_, J_body_;
  models::PointJacobian J_com_;
};

}  // namespace kagami::motions
