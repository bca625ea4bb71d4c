#include "models/contact/world/contact_memory.hpp"

#include <utility>

#include "models/base/idx.hpp"

namespace kagami::models {
namespace {

// a vertex at a static shape is followed in W, all else in both bodies
bool is_vertex_at_static(const WorldContact& c) noexcept {
  return c.other != kNoStatic && c.vertex >= 0;
}

bool holds(ContactMotion motion) noexcept {
  return motion == ContactMotion::kStick || motion == ContactMotion::kSettling;
}

// of the bodies a, b of a contact; what is static does not move
std::pair<Pose, Pose> poses_of(std::span<const WorldSystem> systems,
                               const WorldContact& c) noexcept {
  return {systems[idx(c.system)].pose(c.body),
          c.other != kNoStatic ? Pose{} : systems[idx(c.other_system)].pose(c.other_body)};
}

}  // namespace

ContactMemory::ContactMemory(int capacity) {
  entries_.reserve(idx(capacity));
  next_.reserve(idx(capacity));
}

void ContactMemory::recall(std::span<const WorldSystem> systems,
                           std::span<WorldContact> contacts) const noexcept {
  auto entry = entries_.begin();
  for (WorldContact& contact : contacts) {
    ContactPoint& p = contact.point;
    while (entry != entries_.end() && entry->id < p.id) ++entry;
    if (entry == entries_.end() || entry->id != p.id) continue;
    if (systems[idx(contact.system)].asleep) continue;
    p.before = entry->motion;
    p.impulse_before = entry->local;
    if (!holds(p.before)) continue;
    if (is_vertex_at_static(contact)) {
      p.offset = p.p - entry->reference;  // (15)
    } else {
      const auto [X_WA, X_WB] = poses_of(systems, contact);
      p.offset = X_WA * entry->own - X_WB * entry->reference;
    }
  }
}

void ContactMemory::remember(std::span<const WorldSystem> systems,
                             std::span<const WorldContact> contacts) noexcept {
  next_.clear();
  auto old = entries_.begin();
  for (const WorldContact& contact : contacts) {
    const ContactPoint& p = contact.point;
    if (systems[idx(contact.system)].asleep) {  // as it was
      while (old != entries_.end() && old->id < p.id) ++old;
      if (old != entries_.end() && old->id == p.id) next_.push_back(*old);
      continue;
    }
    Entry& e = next_.emplace_back();
    e.id = p.id;
    e.motion = contact.force.motion;
    e.local = contact.force.local;
    // a point that held before keeps its reference; one that starts to hold does so from here
    e.reference = holds(e.motion) ? Vec3(p.p - p.offset) : p.p;
    if (is_vertex_at_static(contact)) continue;
    const auto [X_WA, X_WB] = poses_of(systems, contact);
    e.own = inverse(X_WA) * p.p;
    e.reference = inverse(X_WB) * e.reference;
  }
  std::swap(entries_, next_);
}

}  // namespace kagami::models
