// Vertices that would pass through a half-space within the step: the step ends where they meet it.
// A corner at height g may come nearer by g / h and no faster; that is the load's cost s_l in the
// cone, so that it carries only when it gets there.
#include <Eigen/Geometry>
#include <algorithm>

#include "models/base/idx.hpp"
#include "models/contact/volume/volumetric_impl.hpp"

namespace kagami::models {
namespace {

// the lowest vertices, by height
struct Lowest {
  struct Vertex {
    double gap = 0.0;
    Vec3 p = Vec3::Zero();  // p_WQ
  };
  std::array<Vertex, kMaxOutline> vertex;
  int count = 0;

  void add(double gap, const Vec3& p, int room) noexcept {
    int i = count < room ? count++ : room;
    if (i == room && (room == 0 || vertex[idx(--i)].gap <= gap)) return;
    for (; i > 0 && vertex[idx(i - 1)].gap > gap; --i) vertex[idx(i)] = vertex[idx(i - 1)];
    vertex[idx(i)] = {gap, p};
  }
};

}  // namespace

// m, at most, in two steps: contact may turn a body faster than it would move without
double VolumetricContacts::Impl::way_of(int shape) const noexcept {
  if (!looks_ahead) return 0.0;
  const VolumetricShape& s = shapes[idx(shape)];
  const ContactBodies& from = *systems[idx(s.system)];
  const Motion& V = from.V_free[idx(s.body)];
  const Vec3 w = V.angular();
  const Vec3 v = V.linear() + w.cross(from.X_WB[idx(s.body)].p - from.origin());
  return 2.0 * h * (v.norm() + s.mesh.reach() * w.norm());
}

// Adds to a patch (or makes one of) the vertices ahead. False when there is none: of a body that
// does not touch yet, when no vertex would get there; what bounces does so where it has met.
bool VolumetricContacts::Impl::look_ahead(int shape, const StaticShape& plane, double restitution,
                                          ContactPatch& out) const noexcept {
  if (!looks_ahead) return false;
  const double way = way_of(shape);
  const VolumetricShape& s = shapes[idx(shape)];
  const ContactBodies& from = *systems[idx(s.system)];
  const Pose& X = pose_of(shape);
  const Motion& V = from.V_free[idx(s.body)];
  Patch& patch = out.patch;
  const int touching = patch.outline_count;
  Lowest lowest;
  bool meets = false;
  double fastest = 0.0;
  for (const Vec3& vertex : s.mesh.vertices()) {
    const Vec3 p = X * vertex;
    const double gap = plane.n.dot(p) - plane.offset;
    if (gap > way || (touching > 0 && gap <= skin)) continue;
    const Vec3 v = V.linear() + V.angular().cross(p - from.origin());
    const double approach = -plane.n.dot(v);
    meets = meets || gap < h * approach;
    if (gap < h * approach) fastest = std::max(fastest, approach);
    lowest.add(std::max(gap, 0.0), p, kMaxOutline - touching);
  }
  if (lowest.count == 0 || (touching == 0 && !meets)) return false;
  if (touching == 0) {
    if (restitution > 0.0 && fastest > restitution_speed) return false;
    patch.n = plane.n;
    complete_frame(patch.n, patch.t1, patch.t2);
    Vec3 mean = Vec3::Zero();
    for (int i = 0; i < lowest.count; ++i) mean += lowest.vertex[idx(i)].p;
    mean /= lowest.count;
    patch.centroid = mean + plane.n * plane.n.dot(lowest.vertex[0].p - mean);
  }
  for (int i = 0; i < lowest.count; ++i) {
    const Vec3 r = lowest.vertex[idx(i)].p - patch.centroid;
    out.gap[idx(patch.outline_count)] = lowest.vertex[idx(i)].gap;
    patch.outline[idx(patch.outline_count++)] = r - patch.n * patch.n.dot(r);
  }
  out.ahead = lowest.count;
  return true;
}

}  // namespace kagami::models
