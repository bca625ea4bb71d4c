#include "models/contact/world/contact_memory.hpp"

#include <utility>

#include "models/base/idx.hpp"

namespace kagami::models {
namespace {

// a vertex at a static shape is followed in W, all else in both bodies
bool is_vertex_at_static(const WorldContact& c) noexcept {
  return c.other != kNoStatic && c.vertex >= 0;
}

Pose pose_of(std::span<const WorldSystem> systems, const WorldContact& c) noexcept {
  return systems[idx(c.system)].pose(c.body);
}

// of the other side: what is static does not move
Pose pose_of_other(std::span<const WorldSystem> systems, const WorldContact& c) noexcept {
  return c.other != kNoStatic ? Pose{} : systems[idx(c.other_system)].pose(c.other_body);
}

bool holds(ContactMotion motion) noexcept {
  return motion == ContactMotion::kStick || motion == ContactMotion::kSettling;
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
      p.offset = pose_of(systems, contact) * entry->own -
                 pose_of_other(systems, contact) * entry->reference;
    }
  }
}

ContactMemory::Entry ContactMemory::entry_of(std::span<const WorldSystem> systems,
                                             const WorldContact& contact) noexcept {
  const ContactPoint& p = contact.point;
  Entry e{.id = p.id,
          .motion = contact.force.motion,
          .reference = p.p,
          .own = Vec3::Zero(),
          .local = contact.force.local};
  // a point that held before keeps its reference; one that starts to hold does so from here
  if (holds(e.motion)) e.reference = p.p - p.offset;
  if (!is_vertex_at_static(contact)) {
    e.own = inverse(pose_of(systems, contact)) * p.p;
    e.reference = inverse(pose_of_other(systems, contact)) * e.reference;
  }
  return e;
}

void ContactMemory::remember(std::span<const WorldSystem> systems,
                             std::span<const WorldContact> contacts) noexcept {
  next_.clear();
  auto old = entries_.begin();
  for (const WorldContact& contact : contacts) {
    if (!systems[idx(contact.system)].asleep) {
      next_.push_back(entry_of(systems, contact));
      continue;
    }
    while (old != entries_.end() && old->id < contact.point.id) ++old;  // as it was
    if (old != entries_.end() && old->id == contact.point.id) next_.push_back(*old);
  }
  std::swap(entries_, next_);
}

}  // namespace kagami::models
