/// Islands of a world: systems that touch each other, directly or over others.
#pragma once

#include <span>
#include <vector>

#include "models/base/idx.hpp"
#include "models/contact/world/world_system.hpp"

namespace kagami::models {

/// Systems that hang together, each group known by its first system. A forest: the trees' roots are
/// the first systems. Cycle code.
class SystemGroups {
 public:
  explicit SystemGroups(std::size_t systems) : joined_(systems) {}

  /// Every system alone.
  void clear() noexcept;
  /// First of the system's group.
  [[nodiscard]] int first_of(int system) noexcept;
  void join(int a, int b) noexcept;

 private:
  std::vector<int> joined_;  // per system: one of its group, towards the first
};

/// Contacts that depend on each other, or a part of them.
struct Island {
  std::span<WorldSystem> systems;    ///< all of the world
  std::span<WorldContact> contacts;  ///< all of the world
  std::span<const int> indices;      ///< of the island's contacts

  [[nodiscard]] WorldContact& contact(int index) const noexcept { return contacts[idx(index)]; }
};

/// Memory is taken at construction; all else is cycle code.
class Islands {
 public:
  Islands(std::size_t systems, int max_contacts);

  /// Of the systems that are awake, ordered by their first systems; the contacts of each keep their
  /// order. Valid until the next call.
  std::span<const Island> find(std::span<WorldSystem> systems,
                               std::span<WorldContact> contacts) noexcept;

 private:
  SystemGroups groups_;
  std::vector<int> order_;  // contacts, island after island
  std::vector<Island> islands_;
};

}  // namespace kagami::models
