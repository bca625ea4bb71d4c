#include "models/contact/detect/sweep.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "models/base/idx.hpp"

namespace kagami::models {
namespace {

double start_of(const Bounds& b) noexcept {
  const bool finite = b.low.allFinite() && b.high.allFinite();
  return finite ? b.low.x() : std::numeric_limits<double>::infinity();
}

double overlap_of(const Bounds& b, const Bounds& c) noexcept {
  return (b.high.cwiseMin(c.high) - b.low.cwiseMax(c.low)).minCoeff();
}

// a total order, so that what stays does not depend on the order of finding
bool deeper(const BoundsPair& p, const BoundsPair& q) noexcept {
  if (p.overlap != q.overlap) return p.overlap > q.overlap;
  return p.a < q.a || (p.a == q.a && p.b < q.b);
}

}  // namespace

SweepAndPrune::SweepAndPrune(int boxes, int pairs) : order_(idx(boxes)), start_(idx(boxes)) {
  std::iota(order_.begin(), order_.end(), 0);
  pairs_.reserve(idx(pairs));
}

// room for a pair: the free one, else the shallowest's; `all` ends with the first that goes without
void SweepAndPrune::keep(const BoundsPair& pair, bool& all) noexcept {
  if (pairs_.size() < pairs_.capacity()) {
    pairs_.push_back(pair);
    return;
  }
  if (all) std::make_heap(pairs_.begin(), pairs_.end(), deeper);  // the shallowest in front
  all = false;
  if (!deeper(pair, pairs_.front())) return;
  std::pop_heap(pairs_.begin(), pairs_.end(), deeper);
  pairs_.back() = pair;
  std::push_heap(pairs_.begin(), pairs_.end(), deeper);
}

bool SweepAndPrune::find(std::span<const Bounds> boxes) noexcept {
  pairs_.clear();
  const std::size_t count = std::min(boxes.size(), order_.size());
  for (std::size_t i = 0; i < count; ++i) start_[i] = start_of(boxes[i]);
  const auto earlier = [&](int a, int b) {
    const double x = start_[idx(a)];
    const double y = start_[idx(b)];
    return x < y || (x == y && a < b);
  };
  for (std::size_t i = 1; i < count; ++i) {
    const int box = order_[i];
    std::size_t k = i;
    for (; k > 0 && earlier(box, order_[k - 1]); --k) order_[k] = order_[k - 1];
    order_[k] = box;
  }
  bool all = true;
  for (std::size_t i = 0; i < count; ++i) {
    const Bounds& b = boxes[idx(order_[i])];
    if (start_[idx(order_[i])] == std::numeric_limits<double>::infinity()) break;
    for (std::size_t k = i + 1; k < count; ++k) {
      const Bounds& c = boxes[idx(order_[k])];
      if (start_[idx(order_[k])] > b.high.x()) break;
      if (c.low.y() > b.high.y() || b.low.y() > c.high.y()) continue;
      if (c.low.z() > b.high.z() || b.low.z() > c.high.z()) continue;
      keep({std::min(order_[i], order_[k]), std::max(order_[i], order_[k]), overlap_of(b, c)}, all);
    }
  }
  std::sort(pairs_.begin(), pairs_.end(), [](const BoundsPair& p, const BoundsPair& q) {
    return p.a < q.a || (p.a == q.a && p.b < q.b);
  });
  return all;
}

}  // namespace kagami::models
