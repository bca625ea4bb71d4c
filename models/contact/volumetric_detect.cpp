// Which shapes overlap: bounds, separating faces, overlaps, patches.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "models/contact/volumetric_impl.hpp"

namespace kagami::models {
namespace {

constexpr double kMerge = 1e-4;  // of the outline's diameter

std::size_t at(int i) noexcept {
  return static_cast<std::size_t>(i);
}

Bounds bounds_of(const LocalBox& box, const Pose& X) noexcept {
  const Vec3 centre = X * box.centre;
  const Vec3 half = X.R.cwiseAbs() * box.half;
  return {.low = centre - half, .high = centre + half};
}

}  // namespace

void VolumetricContacts::Impl::place() noexcept {
  for (int s = 0; s < static_cast<int>(shapes.size()); ++s) {
    bounds[at(s)] = bounds_of(boxes[at(s)], pose_of(s));
    if (!takes_part(s)) bounds[at(s)].low.x() = std::nan("");  // meets nobody
  }
  for (std::size_t k = 0; k < statics.size(); ++k) {
    Bounds& b = bounds[shapes.size() + k];
    b = bounds_of(boxes[shapes.size() + k], Pose{});
    if (!statics[k].mesh.has_value()) b.low.x() = std::nan("");  // see list_half_spaces
  }
}

void VolumetricContacts::Impl::list_half_spaces() noexcept {
  for (int s = 0; s < static_cast<int>(shapes.size()); ++s) {
    if (!takes_part(s)) continue;
    for (std::size_t k = 0; k < statics.size(); ++k) {
      if (statics[k].mesh.has_value()) continue;
      const Vec3& n = statics[k].n;
      const Bounds& b = bounds[at(s)];
      const double lowest = 0.5 * (n.dot(b.low + b.high) - n.cwiseAbs().dot(b.high - b.low));
      if (!(lowest < statics[k].offset + skin)) continue;
      if (candidates.size() == candidates.capacity()) {
        report.overflowed = true;
        continue;
      }
      candidates.push_back({.a = s, .b = static_cast<int>(shapes.size() + k)});
    }
  }
}

void VolumetricContacts::Impl::list_candidates() noexcept {
  candidates.clear();
  list_half_spaces();  // first: what lies on the floor is not left out
  report.overflowed |= !sweep.find(bounds);
  report.pairs = static_cast<int>(sweep.pairs().size());
  for (const BoundsPair& pair : sweep.pairs()) {
    if (is_static(pair.a)) continue;
    if (!is_static(pair.b) && neighbours[at(pair.a) * shapes.size() + at(pair.b)] != 0) continue;
    if (candidates.size() == candidates.capacity()) {
      report.overflowed = true;
      break;
    }
    candidates.push_back({.a = pair.a, .b = pair.b});
  }
  for (Candidate& c : candidates) {
    c.id = (static_cast<std::uint64_t>(c.a) + 1) << 32 | static_cast<std::uint64_t>(c.b);
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.id < b.id; });
}

// room for a patch: the free one, else the shallowest's, whose pair then goes without
bool VolumetricContacts::Impl::keep(const ContactPatch& patch, int candidate) noexcept {
  if (patches.size() < at(capacity.patches)) {
    candidates[at(candidate)].patch = static_cast<int>(patches.size());
    patches.push_back(patch);
    return true;
  }
  report.overflowed = true;
  const auto shallow = std::min_element(
      patches.begin(), patches.end(),
      [](const auto& p, const auto& q) { return p.patch.volume < q.patch.volume; });
  if (shallow->patch.volume >= patch.patch.volume) return false;
  const int place = static_cast<int>(shallow - patches.begin());
  for (Candidate& c : candidates) {
    if (c.patch == place) c.patch = -1;
  }
  candidates[at(candidate)].patch = place;
  *shallow = patch;
  return true;
}

void VolumetricContacts::Impl::overlap(Candidate& candidate, const Memory* past) noexcept {
  const VolumetricShape& A = shapes[at(candidate.a)];
  const Pose& X_WA = pose_of(candidate.a);
  ClipStatus status = ClipStatus::kOk;
  const Surface* other = nullptr;
  if (is_static(candidate.b) && !static_of(candidate.b).mesh.has_value()) {
    const StaticShape& plane = static_of(candidate.b);
    other = &plane.surface;
    const HalfSpace B{.n = X_WA.R.transpose() * plane.n,
                      .offset = plane.offset - plane.n.dot(X_WA.p) + skin};
    status = intersect(A.mesh, B, clipper);
  } else {
    const bool fixed = is_static(candidate.b);
    const ConvexMesh& B = fixed ? *static_of(candidate.b).mesh : shapes[at(candidate.b)].mesh;
    other = fixed ? &static_of(candidate.b).surface : &shapes[at(candidate.b)].surface;
    const Pose X_AB = inverse(X_WA) * (fixed ? Pose{} : pose_of(candidate.b));
    const bool overlapped = past != nullptr && past->motion != ContactMotion::kNew;
    if (!overlapped) {
      candidate.face = separating_face(A.mesh, B, X_AB, past != nullptr ? past->face : kNoFace);
      if (candidate.face != kNoFace) return;
    }
    status = intersect(A.mesh, B, X_AB, clipper, skin);
  }
  if (status != ClipStatus::kOk) return;
  clipper.move({X_WA.R, Vec3::Zero()});  // near A's origin: no digits are lost far out
  ContactPatch contact;
  if (!make_patch(clipper, reading, kMerge, contact.patch)) return;
  contact.patch.centroid += X_WA.p;
  contact.id = candidate.id;
  contact.a = first_body[at(A.system)] + A.body;
  if (!is_static(candidate.b)) {
    const VolumetricShape& B = shapes[at(candidate.b)];
    contact.b = first_body[at(B.system)] + B.body;
  }
  contact.surface = pair_of(A.surface, *other);
  if (past != nullptr) {
    contact.before = past->motion;
    contact.loads_before = past->loads;
  }
  keep(contact, static_cast<int>(&candidate - candidates.data()));
}

void VolumetricContacts::Impl::detect() noexcept {
  patches.clear();
  place();
  list_candidates();
  std::size_t m = 0;
  for (Candidate& c : candidates) {
    while (m < memory.size() && memory[m].id < c.id) ++m;
    overlap(c, m < memory.size() && memory[m].id == c.id ? &memory[m] : nullptr);
  }
}

}  // namespace kagami::models
