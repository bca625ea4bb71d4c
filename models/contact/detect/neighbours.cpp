#include "models/contact/detect/neighbours.hpp"

#include "models/base/idx.hpp"
#include "models/contact/shape/clip.hpp"

namespace kagami::models {
LocalBox box_of(const ConvexMesh& mesh) {
  Vec3 low = mesh.vertices().front();
  Vec3 high = low;
  for (const Vec3& v : mesh.vertices()) {
    low = low.cwiseMin(v);
    high = high.cwiseMax(v);
  }
  return {.centre = 0.5 * (low + high), .half = 0.5 * (high - low)};
}

Bounds bounds_of(const LocalBox& box, const Pose& X_WB, double margin) noexcept {
  const Vec3 centre = X_WB * box.centre;
  const Vec3 half = X_WB.R.cwiseAbs() * box.half + Vec3::Constant(margin);
  return {.low = centre - half, .high = centre + half};
}

Neighbours::Neighbours(const std::vector<PlacedShape>& shapes) : row_(shapes.size()) {
  Clipper clipper;
  const int count = static_cast<int>(shapes.size());
  for (const PlacedShape& s : shapes) system_.push_back(s.system);
  for (int a = 0; a < count; ++a) {
    const PlacedShape& s = shapes[idx(a)];
    for (int b = a + 1; b < count; ++b) {
      const PlacedShape& t = shapes[idx(b)];
      if (s.system != t.system) {
        any_pair_ = true;
        continue;
      }
      const Pose X_AB = inverse(s.X_WB) * t.X_WB;
      const bool never = !s.self_collision || s.body == t.body || s.parent == t.body ||
                         t.parent == s.body ||
                         intersect(*s.mesh, *t.mesh, X_AB, clipper) == ClipStatus::kOk;
      any_pair_ |= !never;
      row_[idx(a)].resize(idx(b - a) + 1, 0);
      row_[idx(a)][idx(b - a)] = never ? 1 : 0;
    }
  }
}

bool Neighbours::never_meet(int a, int b) const noexcept {
  if (system_[idx(a)] != system_[idx(b)]) return false;
  if (a == b) return true;
  const int first = a < b ? a : b;
  const int gap = a < b ? b - a : a - b;
  return row_[idx(first)][idx(gap)] != 0;
}

}  // namespace kagami::models
