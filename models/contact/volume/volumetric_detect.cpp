// Which shapes overlap: bounds, separating faces, overlaps, patches.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "models/base/idx.hpp"
#include "models/contact/volume/volumetric_impl.hpp"

namespace kagami::models {
namespace {

constexpr double kMerge = 1e-4;  // of the outline's diameter
constexpr double kStill = 1e-6;  // of a body's reach: what moves by less keeps its patches

// whether no point within reach has moved noticeably
bool is_near(const Pose& then, const Pose& now, double reach) noexcept {
  const double turn = (now.R - then.R).cwiseAbs().maxCoeff();
  const double shift = (now.p - then.p).cwiseAbs().maxCoeff();
  return turn * reach + shift <= kStill * reach;
}

// small turn and the shift of the point that was at p (rad, m)
Vec6 motion_since(const Pose& then, const Pose& now, const Vec3& p) noexcept {
  const Mat3 D = now.R * then.R.transpose();
  const Vec3 turn(0.5 * (D(2, 1) - D(1, 2)), 0.5 * (D(0, 2) - D(2, 0)), 0.5 * (D(1, 0) - D(0, 1)));
  Vec6 out;
  out << turn, now.p - then.p + turn.cross(p - then.p);
  return out;
}

}  // namespace

void VolumetricContacts::Impl::place() noexcept {
  for (int s = 0; s < static_cast<int>(shapes.size()); ++s) {
    bounds[idx(s)] = bounds_of(boxes[idx(s)], pose_of(s));
    if (!takes_part(s)) bounds[idx(s)].low.x() = std::nan("");  // not finite: no pair
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
    const double way = way_of(s);
    for (std::size_t k = 0; k < statics.size(); ++k) {
      if (statics[k].mesh.has_value()) continue;
      const Vec3& n = statics[k].n;
      const Bounds& b = bounds[idx(s)];
      const double lowest = 0.5 * (n.dot(b.low + b.high) - n.cwiseAbs().dot(b.high - b.low));
      if (!(lowest < statics[k].offset + std::max(skin, way))) continue;
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
    if (!is_static(pair.b) && neighbours.never_meet(pair.a, pair.b)) continue;
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
void VolumetricContacts::Impl::keep(const ContactPatch& patch, const Stand& stand,
                                    const Pose& anchor, int candidate) noexcept {
  if (now.patch.size() < idx(capacity.patches)) {
    candidates[idx(candidate)].patch = static_cast<int>(now.patch.size());
    now.patch.push_back(patch);
    now.stand.push_back(stand);
    now.anchor.push_back(anchor);
    return;
  }
  report.overflowed = true;
  const auto shallow = std::min_element(
      now.patch.begin(), now.patch.end(),
      [](const auto& p, const auto& q) { return p.patch.volume < q.patch.volume; });
  if (shallow->patch.volume >= patch.patch.volume) return;
  const int place = static_cast<int>(shallow - now.patch.begin());
  for (Candidate& c : candidates) {
    if (c.patch == place) c.patch = -1;
  }
  candidates[idx(candidate)].patch = place;
  *shallow = patch;
  now.stand[idx(place)] = stand;
  now.anchor[idx(place)] = anchor;
}

// Where the pair began to stick: what it has crept since is taken back. Beyond `creep_limit` it has
// slid, and restarts. Only on static shapes: between bodies of a stack, whose sweeps are cut off,
// it costs sweeps.
Pose VolumetricContacts::Impl::hold(const Candidate& candidate, const Memory* memory_of,
                                    ContactPatch& out) const noexcept {
  const Pose& X_WA = pose_of(candidate.a);
  if (memory_of == nullptr || memory_of->patch < 0 || !is_static(candidate.b)) return X_WA;
  if (out.before != ContactMotion::kStick) return X_WA;
  const Pose& anchor = past.anchor[idx(memory_of->patch)];
  const Vec6 crept = motion_since(anchor, X_WA, out.patch.centroid);
  const double way =
      crept.tail<3>().norm() + shapes[idx(candidate.a)].mesh.reach() * crept.head<3>().norm();
  if (way > creep_limit) return X_WA;
  out.crept = crept;
  return anchor;
}

// The patch of the step before, if its bodies have hardly moved since it was made: then its corners
// have not, and to first order its depth follows from their motion.
bool VolumetricContacts::Impl::recall(const Candidate& candidate, const Memory& memory_of,
                                      Stand& stand, ContactPatch& out) const noexcept {
  if (memory_of.patch < 0) return false;
  if (past.patch[idx(memory_of.patch)].ahead > 0) return false;  // on its way
  const Stand& made = past.stand[idx(memory_of.patch)];
  const double reach_a = shapes[idx(candidate.a)].mesh.reach();
  if (!is_near(made.X_WA, stand.X_WA, reach_a)) return false;
  const bool fixed = is_static(candidate.b);
  if (!fixed && !is_near(made.X_WB, stand.X_WB, shapes[idx(candidate.b)].mesh.reach()))
    return false;
  out = past.patch[idx(memory_of.patch)];
  const PatchForce& force = past.force[idx(memory_of.patch)];
  out.before = force.motion;
  out.loads_before = force.loads;
  out.kept = true;
  out.moved = motion_since(made.X_WA, stand.X_WA, out.patch.centroid);
  if (!fixed) out.moved -= motion_since(made.X_WB, stand.X_WB, out.patch.centroid);
  stand = made;
  return true;
}

// the patch of what the clipper holds, in A's frame
bool VolumetricContacts::Impl::cut_out(const Pose& X_WA, ContactPatch& out) noexcept {
  clipper.move({X_WA.R, Vec3::Zero()});  // near A's origin: no digits are lost far out
  if (!make_patch(clipper, reading, kMerge, out.patch)) return false;
  out.drive = patch_velocity(out.patch);
  out.patch.centroid += X_WA.p;
  return true;
}

// by one face of either; what overlapped before is cut without asking
bool VolumetricContacts::Impl::is_apart(Candidate& candidate,
                                        const Memory* memory_of) const noexcept {
  const bool fixed = is_static(candidate.b);
  if (fixed && !static_of(candidate.b).mesh.has_value()) return false;
  if (memory_of != nullptr && memory_of->patch >= 0) return false;
  const ConvexMesh& A = shapes[idx(candidate.a)].mesh;
  const ConvexMesh& B = fixed ? *static_of(candidate.b).mesh : shapes[idx(candidate.b)].mesh;
  const Pose X_AW = inverse(pose_of(candidate.a));
  const Pose X_AB = fixed ? X_AW : X_AW * pose_of(candidate.b);
  candidate.face = separating_face(A, B, X_AB, memory_of != nullptr ? memory_of->face : kNoFace);
  return candidate.face != kNoFace;
}

void VolumetricContacts::Impl::overlap(Candidate& candidate, const Memory* memory_of) noexcept {
  if (is_apart(candidate, memory_of)) return;
  const VolumetricShape& A = shapes[idx(candidate.a)];
  const Pose& X_WA = pose_of(candidate.a);
  const int index = static_cast<int>(&candidate - candidates.data());
  Stand stand{.X_WA = X_WA, .X_WB = is_static(candidate.b) ? Pose{} : pose_of(candidate.b)};
  ContactPatch contact;
  if (memory_of != nullptr && recall(candidate, *memory_of, stand, contact)) {
    keep(contact, stand, hold(candidate, memory_of, contact), index);
    return;
  }
  ClipStatus status = ClipStatus::kOk;
  const Surface* other = nullptr;
  const StaticShape* plane = nullptr;
  if (is_static(candidate.b) && !static_of(candidate.b).mesh.has_value()) {
    plane = &static_of(candidate.b);
    other = &plane->surface;
    const HalfSpace B{.n = X_WA.R.transpose() * plane->n,
                      .offset = plane->offset - plane->n.dot(X_WA.p) + skin};
    status = intersect(A.mesh, B, clipper);
  } else {
    const bool fixed = is_static(candidate.b);
    const ConvexMesh& B = fixed ? *static_of(candidate.b).mesh : shapes[idx(candidate.b)].mesh;
    other = fixed ? &static_of(candidate.b).surface : &shapes[idx(candidate.b)].surface;
    const Pose X_AB = inverse(X_WA) * stand.X_WB;
    status = intersect(A.mesh, B, X_AB, clipper, skin);
  }
  contact.surface = pair_of(A.surface, *other);
  const bool met = status == ClipStatus::kOk && cut_out(X_WA, contact);
  const bool meets =
      plane != nullptr && look_ahead(candidate.a, *plane, contact.surface.restitution, contact);
  if (!met && !meets) return;
  contact.id = candidate.id;
  contact.a = first_body[idx(A.system)] + A.body;
  if (!is_static(candidate.b)) {
    const VolumetricShape& B = shapes[idx(candidate.b)];
    contact.b = first_body[idx(B.system)] + B.body;
  }
  if (memory_of != nullptr && memory_of->patch >= 0 && has_met(memory_of->patch)) {
    const PatchForce& force = past.force[idx(memory_of->patch)];
    contact.before = force.motion;
    contact.loads_before = force.loads;
  }
  keep(contact, stand, hold(candidate, memory_of, contact), index);
}

void VolumetricContacts::Impl::detect() noexcept {
  now.patch.clear();
  now.stand.clear();
  now.anchor.clear();
  place();
  list_candidates();
  std::size_t m = 0;
  for (Candidate& c : candidates) {
    while (m < memory.size() && memory[m].id < c.id) ++m;
    overlap(c, m < memory.size() && memory[m].id == c.id ? &memory[m] : nullptr);
  }
}

}  // namespace kagami::models
