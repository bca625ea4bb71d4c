#include "models/contact/volumetric_contacts.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "models/base/errors.hpp"
#include "models/contact/volumetric_impl.hpp"

namespace kagami::models {
namespace {

std::size_t at(int i) noexcept {
  return static_cast<std::size_t>(i);
}

LocalBox box_of(const ConvexMesh& mesh) {
  Vec3 low = mesh.vertices().front();
  Vec3 high = low;
  for (const Vec3& v : mesh.vertices()) {
    low = low.cwiseMin(v);
    high = high.cwiseMax(v);
  }
  return {.centre = 0.5 * (low + high), .half = 0.5 * (high - low)};
}

int bodies_of(const std::vector<ContactBodies*>& systems) {
  int count = 0;
  for (const ContactBodies* s : systems) count += s->count();
  return std::max(count, 1);
}

}  // namespace

VolumetricContacts::Impl::Impl(std::vector<ContactBodies*> from,
                               std::vector<VolumetricShape> shapes_in,
                               std::vector<StaticShape> statics_in,
                               const VolumetricSettings& settings, const VolumetricCapacity& limits)
    : systems(std::move(from)),
      shapes(std::move(shapes_in)),
      statics(std::move(statics_in)),
      method(settings, std::max(bodies_of(systems), static_cast<int>(systems.size())),
             limits.patches),
      reading(settings.reading),
      skin(settings.skin),
      capacity(limits),
      sweep(static_cast<int>(shapes.size() + statics.size()), std::max(limits.pairs, 1)) {
  check();
  for (const VolumetricShape& s : shapes) boxes.push_back(box_of(s.mesh));
  for (const StaticShape& s : statics) {
    boxes.push_back(s.mesh.has_value() ? box_of(*s.mesh) : LocalBox{});
  }
  bounds.resize(boxes.size());
  const std::size_t pairs = at(capacity.pairs);
  candidates.reserve(pairs);
  memory.reserve(pairs);
  patches.reserve(at(capacity.patches));
  forces.resize(at(capacity.patches));
  std::size_t numbers = 0;
  int most = 0;
  for (const ContactBodies* s : systems) {
    first_body.push_back(static_cast<int>(bodies.size()));
    bodies.resize(bodies.size() + at(s->count()));
    numbers += 36 * at(s->count()) * at(s->count());
    most = std::max(most, s->count());
  }
  Phi.resize(numbers);
  impulses.resize(bodies.size(), Force::zero());
  blocks.resize(systems.size());
  for (int k = 0; k < most; ++k) touched.push_back(k);
  neighbours.resize(shapes.size() * shapes.size(), 0);
  find_neighbours();
}

void VolumetricContacts::Impl::check() const {
  if (capacity.pairs < 1 || capacity.pairs > 10000000) {
    throw ConfigError("contact/volumetric: /capacity/pairs: expected 1 .. 10000000");
  }
  for (const VolumetricShape& s : shapes) {
    check_surface(s.surface, "contact/volumetric: " + s.mesh.name());
    const bool known = s.system >= 0 && s.system < static_cast<int>(systems.size()) &&
                       s.body >= 0 && s.body < systems[at(s.system)]->count();
    if (known) continue;
    throw ConfigError("contact/volumetric: " + s.mesh.name() + ": no touching body " +
                      std::to_string(s.body) + " of system " + std::to_string(s.system));
  }
  for (const StaticShape& s : statics) check_surface(s.surface, "contact/volumetric: " + s.name);
}

void VolumetricContacts::Impl::find_neighbours() {
  const int count = static_cast<int>(shapes.size());
  for (int a = 0; a < count; ++a) {
    for (int b = 0; b < count; ++b) {
      const VolumetricShape& s = shapes[at(a)];
      const VolumetricShape& t = shapes[at(b)];
      if (s.system != t.system) continue;
      const Pose X_AB = inverse(pose_of(a)) * pose_of(b);
      const bool meet = s.body == t.body || s.parent == t.body || t.parent == s.body ||
                        intersect(s.mesh, t.mesh, X_AB, clipper) == ClipStatus::kOk;
      neighbours[at(a) * shapes.size() + at(b)] = meet ? 1 : 0;
    }
  }
}

void VolumetricContacts::Impl::begin_bodies() noexcept {
  std::size_t next = 0;
  for (std::size_t s = 0; s < systems.size(); ++s) {
    ContactBodies& from = *systems[s];
    const int count = from.count();
    blocks[s] = {.first = first_body[s], .count = count, .Phi = Phi.data() + next};
    for (int k = 0; k < count; ++k) {
      bodies[at(first_body[s] + k)] = {.system = static_cast<int>(s),
                                       .origin = from.origin(),
                                       .V_before = from.V_before[at(k)],
                                       .V_free = from.V_free[at(k)]};
    }
    if (!active.empty() && active[s] == 0) {
      for (int k = 0; k < count; ++k) {
        bodies[at(first_body[s] + k)].V_before = Motion::zero();
        bodies[at(first_body[s] + k)].V_free = Motion::zero();
      }
    } else {
      from.response({touched.data(), at(count)}, Phi.data() + next, 6 * count);
    }
    next += 36 * at(count) * at(count);
  }
}

void VolumetricContacts::Impl::hand_out() noexcept {
  const auto add = [&](int body, const Force& P, const Vec3& r) {
    impulses[at(body)] += Force::from(P.moment() + r.cross(P.force()), P.force());
  };
  for (std::size_t i = 0; i < patches.size(); ++i) {
    const ContactPatch& c = patches[i];
    const Force& P = forces[i].impulse;
    add(c.a, P, c.patch.centroid - bodies[at(c.a)].origin);
    if (c.b == kStaticBody) continue;
    const Force back = Force::from(-P.moment(), -P.force());
    add(c.b, back, c.patch.centroid - bodies[at(c.b)].origin);
  }
  // Phi is symmetric: W = P' (V_free + 1/2 Phi P)
  for (std::size_t i = 0; i < patches.size(); ++i) {
    report.work += forces[i].local.dot(0.5 * (forces[i].velocity + forces[i].velocity_free));
  }
}

void VolumetricContacts::Impl::solve(double h) noexcept {
  for (Force& P : impulses) P = Force::zero();
  if (patches.empty()) return;
  begin_bodies();
  const PatchProblem problem{.step = h, .systems = blocks, .bodies = bodies, .patches = patches};
  report.status = method.solve(problem, {forces.data(), patches.size()}, report.solve);
  if (report.status == ContactStatus::kOk || report.status == ContactStatus::kNotConverged) {
    hand_out();
  } else {
    patches.clear();
  }
}

void VolumetricContacts::Impl::remember() noexcept {
  memory.clear();
  for (const Candidate& c : candidates) {
    Memory m{.id = c.id, .face = c.face, .motion = ContactMotion::kNew, .loads = {}};
    if (c.patch >= 0 && at(c.patch) < patches.size()) {
      m.motion = forces[at(c.patch)].motion;
      m.loads = forces[at(c.patch)].loads;
    } else if (c.face == kNoFace) {
      continue;
    }
    memory.push_back(m);
  }
}

VolumetricContacts::VolumetricContacts(std::vector<ContactBodies*> systems,
                                       std::vector<VolumetricShape> shapes,
                                       std::vector<StaticShape> statics,
                                       const VolumetricSettings& settings,
                                       const VolumetricCapacity& capacity)
    : impl_(std::make_unique<Impl>(std::move(systems), std::move(shapes), std::move(statics),
                                   settings, capacity)) {}
VolumetricContacts::~VolumetricContacts() = default;
VolumetricContacts::VolumetricContacts(VolumetricContacts&&) noexcept = default;

void VolumetricContacts::step(double h, std::span<const std::uint8_t> active) noexcept {
  Impl& w = *impl_;
  w.active = active;
  w.report = {};
  w.detect();
  w.solve(h);
  w.remember();
}

std::span<const Force> VolumetricContacts::impulses(int system) const noexcept {
  const Impl& w = *impl_;
  return {w.impulses.data() + w.first_body[at(system)], at(w.systems[at(system)]->count())};
}
std::span<const ContactPatch> VolumetricContacts::patches() const noexcept {
  return impl_->patches;
}
std::span<const PatchForce> VolumetricContacts::forces() const noexcept {
  return {impl_->forces.data(), impl_->patches.size()};
}
const VolumetricReport& VolumetricContacts::report() const noexcept {
  return impl_->report;
}
void VolumetricContacts::forget() noexcept {
  impl_->memory.clear();
}

}  // namespace kagami::models
