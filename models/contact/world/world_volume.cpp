// A world under the volumetric method: what it lends to VolumetricContacts and takes back.
#include "models/contact/world/world_impl.hpp"

namespace kagami::models {

void World::Impl::make_volume(const ContactSettings& settings) {
  std::vector<ContactBodies*> borrowed;
  std::vector<VolumetricShape> shapes;
  for (int i = 0; i < static_cast<int>(systems.size()); ++i) {
    System& s = systems[static_cast<std::size_t>(i)];
    borrowed.push_back(s.bodies);
    for (const Shape& shape : s.shapes) {
      shapes.push_back({.system = i,
                        .body = shape.body,
                        .mesh = shape.mesh,
                        .surface = shape.surface,
                        .parent = shape.parent,
                        .self_collision = s.self_collision});
    }
    for (int k = 0; k < s.bodies->count(); ++k) system_of.push_back(i);
  }
  active.resize(systems.size(), 1);
  kept_patches.reserve(static_cast<std::size_t>(capacity.points));
  skin = settings.volumetric.skin;
  const VolumetricCapacity limits{.pairs = 4 * capacity.points, .patches = capacity.points};
  volume =
      std::make_unique<VolumetricContacts>(borrowed, shapes, statics, settings.volumetric, limits);
}

void World::Impl::solve_volume(double h) noexcept {
  for (std::size_t i = 0; i < systems.size(); ++i) {
    active[i] = systems[i].status == SystemStatus::kOk && !systems[i].asleep ? 1 : 0;
  }
  std::erase_if(kept_patches, [this](const WorldPatch& p) {
    return !systems[static_cast<std::size_t>(p.system)].asleep;
  });
  volume->step(h, active);
  const VolumetricReport& report = volume->report();
  counters.iterations += report.solve.iterations;
  contact_work = report.work;
  overflowed = report.overflowed;
  if (report.overflowed) {
    ++counters.overflowed;
    worsen(WorldStatus::kCapacity);
  }
  if (report.status == ContactStatus::kNotConverged) {
    ++counters.not_converged;
    worsen(WorldStatus::kNotConverged);
  }
  const bool failed =
      report.status == ContactStatus::kCapacity || report.status == ContactStatus::kNotFinite;
  if (failed) {
    ++counters.failed;
    worsen(WorldStatus::kSolver);
  }
  for (int i = 0; i < static_cast<int>(systems.size()); ++i) {
    System& s = systems[static_cast<std::size_t>(i)];
    if (s.status != SystemStatus::kOk || s.asleep) continue;
    if (failed) s.status = SystemStatus::kSolver;
    const std::span<const Force> P = volume->impulses(i);
    std::copy(P.begin(), P.end(), s.impulse.begin());
  }
}

WorldPatch World::Impl::patch_of_step(int i) const noexcept {
  const auto k = static_cast<std::size_t>(i);
  WorldPatch out{.patch = volume->patches()[k],
                 .force = volume->forces()[k],
                 .system = 0,
                 .other = kStaticBody};
  out.system = system_of[static_cast<std::size_t>(out.patch.a)];
  if (out.patch.b != kStaticBody) out.other = system_of[static_cast<std::size_t>(out.patch.b)];
  return out;
}

int World::num_patches() const noexcept {
  if (impl_->volume == nullptr) return 0;
  return static_cast<int>(impl_->patches_of_step() + impl_->kept_patches.size());
}

WorldPatch World::patch(int i) const noexcept {
  const auto k = static_cast<std::size_t>(i);
  const std::size_t own = impl_->patches_of_step();
  return k < own ? impl_->patch_of_step(i) : impl_->kept_patches[k - own];
}

}  // namespace kagami::models
