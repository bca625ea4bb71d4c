/// The robot as an immutable tree of rigid bodies, and the joints that close loops in it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/types.hpp"
#include "models/robot/joint.hpp"
#include "models/spatial/inertia.hpp"
#include "models/spatial/pose.hpp"

namespace kagami::models {

/// Where the root link is. kFixed: held on the stand; kFloating: six more degrees of freedom.
enum class BaseKind : std::uint8_t { kFixed, kFloating };

/// Body B, its parent P and the joint between them.
struct Body {
  std::string name;
  std::string joint_name;
  BodyIndex parent = kWorld;  ///< always smaller than the body's own index
  Joint joint;
  Pose X_PJ;               ///< joint frame in the parent's frame
  SpatialInertia inertia;  ///< about Bo, in B
  int q_index = 0;         ///< its first coordinate in q
  int v_index = 0;         ///< its first degree of freedom in v, tau
  int nq = 0;              ///< coordinates of its joint
  int nv = 0;              ///< degrees of freedom of its joint
  bool held = false;       ///< no degree of freedom between it and the world
};

/// A named frame F that rides on a body, such as a sole: X_BF.
struct Frame {
  std::string name;
  BodyIndex body = kWorld;
  Pose X_BF;
};

/// A joint that closes a chain: between frame J on body b (or the world), which takes the place of
/// the parent, and frame L on body a, which takes the place of the child. It is closed where X_JL
/// is one of the poses that the joint allows. Its type determines what it leaves free: kSpherical
/// holds a point (3 equations), kUniversal 4, kRevolute (hinge) and kPrismatic 5, kFixed (weld) 6.
struct Loop {
  std::string name;
  BodyIndex body_a = kWorld;  ///< a body, never the world
  BodyIndex body_b = kWorld;  ///< another body or kWorld
  Joint joint;                ///< axis in J; axis2 in L
  Pose X_AL;                  ///< frame L on body a
  Pose X_BJ;                  ///< frame J on body b, or in the world
  int num_constraints = 0;    ///< 6 - num_v(joint.type), before redundancy is counted
};

/// What a degree of freedom allows; infinite where the model does not say.
struct DofLimits {
  double q_min = -std::numeric_limits<double>::infinity();  ///< rad; a prismatic joint m
  double q_max = std::numeric_limits<double>::infinity();   ///< rad; m
  double speed = std::numeric_limits<double>::infinity();   ///< rad/s; m/s
  double effort = std::numeric_limits<double>::infinity();  ///< N m; N
};

/// Made by ModelBuilder, which checks it; never changed afterwards. Safe to share between threads.
class Model {
 public:
  /// No bodies.
  Model() = default;

  [[nodiscard]] int num_bodies() const noexcept { return static_cast<int>(bodies_.size()); }
  [[nodiscard]] int num_q() const noexcept { return num_q_; }  ///< coordinates
  [[nodiscard]] int num_v() const noexcept { return num_v_; }  ///< degrees of freedom
  /// Bodies in order, parents before children; 0 <= index < num_bodies().
  [[nodiscard]] const Body& body(BodyIndex index) const noexcept {
    return bodies_[static_cast<std::size_t>(index)];
  }
  /// Whether body 0 moves freely in the world.
  [[nodiscard]] bool floats() const noexcept {
    return !bodies_.empty() && bodies_.front().joint.type == JointType::kFloating;
  }
  /// 0 <= dof < num_v().
  [[nodiscard]] const DofLimits& limits(int dof) const noexcept {
    return limits_[static_cast<std::size_t>(dof)];
  }
  /// Inertia of the motor's rotor seen at the joint (kg m^2; kg), one per degree of freedom.
  [[nodiscard]] const JointVector& rotor_inertia() const noexcept { return rotor_inertia_; }
  [[nodiscard]] const std::vector<Frame>& frames() const noexcept { return frames_; }
  /// Loop joints, in the order in which they were added.
  [[nodiscard]] const std::vector<Loop>& loops() const noexcept { return loops_; }
  /// Sum of the loops' num_constraints.
  [[nodiscard]] int num_loop_constraints() const noexcept { return num_loop_constraints_; }
  /// Where in q each quaternion starts.
  [[nodiscard]] const std::vector<int>& quaternions() const noexcept { return quaternions_; }
  /// Gravity in W (m/s^2).
  [[nodiscard]] const Vec3& gravity() const noexcept { return gravity_; }
  /// kg.
  [[nodiscard]] double total_mass() const noexcept;
  /// Index of a body by its name or its joint's name, -1 when there is none. Set-up only.
  [[nodiscard]] BodyIndex find_body(std::string_view name) const noexcept;
  [[nodiscard]] BodyIndex find_joint(std::string_view joint_name) const noexcept;
  /// A frame by name, or a body's own frame under the body's name. Throws ModelError when unknown.
  [[nodiscard]] Frame frame(std::string_view name) const;

 private:
  friend class ModelBuilder;

  std::vector<Body> bodies_;
  std::vector<Frame> frames_;
  std::vector<DofLimits> limits_;
  std::vector<Loop> loops_;
  std::vector<int> quaternions_;
  JointVector rotor_inertia_;
  Vec3 gravity_ = Vec3(0.0, 0.0, -9.81);
  int num_q_ = 0;
  int num_v_ = 0;
  int num_loop_constraints_ = 0;
};

}  // namespace kagami::models
