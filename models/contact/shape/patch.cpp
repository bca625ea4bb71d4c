// [Zhang 2018] with the corrections of docs/math/volumetric_contact.md; symbols as there:
//   nu = norm(sum_B S n - sum_A S n)                  (1), printed with the opposite sign
//   J  = [1, -r x]                                    (6)
//   Q  = integral of J' J dS                          (8)
//   C  = integral of h J dS                           (9), h >= 0 on both sides of the plane
// With r from the centroid all of it follows from S, the integrals of r and r r', and those of h
// and h r. Over a triangle a, b, c with s = a + b + c: integral of r = S s/3, of r r' =
// S (s s' + a a' + b b' + c c')/12; exact, since both are polynomials.
#include "models/contact/shape/patch.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "models/base/idx.hpp"
#include "models/contact/shape/outline.hpp"
#include "models/spatial/vectors.hpp"

namespace kagami::models {
namespace {

constexpr double kNoNormal = 1e-9;  // of the surface: faces of both sides cancel, A lies inside B
constexpr int kMaxSplit = 2 * kMaxMeshFaces + 4;  // corners of one face, two more where it is split

// integrals of 1, r and r r' over flat, convex polygons
struct AreaMoments {
  double area = 0.0;
  Vec3 first = Vec3::Zero();
  double xx = 0.0, xy = 0.0, xz = 0.0, yy = 0.0, yz = 0.0, zz = 0.0;

