#include "models/contact/world/islands.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kagami::models {

void SystemGroups::clear() noexcept {
  std::iota(joined_.begin(), joined_.end(), 0);
}

int SystemGroups::first_of(int system) noexcept {
  int root = system;
  while (joined_[idx(root)] != root) root = joined_[idx(root)];
  while (joined_[idx(system)] != root) system = std::exchange(joined_[idx(system)], root);
  return root;
}

void SystemGroups::join(int a, int b) noexcept {
  const auto [first, second] = std::minmax({first_of(a), first_of(b)});
  joined_[idx(second)] = first;
}

Islands::Islands(std::size_t systems, int max_contacts) : groups_(systems) {
  order_.reserve(idx(max_contacts));
  islands_.reserve(idx(max_contacts));
}

std::span<const Island> Islands::find(std::span<WorldSystem> systems,
                                      std::span<WorldContact> contacts) noexcept {
  groups_.clear();
  bool any = false;
  for (const WorldContact& c : contacts) {
    if (c.other != kNoStatic) continue;
    groups_.join(c.system, c.other_system);
    any = true;
  }
  order_.resize(contacts.size());
  std::iota(order_.begin(), order_.end(), 0);
  const auto first_of = [&](int i) { return groups_.first_of(contacts[idx(i)].system); };
  if (any) {
    std::sort(order_.begin(), order_.end(),
              [&](int i, int j) { return std::pair(first_of(i), i) < std::pair(first_of(j), j); });
  }
  islands_.clear();
  for (std::size_t begin = 0, end = 0; begin < order_.size(); begin = end) {
    const int first = first_of(order_[begin]);
    while (end < order_.size() && first_of(order_[end]) == first) ++end;
    if (systems[idx(first)].asleep) continue;
    islands_.push_back({systems, contacts, {order_.data() + begin, end - begin}});
  }
  return islands_;
}

}  // namespace kagami::models
