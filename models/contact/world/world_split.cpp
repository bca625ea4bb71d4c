// An island of more bodies than one problem may have: its contacts in parts that fit, one after the
// other, each with the impulses of all others given (block Gauss-Seidel, there and back), from
// those of the step before, until none changes.
#include <Eigen/Geometry>
#include <algorithm>

#include "models/base/idx.hpp"
#include "models/contact/world/world_impl.hpp"

namespace kagami::models {
namespace {

constexpr int kMostSweeps = 50;
constexpr double kChange = 1e-6;  // of the largest impulse

}  // namespace

void World::Impl::reserve_split() {
  std::size_t most = 0;
  for (const System& s : systems) most = std::max(most, idx(s.bodies->count()));
  split_Phi.resize(36 * most * most);
  split_bodies.reserve(most);
  split_order.reserve(idx(capacity.points));
  parts.reserve(idx(capacity.points));
}

// a contact's impulse on both of its systems
void World::Impl::add_impulse(const WorldContact& c, double sign) noexcept {
  const Vec3 P = sign * c.force.impulse.force();
  const Vec3 M = sign * c.force.impulse.moment();
  System& a = systems[idx(c.system)];
  a.impulse[idx(c.body)] += Force::from(M + (c.point.p - a.bodies->origin()).cross(P), P);
  if (c.other != kNoStatic) return;
  System& b = systems[idx(c.other_system)];
  b.impulse[idx(c.other_body)] += Force::from(-M - (c.point.p - b.bodies->origin()).cross(P), -P);
}

// contacts in an order that keeps neighbours together, cut where a part is full; without room for
// the two bodies of a contact it is a part of none
void World::Impl::make_parts(std::span<const int> island) noexcept {
  split_order.assign(island.begin(), island.end());
  const auto last_system = [this](int i) {
    return std::max(contacts[idx(i)].system, contacts[idx(i)].other_system);
  };
  std::sort(split_order.begin(), split_order.end(), [&](int i, int j) {
    const int a = last_system(i);
    const int b = last_system(j);
    return a < b || (a == b && i < j);
  });
  parts.clear();
  std::size_t first = 0;
  while (first < split_order.size()) {
    std::size_t last = first;
    places.clear();
    while (last < split_order.size() && list_contact(contacts[idx(split_order[last])])) ++last;
    clear_places();
    const std::span<const int> part{split_order.data() + first, last - first};
    if (part.empty()) {
      contacts[idx(split_order[first])].point.impulse_before.setZero();
    } else {
      parts.push_back(part);
    }
    first = std::max(last, first + 1);
  }
}

// what the impulses so far, those of the part taken out, make of the part's free velocities
void World::Impl::shift_part() noexcept {
  std::size_t k = 0;
  while (k < touching.size()) {
    System& s = systems[idx(touching[k].system)];
    respond_wholly(s);
    const std::size_t n = 6 * s.impulse.size();
    for (const int system = touching[k].system; k < touching.size() && touching[k].system == system;
         ++k) {
      for (std::size_t e = 0; e < 6; ++e) {
        const double* row = split_Phi.data() + (6 * idx(touching[k].body) + e) * n;
        double x = 0.0;
        for (std::size_t j = 0; j < n; ++j)
          x += row[j] * s.impulse[j / 6].c[static_cast<int>(j % 6)];
        touching[k].V_free.c[static_cast<int>(e)] += x;
      }
    }
  }
}

// Phi of all touching bodies of one system
void World::Impl::respond_wholly(System& s) noexcept {
  split_bodies.clear();
  for (int k = 0; k < s.bodies->count(); ++k) split_bodies.push_back(k);
  s.bodies->response(split_bodies, split_Phi.data(), 6 * s.bodies->count());
}

// false when the method gives no answer; `change`: of the largest impulse component (N s)
bool World::Impl::solve_part(std::span<const int> part, double h, double& change) noexcept {
  places.clear();
  for (const int i : part) {
    add_impulse(contacts[idx(i)], -1.0);
    (void)list_contact(contacts[idx(i)]);
  }
  sort_places();
  load_island(part);
  shift_part();
  const ContactProblem problem{.step = h, .bodies = touching, .Phi = Phi.data(), .points = points};
  SolveReport report;
  const ContactStatus answer = method->solve(problem, {forces.data(), points.size()}, report);
  clear_places();
  counters.iterations += report.iterations;
  if (answer == ContactStatus::kCapacity || answer == ContactStatus::kNotFinite) return false;
  for (std::size_t k = 0; k < part.size(); ++k) {
    WorldContact& c = contacts[idx(part[k])];
    change = std::max(change, (c.force.local - forces[k].local).cwiseAbs().maxCoeff());
    c.force = forces[k];
    add_impulse(c, 1.0);
  }
  return true;
}

// there and back over the parts; false when the method gave no answer
bool World::Impl::sweep_parts(std::span<const int> island, double h) noexcept {
  for (int sweep_count = 0; sweep_count < kMostSweeps; ++sweep_count) {
    double change = 0.0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const std::size_t part = sweep_count % 2 == 0 ? k : parts.size() - 1 - k;
      if (!solve_part(parts[part], h, change)) return false;
    }
    double most = 0.0;
    for (const int i : island) {
      most = std::max(most, contacts[idx(i)].force.local.cwiseAbs().maxCoeff());
    }
    if (change <= kChange * most) break;
  }
  return true;
}