  void add(const AreaMoments& m) noexcept {
    area += m.area;
    first += m.first;
    xx += m.xx;
    xy += m.xy;
    xz += m.xz;
    yy += m.yy;
    yz += m.yz;
    zz += m.zz;
  }
  [[nodiscard]] Vec3 second_times(const Vec3& n) const noexcept {
    return {xx * n.x() + xy * n.y() + xz * n.z(), xy * n.x() + yy * n.y() + yz * n.z(),
            xz * n.x() + yz * n.y() + zz * n.z()};
  }
  [[nodiscard]] Mat3 second() const noexcept {
    Mat3 m;
    m << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    return m;
  }
};

// of the polygon r with unit normal n
AreaMoments moments_of(const Vec3* r, int count, const Vec3& n) noexcept {
  AreaMoments m;
  const Vec3& a = r[0];
  for (int k = 2; k < count; ++k) {
    const Vec3& b = r[k - 1];
    const Vec3& c = r[k];
    const double S = 0.5 * n.dot((b - a).cross(c - a));
    const Vec3 s = a + b + c;
    const double w = S / 12.0;
    m.area += S;
    m.first += 4.0 * w * s;
    m.xx += w * (s[0] * s[0] + a[0] * a[0] + b[0] * b[0] + c[0] * c[0]);
    m.xy += w * (s[0] * s[1] + a[0] * a[1] + b[0] * b[1] + c[0] * c[1]);
    m.xz += w * (s[0] * s[2] + a[0] * a[2] + b[0] * b[2] + c[0] * c[2]);
    m.yy += w * (s[1] * s[1] + a[1] * a[1] + b[1] * b[1] + c[1] * c[1]);
    m.yz += w * (s[1] * s[2] + a[1] * a[2] + b[1] * b[2] + c[1] * c[2]);
    m.zz += w * (s[2] * s[2] + a[2] * a[2] + b[2] * b[2] + c[2] * c[2]);
  }
  return m;
}

// S n of every face
using FaceAreas = std::array<Vec3, 2 * static_cast<std::size_t>(kMaxMeshFaces)>;

// area vectors by face and by owner, volume and centroid, from tetrahedra on one vertex; returns
// the whole surface
double fill_shape(const Clipper& overlap, FaceAreas& areas, Patch& out) noexcept {
  const Vec3 from = overlap.vertices()[0];
  double six_volume = 0.0;
  double surface = 0.0;
  Vec3 sum = Vec3::Zero();
  std::size_t f = 0;
  for (const OverlapFace& face : overlap.faces()) {
    const std::uint16_t* corner = overlap.corners().data() + face.first;
    const Vec3 a = overlap.vertices()[corner[0]] - from;
    Vec3 b = overlap.vertices()[corner[1]] - from;
    Vec3 doubled = Vec3::Zero();
    for (int k = 2; k < face.count; ++k) {
      const Vec3 c = overlap.vertices()[corner[k]] - from;
      const Vec3 S = (b - a).cross(c - a);
      const double v = a.dot(S);
      doubled += S;
      six_volume += v;
      sum += v * (a + b + c);
      b = c;
    }
    areas[f] = 0.5 * doubled;
    (face.owner == FaceOwner::kA ? out.sum_A : out.sum_B) += areas[f];
    surface += areas[f++].norm();
  }
  out.volume = six_volume / 6.0;
  out.centroid = from + sum / (4.0 * six_volume);
  return surface;
}

// the part of polygon r above the plane through 0 with normal n; heights s
int upper_part(const Vec3* r, const double* s, int count, Vec3* out) noexcept {
  int kept = 0;
  for (int k = 0; k < count; ++k) {
    const int next = k + 1 < count ? k + 1 : 0;
    if (s[k] > 0.0) out[kept++] = r[k];
    if ((s[k] > 0.0) != (s[next] > 0.0)) {
      out[kept++] = r[k] + s[k] / (s[k] - s[next]) * (r[next] - r[k]);
    }
  }
  return kept;
}

// integral of |nu . r| and |nu . r| r over the polygon, whose moments m are known
void add_absolute(const Vec3* r, int count, const Vec3& n, const AreaMoments& m,
                  Patch& out) noexcept {
  std::array<double, kMaxSplit> s;  // filled below
  bool any_above = false;
  bool any_below = false;
  for (int k = 0; k < count; ++k) {
    s[idx(k)] = out.n.dot(r[k]);
    any_above |= s[idx(k)] > 0.0;
    any_below |= s[idx(k)] < 0.0;
  }
  const double sign = any_above && !any_below ? 1.0 : -1.0;
  out.depth += sign * out.n.dot(m.first);
  out.depth_first += sign * m.second_times(out.n);
  if (!any_above || !any_below) return;
  std::array<Vec3, kMaxSplit> upper;
  const int kept = upper_part(r, s.data(), count, upper.data());
  if (kept < 3) return;
  const AreaMoments up = moments_of(upper.data(), kept, n);
  out.depth += 2.0 * out.n.dot(up.first);
  out.depth_first += 2.0 * up.second_times(out.n);
}

void fill_integrals(const Clipper& overlap, DepthReading reading, const FaceAreas& areas,
                    Patch& out) noexcept {
  AreaMoments all;
  std::size_t f = 0;
  std::array<Vec3, kMaxSplit> r;
  for (const OverlapFace& face : overlap.faces()) {
    const std::uint16_t* corner = overlap.corners().data() + face.first;
    const Vec3& S = areas[f++];
    const double size = S.norm();
    if (!(size > 0.0)) continue;
    for (int k = 0; k < face.count; ++k) {
      r[idx(k)] = overlap.vertices()[corner[k]] - out.centroid;
    }
    const Vec3 n = S / size;
    const AreaMoments m = moments_of(r.data(), face.count, n);
    all.add(m);
    if (reading == DepthReading::kAbsolute) {
      add_absolute(r.data(), face.count, n, m, out);
    } else {
      const double sign = face.owner == FaceOwner::kA ? -1.0 : 1.0;
      out.depth += sign * out.n.dot(m.first);
      out.depth_first += sign * m.second_times(out.n);
    }
  }
  out.area = all.area;
  out.first = all.first;
  out.second = all.second();
}

}  // namespace

void complete_frame(const Vec3& n, Vec3& t1, Vec3& t2) noexcept {
  // the part of x (or y, where n is along x) that is perpendicular to n
  const Vec3 e = std::abs(n.x()) < 0.9 ? Vec3::UnitX() : Vec3::UnitY();
  t1 = (e - n * n.dot(e)).normalized();
  t2 = n.cross(t1);
}

Mat6 patch_metric(const Patch& p) noexcept {
  Mat6 Q;
  const Mat3 r = skew(p.first);
  Q.topLeftCorner<3, 3>() = p.second.trace() * Mat3::Identity() - p.second;  // -r x r x
  Q.topRightCorner<3, 3>() = r;
  Q.bottomLeftCorner<3, 3>() = -r;
  Q.bottomRightCorner<3, 3>() = p.area * Mat3::Identity();
  return Q;
}

// Schur complement of the 3x3 block area 1; both unknowns scaled to one unit first
Vec6 patch_velocity(const Patch& p) noexcept {
  const Vec3 moment = p.depth_first.cross(p.n);  // C' nu, angular
  const Vec3 force = p.depth * p.n;
  const Vec3 mean = p.first / p.area;
  // about the surface's own centroid Q is block diagonal
  Mat3 I = p.second.trace() * Mat3::Identity() - p.second;
  I -= p.area * (mean.squaredNorm() * Mat3::Identity() - mean * mean.transpose());
  Vec6 V;
  const Vec3 w = I.ldlt().solve(moment - mean.cross(force));
  V.head<3>() = w;
  V.tail<3>() = force / p.area - w.cross(mean);
  return V;
}

bool make_patch(const Clipper& overlap, DepthReading reading, double merge, Patch& out) noexcept {
  if (overlap.vertices().size() < 4) return false;
  Patch patch;
  FaceAreas areas;  // filled below
  const double surface = fill_shape(overlap, areas, patch);
  const Vec3 sum = patch.sum_B - patch.sum_A;  // (1)
  const double size = sum.norm();
  if (!(patch.volume > 0.0) || !(size > kNoNormal * surface)) return false;
  if (!patch.centroid.allFinite()) return false;
  patch.n = sum / size;
  complete_frame(patch.n, patch.t1, patch.t2);
  fill_integrals(overlap, reading, areas, patch);
  fill_outline(overlap, merge, patch);
  out = patch;
  return true;
}

}  // namespace kagami::models
