#include "models/contact/world/island_problem.hpp"

#include <algorithm>

namespace kagami::models {

IslandProblem::IslandProblem(std::span<const WorldSystem> systems, const ContactCapacity& capacity)
    : max_bodies_(idx(capacity.bodies)),
      Phi_(36 * max_bodies_ * max_bodies_),
      forces_(idx(capacity.points)) {
  for (const WorldSystem& s : systems) places_.emplace_back(s.touching.size(), -1);
  bodies_.reserve(max_bodies_);
  points_.reserve(idx(capacity.points));
  of_system_.reserve(max_bodies_);
}

void IslandProblem::clear() noexcept {
  for (const TouchingBody& b : bodies_) place(b.system, b.body) = -1;
  bodies_.clear();
}

bool IslandProblem::list(const WorldContact& c) noexcept {
  const std::size_t before = bodies_.size();
  const auto add = [&](int system, int body) {
    if (place(system, body) >= 0) return true;
    if (bodies_.size() == max_bodies_) return false;
    place(system, body) = 0;
    bodies_.push_back({.system = system, .body = body});
    return true;
  };
  if (add(c.system, c.body) && (c.other != kNoStatic || add(c.other_system, c.other_body))) {
    return true;
  }
  for (; bodies_.size() > before; bodies_.pop_back()) {
    place(bodies_.back().system, bodies_.back().body) = -1;
  }
  return false;
}

void IslandProblem::load(const Island& island) noexcept {
  std::sort(bodies_.begin(), bodies_.end(), [](const TouchingBody& a, const TouchingBody& b) {
    return a.system < b.system || (a.system == b.system && a.body < b.body);
  });
  int count = 0;
  for (TouchingBody& b : bodies_) {
    place(b.system, b.body) = count++;
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
  if (bodies_.front().system != bodies_.back().system) std::fill_n(Phi_.data(), n * n, 0.0);
  for (std::size_t first = 0, last = 0; first < bodies_.size(); first = last) {
    const int system = bodies_[first].system;
    of_system_.clear();
    for (; last < bodies_.size() && bodies_[last].system == system; ++last) {
      of_system_.push_back(bodies_[last].body);
    }
    double* block = Phi_.data() + 6 * first * n + 6 * first;
    systems[idx(system)].bodies->response(of_system_, block, static_cast<int>(n));
  }
}

void IslandProblem::solve(const Island& island, double h, ContactMethod& method,
                          IslandReport& report) noexcept {
  const ContactProblem problem{.step = h, .bodies = bodies_, .Phi = Phi_.data(), .points = points_};
  SolveReport solve;
  report.status = method.solve(problem, {forces_.data(), points_.size()}, solve);
  report.iterations += solve.iterations;
  if (!answered(report.status)) return;
  for (std::size_t k = 0; k < island.indices.size(); ++k) {
    WorldContact& c = island.contact(island.indices[k]);
    const Vec3 change = c.force.local - forces_[k].local;
    report.change = std::max(report.change, change.cwiseAbs().maxCoeff());
    c.force = forces_[k];
    add_impulse(island.systems, c, 1.0);
  }
}

}  // namespace kagami::models
