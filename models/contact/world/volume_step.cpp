#include "models/contact/world/volume_step.hpp"

#include <algorithm>

#include "models/base/idx.hpp"

namespace kagami::models {
namespace {

VolumetricContacts make_contacts(std::span<const WorldSystem> systems,
                                 std::span<const StaticShape> statics,
                                 const VolumetricSettings& settings,
                                 const ContactCapacity& capacity) {
  std::vector<ContactBodies*> borrowed;
  std::vector<VolumetricShape> shapes;
  for (const WorldSystem& s : systems) {
    for (const SystemShape& shape : s.shapes) {
      shapes.push_back({.system = static_cast<int>(borrowed.size()),
                        .body = shape.body,
                        .mesh = shape.mesh,
                        .surface = shape.surface,
                        .parent = shape.parent,
                        .self_collision = s.self_collision});
    }
    borrowed.push_back(s.bodies);
  }
  const VolumetricCapacity limits{.pairs = 4 * capacity.points, .patches = capacity.points};
  return {borrowed, shapes, {statics.begin(), statics.end()}, settings, limits};
}

}  // namespace

VolumeStep::VolumeStep(std::span<const WorldSystem> systems, std::span<const StaticShape> statics,
                       const VolumetricSettings& settings, const ContactCapacity& capacity)
    : contacts_(make_contacts(systems, statics, settings, capacity)), active_(systems.size(), 1) {
  for (std::size_t i = 0; i < systems.size(); ++i) {
    system_of_.insert(system_of_.end(), systems[i].touching.size(), static_cast<int>(i));
  }
  kept_.reserve(idx(capacity.points));
}

void VolumeStep::step(std::span<WorldSystem> systems, double h) noexcept {
  for (std::size_t i = 0; i < systems.size(); ++i) active_[i] = systems[i].moves() ? 1 : 0;
  std::erase_if(kept_, [&](const WorldPatch& p) { return !systems[idx(p.system)].asleep; });
  contacts_.step(h, active_);
  for (std::size_t i = 0; i < systems.size(); ++i) {
    WorldSystem& s = systems[i];
    if (!s.moves()) continue;
    if (!answered(contacts_.report().status)) s.status = SystemStatus::kSolver;
    const std::span<const Force> P = contacts_.impulses(static_cast<int>(i));
    std::copy(P.begin(), P.end(), s.impulse.begin());
  }
}

void VolumeStep::keep_patches(std::span<const WorldSystem> systems) noexcept {
  const int count = static_cast<int>(contacts_.patches().size());
  for (std::size_t s = 0; s < systems.size(); ++s) {
    if (!systems[s].asleep || !systems[s].begun) continue;
    for (int i = 0; i < count && kept_.size() < kept_.capacity(); ++i) {
      if (idx(system_of_[idx(contacts_.patches()[idx(i)].a)]) != s) continue;
      kept_.push_back(patch(i));
      kept_.back().force.velocity.setZero();
    }
  }
}

WorldPatch VolumeStep::patch(int i) const noexcept {
  const std::size_t own = contacts_.patches().size();
  if (idx(i) >= own) return kept_[idx(i) - own];
  const ContactPatch& p = contacts_.patches()[idx(i)];
  return {.patch = p,
          .force = contacts_.forces()[idx(i)],
          .system = system_of_[idx(p.a)],
          .other = p.b == kStaticBody ? kStaticBody : system_of_[idx(p.b)]};
}

}  // namespace kagami::models
