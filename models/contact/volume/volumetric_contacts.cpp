#include "models/contact/volume/volumetric_contacts.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "models/contact/volume/volumetric_impl.hpp"

namespace kagami::models {
namespace {

constexpr double kLeastCompensation = 1.0;  // 1/s: below it creep is followed no farther

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
      creep_limit(settings.slip_speed / std::max(settings.compensation, kLeastCompensation)),
      restitution_speed(settings.restitution_speed),
      looks_ahead(settings.metric == PatchMetric::kWork),
      capacity(limits),
      sweep(static_cast<int>(shapes.size() + statics.size()), std::max(limits.pairs, 1)) {
  check();
  for (const VolumetricShape& s : shapes) boxes.push_back(box_of(s.mesh));
  for (const StaticShape& s : statics) {
    boxes.push_back(s.mesh.has_value() ? box_of(*s.mesh) : LocalBox{});
  }
  bounds.resize(boxes.size());
  // half-spaces besides: the pairs are the sweep's, which keeps the nearest
  const auto planes = static_cast<std::size_t>(std::count_if(
      statics.begin(), statics.end(), [](const StaticShape& s) { return !s.mesh.has_value(); }));
  const std::size_t pairs = idx(capacity.pairs) + shapes.size() * planes;
  candidates.reserve(pairs);
  memory.reserve(pairs);
  for (Patches* p : {&now, &past}) {
    p->patch.reserve(idx(capacity.patches));
    p->stand.reserve(idx(capacity.patches));
    p->anchor.reserve(idx(capacity.patches));
    p->force.resize(idx(capacity.patches));
  }
  std::size_t numbers = 0;
  for (const ContactBodies* s : systems) {
    first_body.push_back(static_cast<int>(bodies.size()));
    bodies.resize(bodies.size() + idx(s->count()));
    numbers += 36 * idx(s->count()) * idx(s->count());
  }
  Phi.resize(numbers);
  impulses.resize(bodies.size(), Force::zero());
  blocks.resize(systems.size());
  under.resize(bodies.size());
  touched.resize(bodies.size());
  local.resize(bodies.size());
  neighbours = Neighbours(placed());
}

void VolumetricContacts::Impl::check() const {
  if (capacity.pairs < 1 || capacity.pairs > 10000000) {
    throw ConfigError("contact/volumetric: /capacity/pairs: expected 1 .. 10000000");
  }
  for (const VolumetricShape& s : shapes) {
    check_surface(s.surface, "contact/volumetric: " + s.mesh.name());
    const bool known = s.system >= 0 && s.system < static_cast<int>(systems.size()) &&
                       s.body >= 0 && s.body < systems[idx(s.system)]->count();
    if (known) continue;
    throw ConfigError("contact/volumetric: " + s.mesh.name() + ": no touching body " +
                      std::to_string(s.body) + " of system " + std::to_string(s.system));
  }
  for (const StaticShape& s : statics) check_surface(s.surface, "contact/volumetric: " + s.name);
}

std::vector<PlacedShape> VolumetricContacts::Impl::placed() const {
  std::vector<PlacedShape> out;
  for (int k = 0; k < static_cast<int>(shapes.size()); ++k) {
    const VolumetricShape& s = shapes[idx(k)];
    out.push_back({.system = s.system,
                   .body = s.body,
                   .parent = s.parent,
                   .mesh = &s.mesh,
                   .X_WB = pose_of(k),
                   .self_collision = s.self_collision});
  }
  return out;
}

void VolumetricContacts::Impl::begin_bodies() noexcept {
  std::fill(under.begin(), under.end(), std::uint8_t{0});
  for (const ContactPatch& c : now.patch) {
    under[idx(c.a)] = 1;
    if (c.b != kStaticBody) under[idx(c.b)] = 1;
  }
  std::size_t next = 0;
  std::size_t filled = 0;
  for (std::size_t s = 0; s < systems.size(); ++s) {
    ContactBodies& from = *systems[s];
    const std::size_t begin = filled;
    for (int k = 0; k < from.count(); ++k) {
      const int body = first_body[s] + k;
      bodies[idx(body)] = {.system = static_cast<int>(s),
                           .place = static_cast<int>(filled - begin),
                           .origin = from.origin(),
                           .V_before = from.V_before[idx(k)],
                           .V_free = from.V_free[idx(k)]};
      if (!active.empty() && active[s] == 0) {  // its numbers may be anything
        bodies[idx(body)].V_before = Motion::zero();
        bodies[idx(body)].V_free = Motion::zero();
      }
      if (under[idx(body)] == 0) continue;
      touched[filled] = body;
      local[filled++] = k;
    }
    const std::size_t count = filled - begin;
    blocks[s] = {.bodies = {touched.data() + begin, count}, .Phi = Phi.data() + next};
    if (count == 0) continue;
    from.response({local.data() + begin, count}, Phi.data() + next, 6 * static_cast<int>(count));
    next += 36 * count * count;
  }
}

void VolumetricContacts::Impl::hand_out() noexcept {
  const auto add = [&](int body, const Force& P, const Vec3& r) {
    impulses[idx(body)] += Force::from(P.moment() + r.cross(P.force()), P.force());
  };
  for (std::size_t i = 0; i < now.patch.size(); ++i) {
    const ContactPatch& c = now.patch[i];
    const Force& P = now.force[i].impulse;
    add(c.a, P, c.patch.centroid - bodies[idx(c.a)].origin);
    if (c.b == kStaticBody) continue;
    const Force back = Force::from(-P.moment(), -P.force());
    add(c.b, back, c.patch.centroid - bodies[idx(c.b)].origin);
  }
  // Phi is symmetric: W = P' (V_free + 1/2 Phi P)
  for (std::size_t i = 0; i < now.patch.size(); ++i) {
    report.work +=
        now.force[i].local.dot(0.5 * (now.force[i].velocity + now.force[i].velocity_free));
  }
}

void VolumetricContacts::Impl::solve() noexcept {
  for (Force& P : impulses) P = Force::zero();
  if (now.patch.empty()) return;
  begin_bodies();
  const PatchProblem problem{.step = h, .systems = blocks, .bodies = bodies, .patches = now.patch};
  report.status = method.solve(problem, {now.force.data(), now.patch.size()}, report.solve);
  if (report.status == ContactStatus::kOk || report.status == ContactStatus::kNotConverged) {
    hand_out();
  } else {
    now.patch.clear();
  }
}

void VolumetricContacts::Impl::remember() noexcept {
  memory.clear();
  for (const Candidate& c : candidates) {
    const bool touches = c.patch >= 0 && idx(c.patch) < now.patch.size();
    if (!touches && c.face == kNoFace) continue;
    memory.push_back({.id = c.id, .face = c.face, .patch = touches ? c.patch : -1});
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
  w.h = h;
  std::swap(w.now, w.past);
  w.detect();
  w.solve();
  w.remember();
}

std::span<const Force> VolumetricContacts::impulses(int system) const noexcept {
  const Impl& w = *impl_;
  return {w.impulses.data() + w.first_body[idx(system)], idx(w.systems[idx(system)]->count())};
}
std::span<const ContactPatch> VolumetricContacts::patches() const noexcept {
  return impl_->now.patch;
}
std::span<const PatchForce> VolumetricContacts::forces() const noexcept {
  return {impl_->now.force.data(), impl_->now.patch.size()};
}
const VolumetricReport& VolumetricContacts::report() const noexcept {
  return impl_->report;
}
void VolumetricContacts::replace(int system, ContactBodies& bodies) noexcept {
  impl_->systems[idx(system)] = &bodies;
}
// patches that are carried over to the next step take it on, too
void VolumetricContacts::change_surface(int shape, const Surface& surface) noexcept {
  Impl& w = *impl_;
  if (w.is_static(shape)) {
    w.statics[idx(shape) - w.shapes.size()].surface = surface;
  } else {
    w.shapes[idx(shape)].surface = surface;
  }
  for (ContactPatch& patch : w.now.patch) {
    const int a = static_cast<int>(patch.id >> 32) - 1;
    const auto b = static_cast<int>(patch.id & 0xffffffffu);
    if (a != shape && b != shape) continue;
    const Surface& other = w.is_static(b) ? w.static_of(b).surface : w.shapes[idx(b)].surface;
    patch.surface = pair_of(w.shapes[idx(a)].surface, other);
  }
}
void VolumetricContacts::forget() noexcept {
  impl_->memory.clear();
}

}  // namespace kagami::models
