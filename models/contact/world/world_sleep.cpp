// Systems at rest that are left out of the steps until something moves them. Those that sleep and
// wake together are systems whose boxes, widened by the way of a step, overlap, directly or over
// others: whatever could touch a sleeper in this step is awake beside it, whichever method solves.
#include <algorithm>

#include "models/base/idx.hpp"
#include "models/contact/world/world_impl.hpp"

namespace kagami::models {
namespace {

constexpr double kSameDrive =
    1e-6;  // of its largest number: a servo at rest repeats itself so well

// bits, so that a NaN counts as a change
bool same(const JointVector& a, const JointVector& b) noexcept {
  return a.size() == b.size() && std::equal(a.data(), a.data() + a.size(), b.data());
}

bool alike(const JointVector& a, const JointVector& b) noexcept {
  if (a.size() != b.size()) return false;
  double most = 0.0;
  for (Eigen::Index k = 0; k < a.size(); ++k) {
    most = std::max({most, std::abs(a[k]), std::abs(b[k])});
  }
  for (Eigen::Index k = 0; k < a.size(); ++k) {
    if (!(std::abs(a[k] - b[k]) <= kSameDrive * most)) return false;
  }
  return true;
}

// a body without an entry is not pushed
bool alike(const std::vector<Force>& a, const std::vector<Force>& b) noexcept {
  const std::size_t count = std::max(a.size(), b.size());
  const auto of = [](const std::vector<Force>& F, std::size_t i) {
    return i < F.size() ? F[i] : Force::zero();
  };
  double most = 0.0;
  for (const Force& F : a) most = std::max(most, F.c.cwiseAbs().maxCoeff());
  for (const Force& F : b) most = std::max(most, F.c.cwiseAbs().maxCoeff());
  for (std::size_t i = 0; i < count; ++i) {
    const double change = (of(a, i).c - of(b, i).c).cwiseAbs().maxCoeff();
    if (!(change <= kSameDrive * most)) return false;
  }
  return true;
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

void World::Impl::wake(int group) noexcept {
  for (System& s : systems) {
    if (!s.asleep || (group != kEverybody && s.group != group)) continue;
    s.asleep = false;
    s.quiet = 0.0;
  }
}

// before the step: sleepers whose state or drive was changed from outside
void World::Impl::wake_disturbed() noexcept {
  for (const System& s : systems) {
    if (!s.asleep) continue;
    if (same(s.state.q, s.kept_state.q) && same(s.state.v, s.kept_state.v) &&
        alike(s.drive, s.kept_drive)) {
      continue;
    }
    wake(s.group);
  }
}

// after the systems have begun: sleepers that something awake comes near to
void World::Impl::wake_touched(double h) noexcept {
  if (sweep == nullptr) return;
  const auto sleeps = [](const System& s) { return s.asleep; };
  while (std::any_of(systems.begin(), systems.end(), sleeps)) {
    if (!pairs_known) wake(kEverybody);
    for (const BoundsPair& pair : sweep->pairs()) {
      const System& a = systems[idx(moving[idx(pair.a)].system)];
      const System& b = systems[idx(moving[idx(pair.b)].system)];
      if (a.asleep != b.asleep) wake(a.asleep ? a.group : b.group);
    }
    bool woken = false;
    for (System& s : systems) {
      if (s.asleep || s.begun) continue;
      begin_system(s, h);
      woken = true;
    }
    if (!woken) return;
    find_pairs();  // who is awake has farther to go
  }
}

// what is near each other, each group known by its first system
void World::Impl::find_groups() noexcept {
  for (int s = 0; s < static_cast<int>(systems.size()); ++s) joined[idx(s)] = s;
  if (sweep == nullptr) return;
  for (const BoundsPair& pair : sweep->pairs()) {
    const int a = root_of(moving[idx(pair.a)].system);
    const int b = root_of(moving[idx(pair.b)].system);
    joined[idx(std::max(a, b))] = std::min(a, b);
  }
}

// after the step: who has been at rest for long, with all that is near
void World::Impl::settle(double h) noexcept {
  bool any = false;
  for (System& s : systems) {
    counters.asleep += s.asleep ? 1 : 0;
    if (s.asleep) continue;
    const bool slow = s.state.v.size() == 0 || s.state.v.cwiseAbs().maxCoeff() < sleep.speed;
    const bool quiet = slow && s.status == SystemStatus::kOk && alike(s.drive, s.kept_drive);
    s.quiet = quiet ? s.quiet + h : 0.0;
    if (!quiet) copy(s.drive, s.kept_drive);
    any = any || s.quiet >= sleep.time;
  }
  const bool complete = !overflowed && (sweep == nullptr || pairs_known);
  if (!any || !complete) return;  // else who holds whom is not known
  find_groups();
  for (System& s : systems) s.group_rests = true;
  for (int i = 0; i < static_cast<int>(systems.size()); ++i) {
    const System& s = systems[idx(i)];
    if (!s.asleep && s.quiet < sleep.time) systems[idx(root_of(i))].group_rests = false;
  }
  for (int i = 0; i < static_cast<int>(systems.size()); ++i) {
    const int group = root_of(i);
    if (!systems[idx(i)].asleep && systems[idx(group)].group_rests) fall_asleep(i, group, h);
  }
}

void World::Impl::fall_asleep(int system, int group, double h) noexcept {
  System& s = systems[idx(system)];
  s.state.v.setZero();
  if (!s.bodies->begin(s.state, s.drive, h)) return;  // for the poses; it was finite a step ago
  std::fill(s.bodies->V_before.begin(), s.bodies->V_before.end(), Motion::zero());
  std::fill(s.bodies->V_free.begin(), s.bodies->V_free.end(), Motion::zero());
  for (Shape& shape : s.shapes) shape.way = 0.0;
  s.vdot.setZero();
  s.kept_state.q = s.state.q;
  s.kept_state.v = s.state.v;
  copy(s.drive, s.kept_drive);
  s.group = group;
  s.asleep = true;
  for (int i = 0; volume != nullptr && i < static_cast<int>(patches_of_step()); ++i) {
    WorldPatch p = patch_of_step(i);
    if (p.system != system || kept_patches.size() == kept_patches.capacity()) continue;
    p.force.velocity.setZero();
    kept_patches.push_back(p);
  }
}

bool World::asleep(int system) const noexcept {
  return impl_->systems[idx(system)].asleep;
}

}  // namespace kagami::models
