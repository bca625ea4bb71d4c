// One island of a world: what touches is collected, solved, and its impulses handed back.
#include <Eigen/Geometry>
#include <algorithm>

#include "models/contact/world_impl.hpp"

namespace kagami::models {
namespace {

std::size_t at(int i) noexcept {
  return static_cast<std::size_t>(i);
}

}  // namespace

// contacts lie system after system, and every system touches static shapes only: an island each
void World::Impl::solve(double h) noexcept {
  contact_work = 0.0;
  std::size_t first = 0;
  while (first < contacts.size()) {
    std::size_t last = first;
    while (last < contacts.size() && contacts[last].system == contacts[first].system) ++last;
    solve_island(first, last, h);
    first = last;
  }
}

void World::Impl::solve_island(std::size_t first, std::size_t last, double h) noexcept {
  const int index = contacts[first].system;
  System& s = systems[at(index)];
  touching.clear();
  touching_of_system.clear();
  points.clear();
  for (std::size_t i = first; i < last; ++i) {
    WorldContact& contact = contacts[i];
    if (touching_of_system.empty() || touching_of_system.back() != contact.body) {
      const auto known =
          std::find(touching_of_system.begin(), touching_of_system.end(), contact.body);
      if (known == touching_of_system.end()) {
        if (touching.size() == at(capacity.bodies)) {
          worsen(WorldStatus::kCapacity);
          ++counters.overflowed;
          s.status = SystemStatus::kSolver;
          return;
        }
        touching_of_system.push_back(contact.body);
        touching.push_back({.system = index,
                            .body = contact.body,
                            .origin = s.bodies->origin(),
                            .V_before = s.bodies->V_before[at(contact.body)],
                            .V_free = s.bodies->V_free[at(contact.body)]});
      }
    }
    const auto place =
        std::find(touching_of_system.begin(), touching_of_system.end(), contact.body);
    contact.point.a = static_cast<int>(place - touching_of_system.begin());
    points.push_back(contact.point);
  }
  const int stride = 6 * static_cast<int>(touching.size());
  s.bodies->response(touching_of_system, Phi.data(), stride);
  const ContactProblem problem{.step = h, .bodies = touching, .Phi = Phi.data(), .points = points};
  SolveReport report;
  const ContactStatus answer = method->solve(problem, {forces.data(), points.size()}, report);
  counters.iterations += report.iterations;
  if (answer == ContactStatus::kCapacity || answer == ContactStatus::kNotFinite) {
    s.status = SystemStatus::kSolver;
    ++counters.failed;
    worsen(WorldStatus::kSolver);
    return;
  }
  if (answer == ContactStatus::kNotConverged) {
    ++counters.not_converged;
    worsen(WorldStatus::kNotConverged);
  }
  for (std::size_t i = first; i < last; ++i) contacts[i].force = forces[i - first];
  apply(first, last);
}

// hands the impulses to the bodies; what they do, with W = P' (V_free + 1/2 Phi P)
void World::Impl::apply(std::size_t first, std::size_t last) noexcept {
  System& s = systems[at(contacts[first].system)];
  for (std::size_t k = 0; k < touching.size(); ++k) sums[k] = Force::zero();
  for (std::size_t i = first; i < last; ++i) {
    const WorldContact& contact = contacts[i];
    const Vec3 P = contact.force.impulse.force();
    const Vec3 r = contact.point.p - s.bodies->origin();
    sums[at(contact.point.a)] += Force::from(contact.force.impulse.moment() + r.cross(P), P);
  }
  const std::size_t n = 6 * touching.size();
  for (std::size_t k = 0; k < touching.size(); ++k) {
    s.impulse[at(touching_of_system[k])] = sums[k];
    contact_work += power(touching[k].V_free, sums[k]);
    for (std::size_t i = 0; i < 6; ++i) {
      const double* row = Phi.data() + (6 * k + i) * n;
      double x = 0.0;
      for (std::size_t j = 0; j < touching.size(); ++j) {
        for (std::size_t e = 0; e < 6; ++e) x += row[6 * j + e] * sums[j].c[static_cast<int>(e)];
      }
      contact_work += 0.5 * x * sums[k].c[static_cast<int>(i)];
    }
  }
}

}  // namespace kagami::models
