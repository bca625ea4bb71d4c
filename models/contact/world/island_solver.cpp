#include "models/contact/world/island_solver.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kagami::models {
namespace {

constexpr int kMostSweeps = 50;
constexpr double kChange = 1e-6;  // of the largest impulse

double product(const double* row, std::span<const Force> P) noexcept {
  double x = 0.0;
  for (std::size_t j = 0; j < 6 * P.size(); ++j) x += row[j] * P[j / 6].c[static_cast<int>(j % 6)];
  return x;
}

// adds 1/2 P' Phi P
void add_quadratic(const double* Phi, std::span<const Force> P, double& sum) noexcept {
  for (std::size_t i = 0; i < 6 * P.size(); ++i) {
    sum += 0.5 * product(Phi + i * 6 * P.size(), P) * P[i / 6].c[static_cast<int>(i % 6)];
  }
}

}  // namespace

IslandSolver::IslandSolver(std::unique_ptr<ContactMethod> method, const ContactSettings& settings,
                           std::span<const WorldSystem> systems, const ContactCapacity& capacity)
    : method_(std::move(method)),
      compensation_(settings.compensation),
      compensation_speed_(settings.compensation_speed),
      problem_(systems, capacity) {
  std::size_t most = 0;
  for (const WorldSystem& s : systems) most = std::max(most, s.touching.size());
  impulses_.reserve(idx(capacity.bodies));
  systems_.reserve(2 * idx(capacity.points));
  order_.reserve(idx(capacity.points));
  parts_.reserve(idx(capacity.points));
  bodies_.reserve(most);
  Phi_.resize(36 * most * most);
}

IslandReport IslandSolver::solve(const Island& island, double h) noexcept {
  IslandReport report;
  problem_.clear();
  report.split = !std::all_of(island.indices.begin(), island.indices.end(),
                              [&](int i) { return problem_.list(island.contact(i)); });
  if (report.split) {
    solve_split(island, h, report);
  } else {
    problem_.load(island);
    problem_.solve(island, h, *method_, report);
  }
  if (answered(report.status)) {
    const Work work = work_of(island, report.split);
    const double share = admissible_share(work, island, h);
    shrink(island, share, report.split);
    report.work = share * work.linear + share * share * work.quadratic;
    return report;
  }
  list_systems(island);
  clear_impulses(island);
  for (const int i : systems_) island.systems[idx(i)].status = SystemStatus::kSolver;
  for (const int i : island.indices) island.contact(i).force = {};
  return report;
}

// sweeps there and back over the parts, while the method gives an answer
void IslandSolver::solve_split(const Island& island, double h, IslandReport& report) noexcept {
  list_systems(island);
  make_parts(island);
  for (const int i : island.indices) {  // from the impulses of the step before
    WorldContact& c = island.contact(i);
    const ContactPoint& p = c.point;
    const Vec3& local = p.impulse_before;
    c.force = {
        .impulse = Force::from(Vec3::Zero(), p.n * local[0] + p.t1 * local[1] + p.t2 * local[2]),
        .local = local};
    add_impulse(island.systems, c, 1.0);
  }
  report.status = parts_.empty() ? ContactStatus::kCapacity : ContactStatus::kOk;
  for (int sweep = 0; sweep < kMostSweeps && report.status == ContactStatus::kOk; ++sweep) {
    report.change = 0.0;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const std::size_t number = sweep % 2 == 0 ? k : parts_.size() - 1 - k;
      solve_part({island.systems, island.contacts, parts_[number]}, h, report);
      if (!answered(report.status)) return;
    }
    report.status = ContactStatus::kOk;
    double most = 0.0;
    for (const int i : island.indices) {
      most = std::max(most, island.contact(i).force.local.cwiseAbs().maxCoeff());
    }
    if (report.change <= kChange * most) break;
  }
}

