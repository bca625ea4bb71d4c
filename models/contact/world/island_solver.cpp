#include "models/contact/world/island_solver.hpp"

#include <algorithm>
#include <utility>

namespace kagami::models {
namespace {

void fail(const Island& island) noexcept {
  for (const int i : island.indices) {
    const WorldContact& c = island.contact(i);
    island.systems[idx(c.system)].status = SystemStatus::kSolver;
    if (c.other == kNoStatic) island.systems[idx(c.other_system)].status = SystemStatus::kSolver;
  }
}

}  // namespace

IslandSolver::IslandSolver(std::unique_ptr<ContactMethod> method, const ContactSettings& settings,
                           std::span<const WorldSystem> systems, const ContactCapacity& capacity)
    : method_(std::move(method)),
      compensation_(settings.compensation),
      compensation_speed_(settings.compensation_speed),
      problem_(systems, capacity),
      split_(systems, capacity) {
  V_free_.reserve(idx(capacity.bodies));
  impulses_.reserve(idx(capacity.bodies));
}

IslandReport IslandSolver::solve(const Island& island, double h) noexcept {
  IslandReport report;
  report.split = !list_bodies(island);
  report.status = report.split ? split_.solve(island, h, *method_, problem_, report.iterations)
                               : solve_whole(island, h, report.iterations);
  if (!answered(report.status)) {
    fail(island);
    return report;
  }
  const IslandWork work = report.split ? split_.work_of(island) : work_of_whole(island);
  const double share = admissible_share(work, island, h);
  for (const int i : island.indices) {
    ContactForce& f = island.contact(i).force;
    f.local *= share;
    f.impulse = f.impulse * share;
  }
  if (report.split) {
    split_.sum_impulses(island);
  } else {
    shrink_impulses(island, share);
  }
  report.work = share * work.linear + share * share * work.quadratic;
  return report;
}

// false when there is no room for all
bool IslandSolver::list_bodies(const Island& island) noexcept {
  problem_.clear();
  return std::all_of(island.indices.begin(), island.indices.end(),
                     [&](int i) { return problem_.list(island.contact(i)); });
}

ContactStatus IslandSolver::solve_whole(const Island& island, double h, int& iterations) noexcept {
  problem_.load(island);
  const ContactStatus status = problem_.solve(*method_, h, iterations);
  if (!answered(status)) return status;
  for (std::size_t k = 0; k < island.indices.size(); ++k) {
    WorldContact& c = island.contact(island.indices[k]);
    c.force = problem_.forces()[k];
    add_impulse(island.systems, c, 1.0);
  }
  return status;
}

IslandWork IslandSolver::work_of_whole(const Island& island) noexcept {
  V_free_.clear();
  impulses_.clear();
  for (const TouchingBody& b : problem_.bodies()) {
    V_free_.push_back(b.V_free);
    impulses_.push_back(island.systems[idx(b.system)].impulse[idx(b.body)]);
  }
  IslandWork work;
  work.add(problem_.Phi(), V_free_, impulses_);
  return work;
}

// Restitution with friction, and what a method could not end, may add energy [Kane 1985]: then all
// impulses of the island shrink alike, which leaves them admissible, until they add none beyond
// what taking back penetration and offsets may cost.
double IslandSolver::admissible_share(const IslandWork& work, const Island& island,
                                      double h) const noexcept {
  if (!(work.linear + work.quadratic > 0.0)) return 1.0;
  const double rate = std::min(compensation_, 0.5 / h);
  double allowed = 0.0;  // J
  for (const int i : island.indices) {
    const WorldContact& c = island.contact(i);
    const double out = std::min(rate * std::max(0.0, -c.point.gap), compensation_speed_);
    const double back = std::min(rate * c.point.offset.norm(), compensation_speed_);
    allowed += c.force.local[0] * out + c.force.local.tail<2>().norm() * back;
  }
  const double room = allowed - work.linear;
  return room < work.quadratic ? std::max(0.0, room / work.quadratic) : 1.0;
}

void IslandSolver::shrink_impulses(const Island& island, double share) noexcept {
  for (const TouchingBody& b : problem_.bodies()) {
    Force& P = island.systems[idx(b.system)].impulse[idx(b.body)];
    P = P * share;
  }
}

}  // namespace kagami::models
