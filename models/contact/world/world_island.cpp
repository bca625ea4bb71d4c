// Islands of a world: what touches is collected, solved, and its impulses handed back.
#include <Eigen/Geometry>
#include <algorithm>

#include "models/base/idx.hpp"
#include "models/contact/world/world_impl.hpp"

namespace kagami::models {
// root of a system's tree; the trees' roots are their first systems
int World::Impl::root_of(int system) noexcept {
  int root = system;
  while (joined[idx(root)] != root) root = joined[idx(root)];
  while (joined[idx(system)] != root) {
    const int next = joined[idx(system)];
    joined[idx(system)] = root;
    system = next;
  }
  return root;
}

// systems that touch each other, directly or over others; contacts in the order of the islands
void World::Impl::find_islands() noexcept {
  for (int s = 0; s < static_cast<int>(systems.size()); ++s) joined[idx(s)] = s;
  order.clear();
  bool any = false;
  for (int i = 0; i < static_cast<int>(contacts.size()); ++i) {
    order.push_back(i);
    const WorldContact& c = contacts[idx(i)];
    if (c.other != kNoStatic) continue;
    const int a = root_of(c.system);
    const int b = root_of(c.other_system);
    joined[idx(std::max(a, b))] = std::min(a, b);
    any = true;
  }
  if (!any) return;
  std::sort(order.begin(), order.end(), [this](int i, int j) {
    const int a = root_of(contacts[idx(i)].system);
    const int b = root_of(contacts[idx(j)].system);
    return a < b || (a == b && i < j);
  });
}

void World::Impl::solve(double h) noexcept {
  contact_work = 0.0;
  find_islands();
  std::size_t first = 0;
  while (first < order.size()) {
    const int root = root_of(contacts[idx(order[first])].system);
    std::size_t last = first;
    while (last < order.size() && root_of(contacts[idx(order[last])].system) == root) ++last;
    if (!systems[idx(root)].asleep) solve_island({order.data() + first, last - first}, h);
    first = last;
  }
}

// false when there is no room for one more
bool World::Impl::list_body(int system, int body) noexcept {
  int& place = systems[idx(system)].place[idx(body)];
  if (place >= 0) return true;
  if (places.size() == idx(capacity.bodies)) return false;
  place = 0;
  places.push_back({system, body});
  return true;
}

// both bodies of a contact, or none; false when there is no room for them
bool World::Impl::list_contact(const WorldContact& c) noexcept {
  const std::size_t before = places.size();
  if (list_body(c.system, c.body) &&
      (c.other != kNoStatic || list_body(c.other_system, c.other_body))) {
    return true;
  }
  while (places.size() > before) {
    systems[idx(places.back().system)].place[idx(places.back().body)] = -1;
    places.pop_back();
  }
  return false;
}

// listed bodies, system after system
void World::Impl::sort_places() noexcept {
  std::sort(places.begin(), places.end(), [](const BodyPlace& a, const BodyPlace& b) {
    return a.system < b.system || (a.system == b.system && a.body < b.body);
  });
  for (std::size_t k = 0; k < places.size(); ++k) {
    systems[idx(places[k].system)].place[idx(places[k].body)] = static_cast<int>(k);
  }
}

void World::Impl::clear_places() noexcept {
  for (const BodyPlace& p : places) systems[idx(p.system)].place[idx(p.body)] = -1;
}

// what touches; false when there is no room for all
bool World::Impl::list_bodies(std::span<const int> island) noexcept {
  places.clear();
  for (const int i : island) {
    if (!list_contact(contacts[idx(i)])) return false;
  }
  sort_places();
  return true;
}

// bodies, points and Phi, whose blocks between systems are zero
void World::Impl::load_island(std::span<const int> island) noexcept {
  touching.clear();
  for (const BodyPlace& p : places) {
    const ContactBodies& bodies = *systems[idx(p.system)].bodies;
    touching.push_back({.system = p.system,
                        .body = p.body,
                        .origin = bodies.origin(),
                        .V_before = bodies.V_before[idx(p.body)],
                        .V_free = bodies.V_free[idx(p.body)]});
  }
  points.clear();
  for (const int i : island) {
    WorldContact& c = contacts[idx(i)];
    c.point.a = systems[idx(c.system)].place[idx(c.body)];
    if (c.other == kNoStatic) c.point.b = systems[idx(c.other_system)].place[idx(c.other_body)];
    points.push_back(c.point);
  }
  const std::size_t n = 6 * places.size();
  const bool several = places.front().system != places.back().system;
  if (several) std::fill_n(Phi.data(), n * n, 0.0);
  std::size_t first = 0;
  while (first < places.size()) {
    const int system = places[first].system;
    touching_of_system.clear();
    std::size_t last = first;
    for (; last < places.size() && places[last].system == system; ++last) {
      touching_of_system.push_back(places[last].body);
    }
    double* block = Phi.data() + 6 * first * n + 6 * first;
    systems[idx(system)].bodies->response(touching_of_system, block, static_cast<int>(n));
    first = last;
  }
}

void World::Impl::fail_island(std::span<const int> island) noexcept {
  for (const int i : island) {
    const WorldContact& c = contacts[idx(i)];
    systems[idx(c.system)].status = SystemStatus::kSolver;
    if (c.other == kNoStatic) systems[idx(c.other_system)].status = SystemStatus::kSolver;
  }
}

void World::Impl::solve_island(std::span<const int> island, double h) noexcept {
  const bool room = list_bodies(island);
  if (!room) {
    clear_places();
    solve_split(island, h);
    return;
  }
  load_island(island);
  const ContactProblem problem{.step = h, .bodies = touching, .Phi = Phi.data(), .points = points};
  SolveReport report;
  const ContactStatus answer = method->solve(problem, {forces.data(), points.size()}, report);
  counters.iterations += report.iterations;
  if (answer == ContactStatus::kCapacity || answer == ContactStatus::kNotFinite) {
    fail_island(island);
    ++counters.failed;
    worsen(WorldStatus::kSolver);
  } else {
    for (std::size_t k = 0; k < island.size(); ++k) contacts[idx(island[k])].force = forces[k];
    apply(island, h);
    if (answer == ContactStatus::kNotConverged) {
      ++counters.not_converged;
      worsen(WorldStatus::kNotConverged);
    }
  }
  clear_places();
}

// Sums the island's impulses per body; what they do: W = P' (V_free + 1/2 Phi P).
World::Impl::IslandWork World::Impl::sum_impulses(std::span<const int> island) noexcept {
  for (std::size_t k = 0; k < touching.size(); ++k) sums[k] = Force::zero();
  for (const int i : island) {
    const WorldContact& c = contacts[idx(i)];
    const Vec3 P = c.force.impulse.force();
    const Vec3 r = c.point.p - touching[idx(c.point.a)].origin;
    sums[idx(c.point.a)] += Force::from(c.force.impulse.moment() + r.cross(P), P);
    if (c.point.b == kStaticBody) continue;
    const Vec3 r_b = c.point.p - touching[idx(c.point.b)].origin;
    sums[idx(c.point.b)] += Force::from(-(c.force.impulse.moment() + r_b.cross(P)), -P);
  }
  IslandWork work;
  const std::size_t n = 6 * touching.size();
  for (std::size_t k = 0; k < touching.size(); ++k) {
    work.linear += power(touching[k].V_free, sums[k]);
    for (std::size_t i = 0; i < 6; ++i) {
      const double* row = Phi.data() + (6 * k + i) * n;
      double x = 0.0;
      for (std::size_t j = 0; j < touching.size(); ++j) {
        for (std::size_t e = 0; e < 6; ++e) x += row[6 * j + e] * sums[j].c[static_cast<int>(e)];
      }
      work.quadratic += 0.5 * x * sums[k].c[static_cast<int>(i)];
    }
  }
  return work;
}

// the work that taking back penetration and offsets may cost (J)
double World::Impl::work_allowed(std::span<const int> island, double h) const noexcept {
  const double share = std::min(compensation, 0.5 / h);
  double work = 0.0;
  for (const int i : island) {
    const WorldContact& c = contacts[idx(i)];
    const double out = std::min(share * std::max(0.0, -c.point.gap), compensation_speed);
    const double back = std::min(share * c.point.offset.norm(), compensation_speed);
    work += c.force.local[0] * out + c.force.local.tail<2>().norm() * back;
  }
  return work;
}

// Restitution with friction, and what a method could not end, may add energy [Kane 1985]: then all
// impulses of the island shrink alike, which leaves them admissible, until they add none beyond
// what is taken back.
double World::Impl::size_allowed(const IslandWork& work, std::span<const int> island,
                                 double h) const noexcept {
  if (!(work.linear + work.quadratic > 0.0)) return 1.0;
  const double room = work_allowed(island, h) - work.linear;
  return room < work.quadratic ? std::max(0.0, room / work.quadratic) : 1.0;
}

// Hands the impulses to the bodies.
void World::Impl::apply(std::span<const int> island, double h) noexcept {
  const IslandWork work = sum_impulses(island);
  const double size = size_allowed(work, island, h);
  if (size < 1.0) {
    for (const int i : island) {
      ContactForce& f = contacts[idx(i)].force;
      f.local *= size;
      f.impulse = f.impulse * size;
    }
    for (std::size_t k = 0; k < touching.size(); ++k) sums[k] = sums[k] * size;
  }
  contact_work += size * work.linear + size * size * work.quadratic;
  for (std::size_t k = 0; k < touching.size(); ++k) {
    systems[idx(touching[k].system)].impulse[idx(touching[k].body)] = sums[k];
  }
}

}  // namespace kagami::models