// contacts in an order that keeps neighbours together, cut where a part is full; without room for
// the two bodies of a contact it is a part of none
void IslandSolver::make_parts(const Island& island) noexcept {
  order_.assign(island.indices.begin(), island.indices.end());
  const auto last_system = [&](int i) {
    return std::max(island.contact(i).system, island.contact(i).other_system);
  };
  std::sort(order_.begin(), order_.end(), [&](int i, int j) {
    return std::pair(last_system(i), i) < std::pair(last_system(j), j);
  });
  parts_.clear();
  for (std::size_t first = 0, last = 0; first < order_.size(); first = last) {
    problem_.clear();
    while (last < order_.size() && problem_.list(island.contact(order_[last]))) ++last;
    if (last > first) {
      parts_.push_back({order_.data() + first, last - first});
    } else {
      island.contact(order_[last++]).point.impulse_before.setZero();
    }
  }
}

void IslandSolver::solve_part(const Island& part, double h, IslandReport& report) noexcept {
  problem_.clear();
  for (const int i : part.indices) {
    add_impulse(part.systems, part.contact(i), -1.0);
    (void)problem_.list(part.contact(i));
  }
  problem_.load(part);
  // what the impulses of all others make of the free velocities
  int responded = -1;  // system
  for (TouchingBody& body : problem_.bodies()) {
    const WorldSystem& s = part.systems[idx(body.system)];
    if (body.system != responded) respond(s);
    responded = body.system;
    for (int e = 0; e < 6; ++e) {
      const std::size_t row = idx(6 * body.body + e);
      body.V_free.c[e] += product(Phi_.data() + row * 6 * s.impulse.size(), s.impulse);
    }
  }
  problem_.solve(part, h, *method_, report);
}

// Phi of all touching bodies of one system
void IslandSolver::respond(const WorldSystem& s) noexcept {
  bodies_.resize(s.touching.size());
  std::iota(bodies_.begin(), bodies_.end(), 0);
  s.bodies->response(bodies_, Phi_.data(), 6 * s.bodies->count());
}

IslandSolver::Work IslandSolver::work_of(const Island& island, bool split) noexcept {
  Work work;
  if (split) {
    for (const int i : systems_) {
      const WorldSystem& s = island.systems[idx(i)];
      respond(s);
      for (std::size_t k = 0; k < s.impulse.size(); ++k) {
        work.linear += power(s.bodies->V_free[k], s.impulse[k]);
      }
      add_quadratic(Phi_.data(), s.impulse, work.quadratic);
    }
    return work;
  }
  impulses_.clear();
  for (const TouchingBody& b : problem_.bodies()) {
    impulses_.push_back(island.systems[idx(b.system)].impulse[idx(b.body)]);
    work.linear += power(b.V_free, impulses_.back());
  }
  add_quadratic(problem_.Phi(), impulses_, work.quadratic);
  return work;
}

// Restitution with friction, and what a method could not end, may add energy [Kane 1985]: then all
// impulses of the island shrink alike, which leaves them admissible, until they add none beyond
// what taking back penetration and offsets may cost.
double IslandSolver::admissible_share(const Work& work, const Island& island,
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

// after a split anew from the contacts, without what came and went
void IslandSolver::shrink(const Island& island, double share, bool split) noexcept {
  if (split) clear_impulses(island);
  for (const int i : island.indices) {
    ContactForce& f = island.contact(i).force;
    f.local *= share;
    f.impulse = f.impulse * share;
    if (split) add_impulse(island.systems, island.contact(i), 1.0);
  }
  if (split) return;
  for (const TouchingBody& b : problem_.bodies()) {
    Force& P = island.systems[idx(b.system)].impulse[idx(b.body)];
    P = P * share;
  }
}

void IslandSolver::list_systems(const Island& island) noexcept {
  systems_.clear();
  for (const int i : island.indices) {
    const WorldContact& c = island.contact(i);
    systems_.push_back(c.system);
    if (c.other == kNoStatic) systems_.push_back(c.other_system);
  }
  std::sort(systems_.begin(), systems_.end());
  systems_.erase(std::unique(systems_.begin(), systems_.end()), systems_.end());
}

void IslandSolver::clear_impulses(const Island& island) const noexcept {
  for (const int i : systems_) {
    for (Force& P : island.systems[idx(i)].impulse) P = Force::zero();
  }
}

}  // namespace kagami::models
