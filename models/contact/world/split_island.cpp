#include "models/contact/world/split_island.hpp"

#include <algorithm>

namespace kagami::models {
namespace {

constexpr int kMostSweeps = 50;
constexpr double kChange = 1e-6;  // of the largest impulse

// the impulses of the step before
void start(const Island& island) noexcept {
  for (const int i : island.indices) {
    WorldContact& c = island.contact(i);
    const ContactPoint& p = c.point;
    c.force = {};
    c.force.local = p.impulse_before;
    c.force.impulse = Force::from(
        Vec3::Zero(), p.n * c.force.local[0] + p.t1 * c.force.local[1] + p.t2 * c.force.local[2]);
    add_impulse(island.systems, c, 1.0);
  }
}

}  // namespace

SplitIsland::SplitIsland(std::span<const WorldSystem> systems, const ContactCapacity& capacity) {
  std::size_t most = 0;
  for (const WorldSystem& s : systems) most = std::max(most, s.touching.size());
  Phi_.resize(36 * most * most);
  bodies_.reserve(most);
  systems_.reserve(2 * idx(capacity.points));
  order_.reserve(idx(capacity.points));
  parts_.reserve(idx(capacity.points));
}

// in their order
void SplitIsland::list_systems(const Island& island) noexcept {
  systems_.clear();
  for (const int i : island.indices) {
    const WorldContact& c = island.contact(i);
    systems_.push_back(c.system);
    if (c.other == kNoStatic) systems_.push_back(c.other_system);
  }
  std::sort(systems_.begin(), systems_.end());
  systems_.erase(std::unique(systems_.begin(), systems_.end()), systems_.end());
}

// contacts in an order that keeps neighbours together, cut where a part is full; without room for
// the two bodies of a contact it is a part of none
void SplitIsland::make_parts(const Island& island, IslandProblem& problem) noexcept {
  order_.assign(island.indices.begin(), island.indices.end());
  const auto last_system = [&](int i) {
    return std::max(island.contact(i).system, island.contact(i).other_system);
  };
  std::sort(order_.begin(), order_.end(), [&](int i, int j) {
    const int a = last_system(i);
    const int b = last_system(j);
    return a < b || (a == b && i < j);
  });
  parts_.clear();
  std::size_t first = 0;
  while (first < order_.size()) {
    std::size_t last = first;
    problem.clear();
    while (last < order_.size() && problem.list(island.contact(order_[last]))) ++last;
    if (last == first) {
      island.contact(order_[first]).point.impulse_before.setZero();
      ++last;
    } else {
      parts_.push_back({order_.data() + first, last - first});
    }
    first = last;
  }
}

// Phi of all touching bodies of one system
void SplitIsland::respond(const WorldSystem& s) noexcept {
  bodies_.clear();
  for (int k = 0; k < s.bodies->count(); ++k) bodies_.push_back(k);
  s.bodies->response(bodies_, Phi_.data(), 6 * s.bodies->count());
}

// what the impulses so far, those of the part taken out, make of the part's free velocities
void SplitIsland::shift(const Island& part, IslandProblem& problem) noexcept {
  int responded = -1;  // system
  for (TouchingBody& body : problem.bodies()) {
    const WorldSystem& s = part.systems[idx(body.system)];
    if (body.system != responded) respond(s);
    responded = body.system;
    const std::size_t n = 6 * s.impulse.size();
    for (std::size_t e = 0; e < 6; ++e) {
      const double* row = Phi_.data() + (6 * idx(body.body) + e) * n;
      double x = 0.0;
      for (std::size_t j = 0; j < n; ++j) x += row[j] * s.impulse[j / 6].c[static_cast<int>(j % 6)];
      body.V_free.c[static_cast<int>(e)] += x;
    }
  }
}

// `change`: of the largest impulse component (N s)
ContactStatus SplitIsland::solve_part(const Island& part, double h, ContactMethod& method,
                                      IslandProblem& problem, int& iterations,
                                      double& change) noexcept {
  problem.clear();
  for (const int i : part.indices) {
    add_impulse(part.systems, part.contact(i), -1.0);
    (void)problem.list(part.contact(i));
  }
  problem.load(part);
  shift(part, problem);
  const ContactStatus status = problem.solve(method, h, iterations);
  if (!answered(status)) return status;
  for (std::size_t k = 0; k < part.indices.size(); ++k) {
    WorldContact& c = part.contact(part.indices[k]);
    const ContactForce& force = problem.forces()[k];
    change = std::max(change, (c.force.local - force.local).cwiseAbs().maxCoeff());
    c.force = force;
    add_impulse(part.systems, c, 1.0);
  }
  return ContactStatus::kOk;
}

// there and back over the parts, while the method gives an answer
ContactStatus SplitIsland::sweep(const Island& island, double h, ContactMethod& method,
                                 IslandProblem& problem, int& iterations) noexcept {
  for (int sweep_count = 0; sweep_count < kMostSweeps; ++sweep_count) {
    double change = 0.0;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const std::size_t number = sweep_count % 2 == 0 ? k : parts_.size() - 1 - k;
      const Island part{island.systems, island.contacts, parts_[number]};
      const ContactStatus status = solve_part(part, h, method, problem, iterations, change);
      if (!answered(status)) return status;
    }
    double most = 0.0;
    for (const int i : island.indices) {
      most = std::max(most, island.contact(i).force.local.cwiseAbs().maxCoeff());
    }
    if (change <= kChange * most) break;
  }
  return ContactStatus::kOk;
}

ContactStatus SplitIsland::solve(const Island& island, double h, ContactMethod& method,
                                 IslandProblem& problem, int& iterations) noexcept {
  list_systems(island);
  make_parts(island, problem);
  start(island);
  const ContactStatus status =
      parts_.empty() ? ContactStatus::kCapacity : sweep(island, h, method, problem, iterations);
  if (answered(status)) return status;
  for (const int i : island.indices) island.contact(i).force = {};
  sum_impulses(island);
  return status;
}

IslandWork SplitIsland::work_of(const Island& island) noexcept {
  IslandWork work;
  for (const int i : systems_) {
    const WorldSystem& s = island.systems[idx(i)];
    respond(s);
    work.add(Phi_.data(), s.bodies->V_free, s.impulse);
  }
  return work;
}

void SplitIsland::sum_impulses(const Island& island) const noexcept {
  for (const int i : systems_) {
    for (Force& P : island.systems[idx(i)].impulse) P = Force::zero();
  }
  for (const int i : island.indices) add_impulse(island.systems, island.contact(i), 1.0);
}

}  // namespace kagami::models
