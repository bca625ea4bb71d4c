/// ID_open of Eq. (7.4) for robots of which no actuator drives a part: a base that floats, a body
/// that the hands hold.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "models/base/types.hpp"
#include "models/closed_chains/loop_kinematics.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/robot/model.hpp"
#include "models/spatial/vectors.hpp"

namespace kagami::control {

/// Who holds what floats.
enum class Support : std::uint8_t {
  kHeld,     ///< nothing floats
  kCarried,  ///< the robot's own loops carry it: soles on the ground, hands on an object
  kFlying,   ///< nothing: a robot in free flight
};

/// The robot must outlive it. After construction nothing allocates; `run` is cycle code.
class OpenInverse {
 public:
  /// Throws ConfigError for several bodies that float with no loop of the robot's own, and for one
  /// that floats beside a base that is held.
  explicit OpenInverse(const models::Model& robot);

  [[nodiscard]] Support support() const noexcept { return support_; }
  /// True for a degree of freedom of a floating joint, which gets no torque.
  [[nodiscard]] bool floats(int dof) const noexcept;

  /// tau (N m, N; 0 where nothing drives) that gives vdot at q, v. Carried: the own loops' forces
  /// are the smallest that do, moments counted over kSole; vdot must be along them. Flying: vdot of
  /// the base is put to what the joints' leave it, `H` is the mass matrix at q or next to it.
  /// `at_q`: loops of a mechanism that begin with the robot's own, placed at q; null: placed here.
  /// False and tau as it was where the own loops cannot carry what floats.
  [[nodiscard]] bool run(const JointVector& q, const JointVector& v, const JointMatrix& H,
                         const models::LoopKinematics* at_q, JointVector& vdot,
                         JointVector& tau) noexcept;

  /// After run: force of an own loop on its body a, about Lo, axes of the world (N m, N).
  [[nodiscard]] models::Force wrench(int loop) const noexcept;

  /// m: what a moment costs, as a force at this distance; about half a sole of the KHR-1.
  static constexpr double kSole = 0.02;

 private:
  [[nodiscard]] bool carry(const models::LoopKinematics& loops) noexcept;
  void fly(const JointVector& q, const JointVector& v, const JointMatrix& H, int rounds,
           JointVector& vdot) noexcept;
  [[nodiscard]] bool solve() noexcept;

  const models::Model& robot_;
  Support support_ = Support::kHeld;
  std::vector<int> floating_;  // degrees of freedom
  std::vector<bool> floats_;
  models::RneaWorkspace rnea_;
  models::LoopKinematics loops_;
  int own_rows_ = 0;
  JointVector g_;      // forces of all coordinates
  Eigen::MatrixXd A_;  // of what floats
  Eigen::VectorXd x_;
  Eigen::VectorXd cost_;  // per row
  Eigen::VectorXd lambda_;
  std::vector<models::Pose> X_WL_;  // per own loop
  std::vector<models::Force> F_L_;
};

}  // namespace kagami::control
