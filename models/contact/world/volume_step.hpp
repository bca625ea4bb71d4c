/// The step of a world under the volumetric method: what the world lends to VolumetricContacts and
/// takes back.
#pragma once

#include <span>
#include <vector>

#include "models/contact/volume/volumetric_contacts.hpp"
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
  /// Keeps the patches of those that fell asleep in this step.
  void keep_patches(std::span<const WorldSystem> systems) noexcept;

  /// Of the last step, then those of sleepers.
  [[nodiscard]] int num_patches() const noexcept {
    return static_cast<int>(contacts_.patches().size() + kept_.size());
  }
  [[nodiscard]] WorldPatch patch(int i) const noexcept;
  /// For its report, and what changes between steps: masses, surfaces, what patches remember.
  [[nodiscard]] VolumetricContacts& contacts() noexcept { return contacts_; }

 private:
  VolumetricContacts contacts_;
  std::vector<std::uint8_t> active_;  // per system
  std::vector<int> system_of_;        // per touching body of all systems
  std::vector<WorldPatch> kept_;      // of sleepers
};

}  // namespace kagami::models
