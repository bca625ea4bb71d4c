#include "models/contact/world/islands.hpp"

#include <algorithm>

#include "models/base/idx.hpp"

namespace kagami::models {

Islands::Islands(std::size_t systems, int max_contacts) : groups_(systems) {
  order_.reserve(idx(max_contacts));
  islands_.reserve(idx(max_contacts));
}

// contacts in the order of their islands
void Islands::sort(std::span<const WorldContact> contacts) noexcept {
  groups_.clear();
  order_.clear();
  bool any = false;
  for (int i = 0; i < static_cast<int>(contacts.size()); ++i) {
    order_.push_back(i);
    const WorldContact& c = contacts[idx(i)];
    if (c.other != kNoStatic) continue;
    groups_.join(c.system, c.other_system);
    any = true;
  }
  if (!any) return;
  std::sort(order_.begin(), order_.end(), [&](int i, int j) {
    const int a = groups_.first_of(contacts[idx(i)].system);
    const int b = groups_.first_of(contacts[idx(j)].system);
    return a < b || (a == b && i < j);
  });
}

std::span<const Island> Islands::find(std::span<WorldSystem> systems,
                                      std::span<WorldContact> contacts) noexcept {
  sort(contacts);
  islands_.clear();
  const auto first_of = [&](std::size_t k) {
    return groups_.first_of(contacts[idx(order_[k])].system);
  };
  std::size_t begin = 0;
  while (begin < order_.size()) {
    const int first = first_of(begin);
    std::size_t end = begin;
    while (end < order_.size() && first_of(end) == first) ++end;
    if (!systems[idx(first)].asleep) {
      islands_.push_back({systems, contacts, {order_.data() + begin, end - begin}});
    }
    begin = end;
  }
  return islands_;
}

}  // namespace kagami::models
