/// A system of a world: its state and drive, its shapes, and what a step makes of them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/base/disturbance.hpp"
#include "models/base/idx.hpp"
#include "models/contact/detect/edges.hpp"
#include "models/contact/detect/neighbours.hpp"
#include "models/contact/detect/vertices.hpp"
#include "models/contact/response/contact_bodies.hpp"
#include "models/contact/scene/scene.hpp"
#include "models/contact/world/world_report.hpp"

namespace kagami::models {

/// A shape on a touching body.
struct SystemShape {
  int body = 0;     ///< touching body
  int parent = -1;  ///< touching body that a joint ties it to
  ConvexMesh mesh;
  Surface surface;                ///< as it is now
  Surface bare;                   ///< as it was made
  std::vector<FaceFrame> frames;  ///< of its faces, in the body
  std::vector<MeshEdge> edges;    ///< in the body
  LocalBox box;
  double way = 0.0;  ///< m: the farthest that a point of it may move in two steps
};

/// The masses of a system, and what contact knows of it with them.
struct SystemVariant {
  Model model;
  std::unique_ptr<ContactBodies> bodies;  ///< borrows `model`
};

/// All parts of a step read it; `impulse`, `status`, `asleep` and `begun` are what they leave
/// there.
struct WorldSystem {
  std::string name;
  State state;
  Drive drive;
  JointVector vdot;
  std::vector<std::unique_ptr<SystemVariant>> variants;  ///< the first: as it was made
  int variant = 0;                                       ///< in use
  ContactBodies* bodies = nullptr;                       ///< of the variant in use
  std::vector<BodyIndex> touching;
  std::vector<SystemShape> shapes;
  bool self_collision = true;
  DynamicsChoice dynamics;
  std::vector<Force> impulse;  ///< of this step, per touching body, about bodies->origin()
  SystemStatus status = SystemStatus::kOk;
  bool asleep = false;
  bool begun = false;  ///< in this step

  /// Of the variant in use.
  [[nodiscard]] const Model& model() const noexcept { return variants[idx(variant)]->model; }
  [[nodiscard]] const Pose& pose(int body) const noexcept { return bodies->X_WB[idx(body)]; }
  /// Takes part in this step.
  [[nodiscard]] bool moves() const noexcept { return status == SystemStatus::kOk && !asleep; }
};

/// Throws ModelError for a shape on a body that does not exist. Set-up.
WorldSystem make_system(const SceneSystem& from);
/// Returns the number of the new variant. Throws ModelError for other joints. Set-up.
int add_variant(WorldSystem& system, const Model& model);
/// 0 <= variant < variants.size(). Cycle code.
void use_variant(WorldSystem& system, int variant) noexcept;
/// Poses, free velocities and ways for a step of h (s), no impulses. False, and kNotFinite, when
/// the state, the drive or an acceleration is not finite. Cycle code.
bool begin_step(WorldSystem& system, double h) noexcept;

/// A surface after a change of its friction. A factor on contacts is its square here, on one of
/// their two surfaces (pair_of: geometric mean).
Surface changed(const Surface& bare, const FrictionChange& change) noexcept;

/// Adds a contact's impulse, times `sign`, to both of its systems. Cycle code.
void add_impulse(std::span<WorldSystem> systems, const WorldContact& contact, double sign) noexcept;

}  // namespace kagami::models
