/// The step of a world under the volumetric method: what the world lends to VolumetricContacts and
/// takes back.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "models/contact/volume/volumetric_contacts.hpp"
#include "models/contact/world/islands.hpp"
#include "models/contact/world/world_system.hpp"

namespace kagami::models {

/// Borrows the systems' ContactBodies. Memory is taken at construction.
class VolumeStep {
 public:
  /// The systems are begun. Throws ConfigError as VolumetricContacts does. Set-up.
  VolumeStep(std::span<const WorldSystem> systems, std::span<const StaticShape> statics,
             const VolumetricSettings& settings, const ContactCapacity& capacity);

  /// Sets the impulses of the systems that move in a step of h (s); without an answer they are
  /// kSolver. Cycle code, as all below.
  void step(std::span<WorldSystem> systems, double h) noexcept;
  [[nodiscard]] const VolumetricReport& report() const noexcept { return contacts_.report(); }
  /// Keeps the patches of those that fell asleep in this step.
  void keep_patches(std::span<const WorldSystem> systems) noexcept;

  /// Of the last step, then those of sleepers.
  [[nodiscard]] int num_patches() const noexcept;
  [[nodiscard]] WorldPatch patch(int i) const noexcept;
  /// For what changes between steps: masses, surfaces, what patches remember.
  [[nodiscard]] VolumetricContacts& contacts() noexcept { return contacts_; }

 private:
  [[nodiscard]] WorldPatch patch_of_step(std::size_t i) const noexcept;

  VolumetricContacts contacts_;
  std::vector<std::uint8_t> active_;  // per system
  std::vector<int> system_of_;        // per touching body of all systems
  std::vector<WorldPatch> kept_;      // of sleepers
};

}  // namespace kagami::models
