/// What is kept of a world's contacts from step to step.
#pragma once

#include <span>
#include <vector>

#include "models/contact/world/world_system.hpp"

namespace kagami::models {

/// By the contacts' ids; all lists are in their order. Memory is taken at construction; all else is
/// cycle code.
class ContactMemory {
 public:
  explicit ContactMemory(int capacity);

  /// Sets before, impulse_before and offset of the contacts that are remembered, but for those of
  /// sleepers.
  void recall(std::span<const WorldSystem> systems,
              std::span<WorldContact> contacts) const noexcept;
  /// Replaces what was remembered; of the contacts of sleepers that stays.
  void remember(std::span<const WorldSystem> systems,
                std::span<const WorldContact> contacts) noexcept;
  void clear() noexcept { entries_.clear(); }

 private:
  struct Entry {
    std::uint64_t id = 0;
    ContactMotion motion = ContactMotion::kNew;
    Vec3 reference = Vec3::Zero();  // p_n of [Wakisaka 2013], in W, or in a body b that moves
    Vec3 own = Vec3::Zero();        // with such a b: the point, in body a
    Vec3 local = Vec3::Zero();      // N s
  };

  std::vector<Entry> entries_;
  std::vector<Entry> next_;  // scratch
};

}  // namespace kagami::models