World::Impl::IslandWork World::Impl::work_of_systems(int root) noexcept {
  IslandWork work;
  for (int i = 0; i < static_cast<int>(systems.size()); ++i) {
    System& s = systems[idx(i)];
    if (root_of(i) != root || s.status != SystemStatus::kOk || s.impulse.empty()) continue;
    respond_wholly(s);
    const std::size_t n = 6 * s.impulse.size();
    for (std::size_t k = 0; k < s.impulse.size(); ++k) {
      work.linear += power(s.bodies->V_free[k], s.impulse[k]);
    }
    for (std::size_t j = 0; j < n; ++j) {
      double x = 0.0;
      for (std::size_t e = 0; e < n; ++e) {
        x += split_Phi[j * n + e] * s.impulse[e / 6].c[static_cast<int>(e % 6)];
      }
      work.quadratic += 0.5 * x * s.impulse[j / 6].c[static_cast<int>(j % 6)];
    }
  }
  return work;
}

void World::Impl::clear_impulses(int root) noexcept {
  for (int i = 0; i < static_cast<int>(systems.size()); ++i) {
    if (root_of(i) != root) continue;
    for (Force& P : systems[idx(i)].impulse) P = Force::zero();
  }
}

void World::Impl::solve_split(std::span<const int> island, double h) noexcept {
  ++counters.overflowed;
  worsen(WorldStatus::kCapacity);
  const int root = root_of(contacts[idx(island.front())].system);
  make_parts(island);
  for (const int i : island) {
    WorldContact& c = contacts[idx(i)];
    const ContactPoint& p = c.point;
    c.force = {};
    c.force.local = p.impulse_before;
    c.force.impulse = Force::from(
        Vec3::Zero(), p.n * c.force.local[0] + p.t1 * c.force.local[1] + p.t2 * c.force.local[2]);
    add_impulse(c, 1.0);
  }
  if (parts.empty() || !sweep_parts(island, h)) {
    clear_impulses(root);
    for (const int i : island) contacts[idx(i)].force = {};
    fail_island(island);
    ++counters.failed;
    worsen(WorldStatus::kSolver);
    return;
  }
  const IslandWork work = work_of_systems(root);
  const double size = size_allowed(work, island, h);
  clear_impulses(root);  // sums without what came and went
  for (const int i : island) {
    ContactForce& f = contacts[idx(i)].force;
    f.local *= size;
    f.impulse = f.impulse * size;
    add_impulse(contacts[idx(i)], 1.0);
  }
  contact_work += size * work.linear + size * size * work.quadratic;
}

}  // namespace kagami::models
