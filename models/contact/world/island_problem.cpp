#include "models/contact/world/island_problem.hpp"

#include <algorithm>

#include "models/base/idx.hpp"

namespace kagami::models {

void IslandWork::add(const double* Phi, std::span<const Motion> V_free,
                     std::span<const Force> P) noexcept {
  const std::size_t n = 6 * P.size();
  for (std::size_t k = 0; k < P.size(); ++k) {
    linear += power(V_free[k], P[k]);
    for (std::size_t i = 0; i < 6; ++i) {
      const double* row = Phi + (6 * k + i) * n;
      double x = 0.0;
      for (std::size_t j = 0; j < n; ++j) x += row[j] * P[j / 6].c[static_cast<int>(j % 6)];
      quadratic += 0.5 * x * P[k].c[static_cast<int>(i)];
    }
  }
}

IslandProblem::IslandProblem(std::span<const WorldSystem> systems, const ContactCapacity& capacity)
    : max_bodies_(idx(capacity.bodies)),
      Phi_(36 * max_bodies_ * max_bodies_),
      forces_(idx(capacity.points)) {
  for (const WorldSystem& s : systems) places_.emplace_back(s.touching.size(), -1);
  bodies_.reserve(max_bodies_);
  points_.reserve(idx(capacity.points));
  of_system_.reserve(max_bodies_);
}

int& IslandProblem::place(int system, int body) noexcept {
  return places_[idx(system)][idx(body)];
}

void IslandProblem::clear() noexcept {
  for (const TouchingBody& b : bodies_) place(b.system, b.body) = -1;
  bodies_.clear();
}

// false when there is no room for one more
bool IslandProblem::list(int system, int body) noexcept {
  if (place(system, body) >= 0) return true;
  if (bodies_.size() == max_bodies_) return false;
  place(system, body) = 0;
  bodies_.push_back({.system = system, .body = body});
  return true;
}

bool IslandProblem::list(const WorldContact& c) noexcept {
  const std::size_t before = bodies_.size();
  if (list(c.system, c.body) && (c.other != kNoStatic || list(c.other_system, c.other_body))) {
    return true;
  }
  while (bodies_.size() > before) {
    place(bodies_.back().system, bodies_.back().body) = -1;
    bodies_.pop_back();
  }
  return false;
}

// system after system
void IslandProblem::sort_bodies() noexcept {
  std::sort(bodies_.begin(), bodies_.end(), [](const TouchingBody& a, const TouchingBody& b) {
    return a.system < b.system || (a.system == b.system && a.body < b.body);
  });
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    place(bodies_[k].system, bodies_[k].body) = static_cast<int>(k);
  }
}

void IslandProblem::load(const Island& island) noexcept {
  sort_bodies();
  for (TouchingBody& b : bodies_) {
    const ContactBodies& of = *island.systems[idx(b.system)].bodies;
    b.origin = of.origin();
    b.V_before = of.V_before[idx(b.body)];
    b.V_free = of.V_free[idx(b.body)];
  }
  points_.clear();
  for (const int i : island.indices) {
    WorldContact& c = island.contact(i);
    c.point.a = place(c.system, c.body);
    if (c.other == kNoStatic) c.point.b = place(c.other_system, c.other_body);
    points_.push_back(c.point);
  }
  load_response(island.systems);
}

// blocks between systems are zero
void IslandProblem::load_response(std::span<const WorldSystem> systems) noexcept {
  const std::size_t n = 6 * bodies_.size();
  const bool several = bodies_.front().system != bodies_.back().system;
  if (several) std::fill_n(Phi_.data(), n * n, 0.0);
  std::size_t first = 0;
  while (first < bodies_.size()) {
    const int system = bodies_[first].system;
    of_system_.clear();
    std::size_t last = first;
    for (; last < bodies_.size() && bodies_[last].system == system; ++last) {
      of_system_.push_back(bodies_[last].body);
    }
    double* block = Phi_.data() + 6 * first * n + 6 * first;
    systems[idx(system)].bodies->response(of_system_, block, static_cast<int>(n));
    first = last;
  }
}

ContactStatus IslandProblem::solve(ContactMethod& method, double h, int& iterations) noexcept {
  const ContactProblem problem{.step = h, .bodies = bodies_, .Phi = Phi_.data(), .points = points_};
  SolveReport report;
  const ContactStatus status = method.solve(problem, {forces_.data(), points_.size()}, report);
  iterations += report.iterations;
  return status;
}

}  // namespace kagami::models
