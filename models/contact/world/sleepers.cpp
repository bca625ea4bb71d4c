#include "models/contact/world/sleepers.hpp"

#include <algorithm>
#include <cmath>

namespace kagami::models {
namespace {

// of its largest number: a servo at rest repeats itself so well
constexpr double kSameDrive = 1e-6;

// bits, so that a NaN counts as a change
bool same(const JointVector& a, const JointVector& b) noexcept {
  return a.size() == b.size() && std::equal(a.data(), a.data() + a.size(), b.data());
}

// the numbers a(i) and b(i)
template <class A, class B>
bool alike(int count, const A& a, const B& b) noexcept {
  double most = 0.0;
  for (int i = 0; i < count; ++i) most = std::max({most, std::abs(a(i)), std::abs(b(i))});
  for (int i = 0; i < count; ++i) {
    if (!(std::abs(a(i) - b(i)) <= kSameDrive * most)) return false;
  }
  return true;
}

bool alike(const JointVector& a, const JointVector& b) noexcept {
  return a.size() == b.size() && alike(static_cast<int>(a.size()), a, b);
}

// a body without an entry is not pushed
bool alike(const std::vector<Force>& a, const std::vector<Force>& b) noexcept {
  const auto numbers = [](const std::vector<Force>& F) {
    return [&F](int i) { return idx(i / 6) < F.size() ? F[idx(i / 6)].c[i % 6] : 0.0; };
  };
  return alike(6 * static_cast<int>(std::max(a.size(), b.size())), numbers(a), numbers(b));
}

bool alike(const Drive& a, const Drive& b) noexcept {
  return alike(a.tau, b.tau) && alike(a.added_inertia, b.added_inertia) && alike(a.F_ext, b.F_ext);
}

// into memory that is reserved for all bodies
void copy(const Drive& from, Drive& to) noexcept {
  to.tau = from.tau;
  to.added_inertia = from.added_inertia;
  const std::size_t count = std::min(from.F_ext.size(), to.F_ext.capacity());
  to.F_ext.resize(count, Force::zero());
  std::copy_n(from.F_ext.begin(), count, to.F_ext.begin());
}

}  // namespace

Sleepers::Sleepers(std::span<const WorldSystem> systems, const SleepSettings& settings)
    : settings_(settings), rests_(systems.size()), groups_(systems.size()) {
  for (std::size_t i = 0; i < systems.size(); ++i) {
    rests_[i].drive = systems[i].drive;
    rests_[i].drive.F_ext.reserve(idx(systems[i].model().num_bodies()));
  }
}

bool Sleepers::wake(std::span<WorldSystem> systems, int group) noexcept {
  bool any = false;
  for (std::size_t i = 0; i < systems.size(); ++i) {
    if (!systems[i].asleep || (group != kAllGroups && rests_[i].group != group)) continue;
    systems[i].asleep = false;
    rests_[i].quiet = 0.0;
    any = true;
  }
  return any;
}

void Sleepers::wake_disturbed(std::span<WorldSystem> systems) noexcept {
  for (std::size_t i = 0; i < systems.size(); ++i) {
    const WorldSystem& s = systems[i];
    const Rest& rest = rests_[i];
    const bool disturbed =
        s.asleep && !(same(s.state.q, rest.state.q) && same(s.state.v, rest.state.v) &&
                      alike(s.drive, rest.drive));
    if (disturbed) wake(systems, rest.group);
  }
}

bool Sleepers::wake_touched(std::span<WorldSystem> systems, const NearPairs& pairs) noexcept {
  bool woken = !pairs.complete() && wake(systems);
  for (const BoundsPair& pair : pairs.pairs()) {
    const int a = pairs.place(pair.a).system;
    const int b = pairs.place(pair.b).system;
    if (systems[idx(a)].asleep == systems[idx(b)].asleep) continue;
    woken |= wake(systems, rests_[idx(systems[idx(a)].asleep ? a : b)].group);
  }
  return woken;
}

// true when it has been at rest for long
bool Sleepers::watch(const WorldSystem& s, Rest& rest, double h) const noexcept {
  const bool slow = s.state.v.size() == 0 || s.state.v.cwiseAbs().maxCoeff() < settings_.speed;
  const bool quiet = slow && s.status == SystemStatus::kOk && alike(s.drive, rest.drive);
  rest.quiet = quiet ? rest.quiet + h : 0.0;
  if (!quiet) copy(s.drive, rest.drive);
  return rest.quiet >= settings_.time;
}

void Sleepers::settle(std::span<WorldSystem> systems, const NearPairs& pairs, bool complete,
                      double h) noexcept {
  if (settings_.time <= 0.0) return;
  const int count = static_cast<int>(systems.size());
  bool any = false;
  for (int i = 0; i < count; ++i) {
    any |= !systems[idx(i)].asleep && watch(systems[idx(i)], rests_[idx(i)], h);
  }
  if (!any || !complete) return;
  // what is near each other
  groups_.clear();
  for (const BoundsPair& pair : pairs.pairs()) {
    groups_.join(pairs.place(pair.a).system, pairs.place(pair.b).system);
  }
  for (Rest& rest : rests_) rest.group_rests = true;
  for (int i = 0; i < count; ++i) {
    if (systems[idx(i)].asleep || rests_[idx(i)].quiet >= settings_.time) continue;
    rests_[idx(groups_.first_of(i))].group_rests = false;
  }
  for (int i = 0; i < count; ++i) {
    const int group = groups_.first_of(i);
    if (systems[idx(i)].asleep || !rests_[idx(group)].group_rests) continue;
    fall_asleep(systems[idx(i)], rests_[idx(i)], group, h);
  }
}

void Sleepers::fall_asleep(WorldSystem& s, Rest& rest, int group, double h) noexcept {
  s.state.v.setZero();
  if (!s.bodies->begin(s.state, s.drive, h)) return;  // for the poses; it was finite a step ago
  std::fill(s.bodies->V_before.begin(), s.bodies->V_before.end(), Motion::zero());
  std::fill(s.bodies->V_free.begin(), s.bodies->V_free.end(), Motion::zero());
  for (SystemShape& shape : s.shapes) shape.way = 0.0;
  s.vdot.setZero();
  rest.state.q = s.state.q;
  rest.state.v = s.state.v;
  copy(s.drive, rest.drive);
  rest.group = group;
  s.asleep = true;
}

}  // namespace kagami::models
