/// From bodies with shapes to the impulses of their overlaps: broad phase, narrow phase, patches,
/// memory from step to step, the volumetric method.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/contact/detect/sweep.hpp"
#include "models/contact/response/contact_bodies.hpp"
#include "models/contact/scene/scene.hpp"
#include "models/contact/volume/method_volumetric.hpp"

namespace kagami::models {

/// A convex shape on a touching body of a system.
struct VolumetricShape {
  int system = 0;
  int body = 0;  ///< among the system's touching bodies
  ConvexMesh mesh;
  Surface surface;
  int parent = -1;  ///< touching body that a joint ties this one to; -1: none that touches
  bool self_collision = true;  ///< of the system: its shapes may meet each other
};

/// What can happen at once.
struct VolumetricCapacity {
  int pairs = 1024;   ///< of bounds that overlap
  int patches = 512;  ///< of shapes that do
};

/// Of the last step.
struct VolumetricReport {
  ContactStatus status = ContactStatus::kOk;
  bool overflowed = false;  ///< patches were left out, the shallowest first
  int pairs = 0;            ///< whose bounds overlap
  SolveReport solve;
  double work = 0.0;  ///< J: impulses times the mean of the velocities without and with them
};

/// Borrows the systems' ContactBodies; they must outlive it. One thread.
class VolumetricContacts {
 public:
  /// Shapes of one body never meet, nor do those of two bodies that a joint ties, nor two of one
  /// system that overlap as the systems stand now (they must be begun). Throws ConfigError for a
  /// bad setting, capacity or surface, a shape on a body that does not exist.
  VolumetricContacts(std::vector<ContactBodies*> systems, std::vector<VolumetricShape> shapes,
                     std::vector<StaticShape> statics, const VolumetricSettings& settings,
                     const VolumetricCapacity& capacity = {});
  ~VolumetricContacts();
  VolumetricContacts(VolumetricContacts&&) noexcept;

  /// All systems that take part (active[i] != 0; empty: all) are begun for a step of h. Cycle code.
  void step(double h, std::span<const std::uint8_t> active = {}) noexcept;
  /// Impulses on the system's touching bodies, about its origin, axes of W: for finish(). Zero
  /// where the method gave no answer.
  [[nodiscard]] std::span<const Force> impulses(int system) const noexcept;
  /// In the order of their ids: first shape, second shape (statics after all others).
  [[nodiscard]] std::span<const ContactPatch> patches() const noexcept;
  [[nodiscard]] std::span<const PatchForce> forces() const noexcept;
  [[nodiscard]] const VolumetricReport& report() const noexcept;
  /// From now on the system is this one: the same touching bodies, other masses. Cycle code.
  void replace(int system, ContactBodies& bodies) noexcept;
  /// A new surface for a shape (those of all systems, then the static ones). Cycle code.
  void change_surface(int shape, const Surface& surface) noexcept;
  /// Drops what patches remember. Cycle code.
  void forget() noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kagami::models
