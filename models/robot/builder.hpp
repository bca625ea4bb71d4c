/// Adds bodies one by one, checks each, and freezes them into a Model.
#pragma once

#include <string>

#include "models/robot/model.hpp"

namespace kagami::models {

/// Mass (kg), mass centre p_BoBcm (m) and inertia about it (kg m^2), both in B.
struct MassProperties {
  double mass = 0.0;
  Vec3 com = Vec3::Zero();
  Mat3 I_com = Mat3::Zero();
};

/// Set-up only. Every call throws ModelError that names the body or joint, the value and what was
/// expected.
class ModelBuilder {
 public:
  ModelBuilder() = default;
  /// Goes on from a finished model.
  explicit ModelBuilder(const Model& model);
  /// Adds body `name` on `parent` (kWorld or an index returned earlier); a floating joint must hang
  /// from the world. A body behind a moving joint needs mass. Returns its index.
  BodyIndex add_body(const std::string& name, BodyIndex parent, const std::string& joint_name,
                     const Joint& joint, const Pose& X_PJ, const MassProperties& mass);
  /// Welds a piece with this mass to a body; mass centre and inertia in the body's frame.
  void weld_mass(BodyIndex body, const MassProperties& mass);
  /// Multiplies mass and inertia of a body by a factor > 0; its mass centre stays.
  void scale_mass(BodyIndex body, double factor);
  /// Limits of a one-degree-of-freedom joint.
  void set_limits(BodyIndex body, const DofLimits& limits);
  /// Rotor inertia (kg m^2; kg at a prismatic joint; >= 0) of a one-degree-of-freedom joint.
  void set_rotor_inertia(BodyIndex body, double inertia);
  /// Closes a loop with `joint` between frame L of body a and frame J of body b (kWorld or an index
  /// returned earlier). Refused: body a that is the world, one body with itself, bodies that cannot
  /// move against each other, a floating joint (which closes nothing). Whether the loop can be
  /// closed, and how many of its equations are independent, depends on q and is not checked here.
  void add_loop(const std::string& name, BodyIndex body_a, const Pose& X_AL, BodyIndex body_b,
                const Pose& X_BJ, const Joint& joint);
  /// A named frame on a body.
  void add_frame(const std::string& name, BodyIndex body, const Pose& X_BF);
  /// m/s^2 in W.
  void set_gravity(const Vec3& gravity);
  /// Index of the body behind a joint, -1 when there is none.
  [[nodiscard]] BodyIndex find_joint(const std::string& joint_name) const noexcept {
    return model_.find_joint(joint_name);
  }
  /// The model; the builder is empty afterwards. Refuses a model without bodies.
  Model build();

 private:
  Body& body_at(BodyIndex index);
  [[nodiscard]] bool move_against_each_other(BodyIndex a, BodyIndex b) const noexcept;
  void check_name(const std::string& name) const;

  Model model_;
  JointVector rotor_ = JointVector::Zero(kMaxDofs);
};

}  // namespace kagami::models
