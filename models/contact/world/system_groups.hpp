/// Systems that hang together, each group known by its first system.
#pragma once

#include <algorithm>
#include <vector>

#include "models/base/idx.hpp"

namespace kagami::models {

/// A forest over the systems: the trees' roots are their first systems. Cycle code.
class SystemGroups {
 public:
  explicit SystemGroups(std::size_t systems) : joined_(systems) {}

  /// Every system alone.
  void clear() noexcept {
    for (std::size_t s = 0; s < joined_.size(); ++s) joined_[s] = static_cast<int>(s);
  }

  /// First of the system's group.
  [[nodiscard]] int first_of(int system) noexcept {
    int root = system;
    while (joined_[idx(root)] != root) root = joined_[idx(root)];
    while (joined_[idx(system)] != root) {
      const int next = joined_[idx(system)];
      joined_[idx(system)] = root;
      system = next;
    }
    return root;
  }

  void join(int a, int b) noexcept {
    const int first_a = first_of(a);
    const int first_b = first_of(b);
    joined_[idx(std::max(first_a, first_b))] = std::min(first_a, first_b);
  }

 private:
  std::vector<int> joined_;  // per system: one of its group, towards the first
};

}  // namespace kagami::models
