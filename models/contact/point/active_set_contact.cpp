#include "models/contact/point/active_set_contact.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "models/base/idx.hpp"
#include "models/base/trig.hpp"

namespace kagami::models {
namespace {

constexpr double kPull = 1e-11;   // of the largest impulse: less is rounding
constexpr double kSpeed = 1e-10;  // m/s: less is rounding
// m: a gap that a closed point may show and still be closed, such as what a turn of the body opens
constexpr double kTouching = 1e-5;
// m/s^2: a point at its limit that is off by less in a step still holds (gravity: 10)
constexpr double kSlipAcceleration = 0.01;
// m/s^2, of a point that carries its weight and has friction 1
constexpr double kStopAcceleration = 10.0;
// s: friction_smoothing is that of this step and longer ones; shorter steps smooth less in
// proportion. Smoothing keeps friction from turning a slow slip back within a step. Any wider, a
// slope's pull finds a speed at which the smoothed friction balances it: the point never stops
constexpr double kSmoothedStep = 1e-3;
constexpr int kMostOpenings = 3;   // of one point in one solve while it rubs
constexpr int kFewSolves = 8;      // without relaxation, before and after it has shown the way
constexpr int kMostReversals = 2;  // of one point in one solve; then it slips without friction

bool is_finite(const ContactProblem& problem) noexcept {
  bool fine = std::isfinite(problem.step) && problem.step > 0.0;
  const std::size_t n = 6 * problem.bodies.size();
  // x - x is 0 for what is finite, else NaN
  double sum = 0.0;
  for (std::size_t i = 0; i < n * n; ++i) sum += problem.Phi[i] - problem.Phi[i];
  fine = fine && sum == 0.0;
  for (const TouchingBody& b : problem.bodies) {
    fine = fine && b.V_free.c.allFinite() && b.V_before.c.allFinite();
  }
  for (const ContactPoint& p : problem.points) {
    fine = fine && p.p.allFinite() && std::isfinite(p.gap) && p.offset.allFinite();
  }
  return fine;
}

// The velocity after a step that meets the surface. Without contact the step conserves
// E = v^2 / 2 + g z + g h v / 2 (v downwards, z the gap, g h what a step of fall adds); a bounce
// leaves e^2 of it. Where that is more than v^2 / 2 + g z, what the step began with, the latter.
double rebound(double e, double v, double gh, double gap, double h) noexcept {
  const double g_z = gh / h * std::max(0.0, gap);
  const double left = e * e * (0.5 * v * v + g_z + 0.5 * gh * v) - g_z;
  const double exact = std::sqrt(std::max(0.0, 0.25 * gh * gh + 2.0 * left)) - 0.5 * gh;
  const double most = std::sqrt(gh * gh + v * v) - gh;
  const double u = std::min(exact, most);
  return gap > 0.0 ? std::max(u, -gap / h) : u;
}

}  // namespace

ActiveSetContact::ActiveSetContact(const ActiveSetRules& rules, const ContactSettings& settings,
                                   const ContactCapacity& capacity)
    : rules_(rules),
      settings_(settings),
      capacity_(capacity),
      solver_(capacity),
      state_(idx(capacity.points)),
      kept_(idx(capacity.points)),
      choice_(idx(capacity.points)),
      c_(3 * idx(capacity.points)),
      f_(3 * idx(capacity.points)),
      v_(3 * idx(capacity.points)) {}

const char* ActiveSetContact::name() const noexcept {
  return models::name(rules_.name);
}

double ActiveSetContact::kinetic(const ContactPoint& p, const PointState& s) const noexcept {
  if (!rules_.smooth_kinetic || s.slip_speed <= 0.0) return p.surface.mu_kinetic;
  const double smoothing = settings_.friction_smoothing * std::max(1.0, kSmoothedStep / step_);
  return p.surface.mu_kinetic * -trig::expm1(-smoothing * s.slip_speed);
}

// the target velocity, and a first guess of the phase
void ActiveSetContact::start(const ContactProblem& problem, int i) noexcept {
  const ContactPoint& p = problem.points[idx(i)];
  PointState& s = state_[idx(i)];
  s = {};
  const double h = problem.step;
  const double v_free = solver_.free_velocity()[3 * i];
  const double* v_before = solver_.velocity_before() + 3 * i;
  const double approach = -v_before[0];
  const bool held = p.before == ContactMotion::kStick || p.before == ContactMotion::kSettling;
  const bool was_closed = held || p.before == ContactMotion::kSlide;
  const double share = std::min(settings_.compensation, 0.5 / h);
  if (approach > settings_.restitution_speed && p.surface.restitution > 0.0 &&
      p.gap + h * v_free < 0.0) {
    s.u[0] =
        rebound(p.surface.restitution, approach, std::max(0.0, v_before[0] - v_free), p.gap, h);
  } else if (p.gap > (was_closed ? kTouching : 0.0)) {
    s.u[0] = -p.gap / h;
  } else {
    s.u[0] = std::min(-share * p.gap, settings_.compensation_speed);
  }
  if (rules_.hold_reference) {
    s.u[1] = -share * p.offset.dot(p.t1);
    s.u[2] = -share * p.offset.dot(p.t2);
    const double size = std::sqrt(s.u[1] * s.u[1] + s.u[2] * s.u[2]);
    if (size > settings_.compensation_speed) {
      s.u[1] *= settings_.compensation_speed / size;
      s.u[2] *= settings_.compensation_speed / size;
    }
  }

  const double slip[2] = {v_before[1], v_before[2]};
  s.slip_speed = std::sqrt(slip[0] * slip[0] + slip[1] * slip[1]);
  s.was_sliding = p.before == ContactMotion::kSlide || p.before == ContactMotion::kSettling ||
                  (!held && s.slip_speed > settings_.stick_speed);
  // the target of what friction stops within the step is rest: slipped for a whole step it turns
  // back
  const double stopped = rules_.smooth_kinetic ? 0.0 : kStopAcceleration * p.surface.mu_kinetic * h;
  s.limit = s.was_sliding && rules_.kinetic_hysteresis ? p.surface.mu_kinetic : p.surface.mu_static;
  if (v_free >= s.u[0] || p.before == ContactMotion::kOpen) {
    s.phase = Phase::kOpen;
  } else if (s.limit <= 0.0) {
    s.phase = Phase::kSlip;  // smooth: no direction
  } else if (!held && s.slip_speed > std::max(settings_.stick_speed, stopped)) {
    s.phase = Phase::kSlip;
    s.direction[0] = -slip[0] / s.slip_speed;
    s.direction[1] = -slip[1] / s.slip_speed;
  } else {
    s.phase = Phase::kHold;
  }
}

void ActiveSetContact::choose(const ContactProblem& problem) noexcept {
  for (std::size_t i = 0; i < problem.points.size(); ++i) {
    const ContactPoint& p = problem.points[i];
    const PointState& s = state_[i];
    PointSolver::Choice& choice = choice_[i];
    choice.lambda = relaxation_ / (p.mass * p.mass);
    switch (s.phase) {
      case Phase::kOpen:
        choice.mode = rules_.rows_of_open ? PointMode::kNoPress : PointMode::kNone;
        break;
      case Phase::kHold:
        choice.mode = PointMode::kHold;
        break;
      case Phase::kLimit:
      case Phase::kSlip: {
        const bool slips = s.phase == Phase::kSlip;
        const double mu = slips ? kinetic(p, s) : s.limit;
        choice.mode = slips ? PointMode::kSlip : PointMode::kLimit;
        choice.slip[0] = mu * s.direction[0];
        choice.slip[1] = mu * s.direction[1];
        break;
      }
    }
    for (int k = 0; k < 3; ++k)
      c_[3 * i + idx(k)] = solver_.free_velocity()[3 * i + idx(k)] - s.u[k];
  }
}

bool ActiveSetContact::any_closed(int count) const noexcept {
  return rules_.rows_of_open ||
         std::any_of(choice_.begin(), choice_.begin() + count,
                     [](const auto& c) { return c.mode != PointMode::kNone; });
}

// An open point that sinks holds; where it pulled while it held, it slips against its present
// velocity; where that pulled too (jammed by its own friction), it slips without friction, which
// always finds an answer.
void ActiveSetContact::close(const double* v, PointState& s) noexcept {
  const double speed = std::sqrt(v[1] * v[1] + v[2] * v[2]);
  if (s.limit > 0.0 && s.openings == 0) {
    s.phase = Phase::kHold;
    return;
  }
  const bool rubs = s.limit > 0.0 && s.openings < kMostOpenings && speed > kSpeed;
  s.phase = Phase::kSlip;
  s.slip_speed = 0.0;
  s.direction[0] = rubs ? -v[1] / speed : 0.0;
  s.direction[1] = rubs ? -v[2] / speed : 0.0;
}

// Friction at its limit may still hold the point, with the help of the others: between the corners
// of a block the loads differ, the friction each of them can take does too. Slips when it does not.
bool ActiveSetContact::review_limit(const double* v, PointState& s) const noexcept {
  const double along = (v[1] - s.u[1]) * s.direction[0] + (v[2] - s.u[2]) * s.direction[1];
  if (along < -kSlipAcceleration * step_) {
    s.phase = Phase::kSlip;
    s.slip_speed = 0.0;  // at the onset the whole kinetic friction acts
    return true;
  }
  if (along <= kSlipAcceleration * step_ || s.reversals >= kMostReversals) return false;
  ++s.reversals;
  s.phase = Phase::kHold;
  return true;
}

// true when the point's phase has changed
bool ActiveSetContact::review_point(const ContactPoint& p, int i) noexcept {
  PointState& s = state_[idx(i)];
  const double* f = f_.data() + 3 * i;
  const double* v = v_.data() + 3 * i;
  if (s.phase == Phase::kOpen) {
    const bool sinks = rules_.rows_of_open ? solver_.pressing_gradient(i) < -kSpeed / p.mass
                                           : v[0] < s.u[0] - kSpeed;
    if (!sinks) return false;
    close(v, s);
    return true;
  }
  if (f[0] < -kPull * largest_) {
    s.phase = Phase::kOpen;
    ++s.openings;
    return true;
  }
  if (s.phase == Phase::kHold) {
    const double friction = std::sqrt(f[1] * f[1] + f[2] * f[2]);
    if (friction <= s.limit * f[0] + kPull * largest_) return false;
    s.phase = Phase::kLimit;
    s.direction[0] = f[1] / friction;
    s.direction[1] = f[2] / friction;
    return true;
  }
  if (s.phase == Phase::kLimit) return review_limit(v, s);
  // friction may stop a point, not drive it
  if (v[1] * s.direction[0] + v[2] * s.direction[1] <= kSpeed) return false;
  if (++s.reversals > kMostReversals) {
    s.direction[0] = 0.0;
    s.direction[1] = 0.0;
  } else {
    s.phase = Phase::kHold;
  }
  return true;
}

// number of points whose phase has changed
int ActiveSetContact::review(const ContactProblem& problem, bool one_at_a_time) noexcept {
  largest_ = 0.0;
  for (std::size_t k = 0; k < 3 * problem.points.size(); ++k) {
    largest_ = std::max(largest_, std::abs(f_[k]));
  }
  int changed = 0;
  for (int i = 0; i < static_cast<int>(problem.points.size()); ++i) {
    if (!review_point(problem.points[idx(i)], i)) continue;
    ++changed;
    if (one_at_a_time) break;
  }
  return changed;
}

// no pull, and friction inside its cone, whatever the iteration left
void ActiveSetContact::make_admissible(const ContactProblem& problem) noexcept {
  for (std::size_t i = 0; i < problem.points.size(); ++i) {
    double* f = f_.data() + 3 * i;
    if (rules_.rows_of_open && state_[i].phase == Phase::kOpen) continue;
    if (!(f[0] > 0.0)) {
      std::fill_n(f, 3, 0.0);
      continue;
    }
    const double most = state_[i].limit * f[0];
    const double friction = std::sqrt(f[1] * f[1] + f[2] * f[2]);
    if (friction > most && state_[i].phase == Phase::kHold) {
      f[1] *= most / friction;
      f[2] *= most / friction;
    }
  }
}

void ActiveSetContact::answer(const ContactProblem& problem, std::span<ContactForce> forces,
                              SolveReport& report) noexcept {
  report.residual = 0.0;
  for (std::size_t i = 0; i < problem.points.size(); ++i) {
    const ContactPoint& p = problem.points[i];
    const PointState& s = state_[i];
    const double* f = f_.data() + 3 * i;
    const double* v = v_.data() + 3 * i;
    ContactForce& out = forces[i];
    out.local = Vec3(f[0], f[1], f[2]);
    out.impulse = Force::from(Vec3::Zero(), f[0] * p.n + f[1] * p.t1 + f[2] * p.t2);
    out.residual = 0.0;
    switch (s.phase) {
      case Phase::kOpen:
        out.motion = ContactMotion::kOpen;
        break;
      case Phase::kSlip:
        out.motion = ContactMotion::kSlide;
        out.residual = std::abs(v[0] - s.u[0]);
        break;
      case Phase::kHold:
      case Phase::kLimit:
        out.motion =
            s.was_sliding && rules_.kinetic_hysteresis && p.before != ContactMotion::kSettling
                ? ContactMotion::kSettling
                : ContactMotion::kStick;
        out.residual =
            std::sqrt((v[0] - s.u[0]) * (v[0] - s.u[0]) + (v[1] - s.u[1]) * (v[1] - s.u[1]) +
                      (v[2] - s.u[2]) * (v[2] - s.u[2]));
        break;
    }
    report.residual = std::max(report.residual, out.residual);
  }
}

// solves and reviews until no phase changes; the number that changed last
int ActiveSetContact::iterate(const ContactProblem& problem, int most,
                              SolveReport& report) noexcept {
  const int count = static_cast<int>(problem.points.size());
  int changed = 1;
  for (int k = 1; changed > 0 && k <= most; ++k) {
    choose(problem);
    if (any_closed(count)) {
      solver_.solve({choice_.data(), idx(count)}, c_.data(), refine_, f_.data(), v_.data());
    } else {
      std::fill_n(f_.data(), 3 * count, 0.0);
      std::copy_n(solver_.free_velocity(), 3 * count, v_.data());
    }
    ++report.iterations;
    changed = review(problem, 2 * k > most);
  }
  return changed;
}

void ActiveSetContact::guess(const ContactProblem& problem) noexcept {
  for (int i = 0; i < static_cast<int>(problem.points.size()); ++i) start(problem, i);
}

// The minimum norm requires what only huge impulses can give, where bodies touch in loops and M is
// almost singular: points pull and release alternately. With a relaxation that damps these
// directions the phases are found; from there they are sought once more without it, and if that
// fails again, the relaxed result is kept.
int ActiveSetContact::search_softly(const ContactProblem& problem, SolveReport& report) noexcept {
  const std::size_t count = problem.points.size();
  relaxation_ = rules_.fallback;
  refine_ = 0;
  guess(problem);
  int changed = iterate(problem, settings_.max_iterations, report);
  if (changed > 0) return changed;
  std::copy_n(state_.begin(), count, kept_.begin());
  relaxation_ = rules_.relaxation;
  refine_ = rules_.refine;
  changed = iterate(problem, kFewSolves, report);
  if (changed == 0) return 0;
  std::copy_n(kept_.begin(), count, state_.begin());
  relaxation_ = rules_.fallback;
  refine_ = 0;
  return iterate(problem, 1, report);
}

// the number of points whose phase has changed last
int ActiveSetContact::search(const ContactProblem& problem, SolveReport& report) noexcept {
  relaxation_ = rules_.relaxation;
  refine_ = rules_.refine;
  guess(problem);
  if (rules_.fallback <= 0.0) return iterate(problem, settings_.max_iterations, report);
  const int changed = iterate(problem, std::min(kFewSolves, settings_.max_iterations), report);
  return changed == 0 ? 0 : search_softly(problem, report);
}

ContactStatus ActiveSetContact::solve(const ContactProblem& problem, std::span<ContactForce> forces,
                                      SolveReport& report) noexcept {
  report = {};
  if (problem.bodies.size() > idx(capacity_.bodies) ||
      problem.points.size() > idx(capacity_.points) || forces.size() < problem.points.size()) {
    return ContactStatus::kCapacity;
  }
  if (!is_finite(problem)) return ContactStatus::kNotFinite;
  solver_.load(problem);
  step_ = problem.step;
  const int count = static_cast<int>(problem.points.size());
  const int changed = search(problem, report);
  if (changed > 0) {
    // without friction there is always an answer, and it takes energy
    for (int i = 0; i < count; ++i) {
      PointState& p = state_[idx(i)];
      p.limit = 0.0;
      p.direction[0] = 0.0;
      p.direction[1] = 0.0;
      if (p.phase != Phase::kOpen) p.phase = Phase::kSlip;
    }
    iterate(problem, settings_.max_iterations, report);
  }
  make_admissible(problem);
  for (int k = 0; k < 3 * count; ++k) {
    if (!std::isfinite(f_[idx(k)])) return ContactStatus::kNotFinite;
  }
  answer(problem, forces, report);
  return changed > 0 ? ContactStatus::kNotConverged : ContactStatus::kOk;
}

}  // namespace kagami::models
