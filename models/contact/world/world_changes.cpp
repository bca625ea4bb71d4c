// What of a world changes between steps besides its states and drives: masses, friction.
#include <cmath>

#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "models/contact/world/world_impl.hpp"

namespace kagami::models {
namespace {

bool same_joints(const Model& a, const Model& b) {
  if (a.num_bodies() != b.num_bodies() || a.num_q() != b.num_q() || a.num_v() != b.num_v())
    return false;
  for (int i = 0; i < a.num_bodies(); ++i) {
    if (a.body(i).parent != b.body(i).parent || a.body(i).joint.type != b.body(i).joint.type)
      return false;
  }
  return true;
}

// a factor on contacts is its square on one of their two surfaces (pair_of: geometric mean)
Surface changed(const Surface& bare, const FrictionChange& change) noexcept {
  Surface s = bare;
  if (change.mu_static) {
    s.mu_static = *change.mu_static;
    s.mu_kinetic = change.mu_kinetic.value_or(*change.mu_static);
  }
  s.mu_static *= change.scale * change.scale;
  s.mu_kinetic *= change.scale * change.scale;
  return s;
}

}  // namespace

int World::add_variant(int system, const Model& model) {
  Impl::System& s = impl_->systems[idx(system)];
  if (!same_joints(s.model, model)) {
    throw ModelError("scene: " + s.name + ": a variant has other joints, expected the same");
  }
  s.variants.push_back(std::make_unique<Impl::Variant>());
  Impl::Variant& v = *s.variants.back();
  v.model = model;
  v.bodies = make_contact_bodies(v.model, s.touching, s.dynamics);
  return static_cast<int>(s.variants.size());
}

void World::use_variant(int system, int variant) noexcept {
  Impl::System& s = impl_->systems[idx(system)];
  if (variant < 0 || variant > static_cast<int>(s.variants.size()) || variant == s.variant) return;
  s.variant = variant;
  s.bodies = variant == 0 ? s.own_bodies.get() : s.variants[idx(variant - 1)]->bodies.get();
  if (impl_->volume != nullptr) impl_->volume->replace(system, *s.bodies);
  impl_->wake(Impl::kEverybody);
}

int World::variant(int system) const noexcept {
  return impl_->systems[idx(system)].variant;
}

void World::change_static_friction(int static_shape, const FrictionChange& change) noexcept {
  Impl& w = *impl_;
  StaticShape& s = w.statics[idx(static_shape)];
  s.surface = changed(w.bare_statics[idx(static_shape)], change);
  w.wake(Impl::kEverybody);
  if (w.volume == nullptr) return;
  int moving = 0;
  for (const Impl::System& system : w.systems) moving += static_cast<int>(system.shapes.size());
  w.volume->change_surface(moving + static_shape, s.surface);
}

void World::change_friction(int system, const FrictionChange& change) noexcept {
  Impl& w = *impl_;
  w.wake(Impl::kEverybody);
  int first = 0;
  for (int i = 0; i < system; ++i) first += static_cast<int>(w.systems[idx(i)].shapes.size());
  for (Impl::Shape& shape : w.systems[idx(system)].shapes) {
    shape.surface = changed(shape.bare, change);
    if (w.volume != nullptr) w.volume->change_surface(first, shape.surface);
    ++first;
  }
}

}  // namespace kagami::models
