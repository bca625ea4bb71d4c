// Runge-Kutta steps on the manifold of the coordinates. [MK] = Munthe-Kaas, High order Runge-Kutta
// methods on manifolds, Applied Numerical Mathematics 29, 1999; [F] = Fehlberg, NASA TR R-315,
// 1969, Table III; [G] = Gill, Proc. Camb. Phil. Soc. 47, 1951. Within a step the coordinates are q
// = q0 (+) u, u the constant joint velocity that leads from q0 to q in one second. u lives in a
// vector space, so the ordinary method serves for (u, v):
//   u_i = h sum_j a_ij u'_j        v_i = v0 + h sum_j a_ij vdot_j                 (int-1)
//   q_i = q0 (+) u_i               vdot_i = f(t + c_i h, q_i, v_i)                (int-2)
//   u'_i = v_i + 1/2 u_i x v_i + 1/12 u_i x (u_i x v_i)                           (int-3)
//   q1 = q0 (+) h sum_i b_i u'_i   v1 = v0 + h sum_i b_i vdot_i                   (int-4)
//   e = h sum_i (b_i - b*_i) (u'_i, vdot_i)                                       (int-5)
// (int-3) is the inverse of the exponential's derivative [MK], for velocities in the body (hence
// the plus), x the product of two angular or two spatial velocities; zero for joints without
// quaternion. Its next term is of fourth order in u and does not touch methods up to order 5.
#include "models/dynamics/integrator.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>

#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "models/robot/joint.hpp"
#include "models/spatial/vectors.hpp"

namespace kagami::models {
namespace {

struct Tableau {
  int stages;
  double c[6];
  double a[6][5];
  double b[6];
  double b_low[6];  // of the order below, for the error; unused without step control
};

constexpr double kRoot2 = 1.41421356237309504880;

constexpr Tableau kClassical = {4,
                                {0.0, 0.5, 0.5, 1.0},
                                {{}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}},
                                {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0},
                                {}};

// [G]
constexpr Tableau kGill = {4,
                           {0.0, 0.5, 0.5, 1.0},
                           {{},
                            {0.5},
                            {(kRoot2 - 1.0) / 2.0, (2.0 - kRoot2) / 2.0},
                            {0.0, -kRoot2 / 2.0, 1.0 + kRoot2 / 2.0}},
                           {1.0 / 6.0, (2.0 - kRoot2) / 6.0, (2.0 + kRoot2) / 6.0, 1.0 / 6.0},
                           {}};

// [F]
constexpr Tableau kFehlberg = {
    6,
    {0.0, 1.0 / 4.0, 3.0 / 8.0, 12.0 / 13.0, 1.0, 1.0 / 2.0},
    {{},
     {1.0 / 4.0},
     {3.0 / 32.0, 9.0 / 32.0},
     {1932.0 / 2197.0, -7200.0 / 2197.0, 7296.0 / 2197.0},
     {439.0 / 216.0, -8.0, 3680.0 / 513.0, -845.0 / 4104.0},
     {-8.0 / 27.0, 2.0, -3544.0 / 2565.0, 1859.0 / 4104.0, -11.0 / 40.0}},
    {16.0 / 135.0, 0.0, 6656.0 / 12825.0, 28561.0 / 56430.0, -9.0 / 50.0, 2.0 / 55.0},
    {25.0 / 216.0, 0.0, 1408.0 / 2565.0, 2197.0 / 4104.0, -1.0 / 5.0, 0.0}};

const Tableau& tableau(Scheme scheme) noexcept {
  if (scheme == Scheme::kRkf45) return kFehlberg;
  return scheme == Scheme::kRkg ? kGill : kClassical;
}

// x^(-1/5) within the range where it decides about a step, by Newton's method from below: the same
// bits on every machine, which the C library's pow has not
double inverse_fifth_root(double x) noexcept {
  x = std::clamp(x, 5e-4, 1e5);
  double y = 0.1;
  for (int i = 0; i < 32; ++i) {
    const double y2 = y * y;
    y = y * (6.0 - x * (y2 * y2 * y)) / 5.0;
  }
  return y;
}

// (int-3) of a joint with quaternion; u_rate holds v on entry
void bend_rate(JointType type, const double* u, double* u_rate) noexcept {
  if (type == JointType::kSpherical) {
    const Vec3 U(u[0], u[1], u[2]);
    Eigen::Map<Vec3> rate(u_rate);
    const Vec3 once = U.cross(rate);
    rate += 0.5 * once + U.cross(once) / 12.0;
  } else if (type == JointType::kFloating) {
    const Motion U{Vec6(Eigen::Map<const Vec6>(u))};
    Eigen::Map<Vec6> rate(u_rate);
    const Motion once = cross(U, Motion{Vec6(rate)});
    rate += 0.5 * once.c + cross(U, once).c / 12.0;
  }
}

void bend_rates(const Model& model, const JointVector& u, JointVector& u_rate) noexcept {
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    if (quaternion_index(b.joint.type) < 0) continue;
    bend_rate(b.joint.type, u.data() + b.v_index, u_rate.data() + b.v_index);
  }
}

}  // namespace

bool AbaSource::acceleration(double /*t*/, const JointVector& q, const JointVector& v,
                             JointVector& vdot) noexcept {
  aba(model_, q, v, tau_, workspace_, vdot);
  return true;
}

const char* name(Scheme scheme) noexcept {
  constexpr const char* kNames[] = {"semi-implicit-euler", "rk4", "rkg", "rkf45"};
  return kNames[static_cast<int>(scheme)];
}

Scheme scheme(std::string_view wanted) {
  std::string known;
  for (const Scheme s : kSchemes) {
    if (wanted == name(s)) return s;
    known += (known.empty() ? "" : ", ") + std::string(name(s));
  }
  throw ConfigError("integrator \"" + std::string(wanted) + "\" is unknown; expected one of " +
                    known);
}

const char* name(StepStatus status) noexcept {
  constexpr const char* kNames[] = {
      "ok",          "no acceleration", "not finite", "step too small",
      "not settled", "too many steps",  "bad input"};
  return kNames[static_cast<int>(status)];
}

Integrator::Integrator(const Model& model, Scheme scheme, const StepControl& control)
    : model_(model),
      scheme_(scheme),
      control_(control),
      next_step_(control.max_step),
      to_{JointVector::Zero(model.num_q()), JointVector::Zero(model.num_v())},
      u_(JointVector::Zero(model.num_v())) {
  // written so that NaN fails
  if (!(control.tolerance > 0.0 && control.min_step > 0.0 && control.max_step >= control.min_step &&
        control.max_steps > 0))
    throw ConfigError("step control: tolerance " + number_text(control.tolerance) + ", steps of " +
                      number_text(control.min_step) + " to " + number_text(control.max_step) +
                      " s, at most " + std::to_string(control.max_steps) +
                      "; expected all above 0 and the smallest step first");
  u_rate_.fill(JointVector::Zero(model.num_v()));
  v_rate_.fill(JointVector::Zero(model.num_v()));
}

// to_ and u_: where the weighted rates of the first `count` stages lead, (int-1), (int-2), (int-4)
void Integrator::place(const State& from, double h, const double* weights, int count) noexcept {
  u_.setZero();
  to_.q = from.q;
  to_.v = from.v;
  for (int j = 0; j < count; ++j) {
    if (weights[j] == 0.0) continue;
    u_ += (h * weights[j]) * u_rate_[static_cast<std::size_t>(j)];
    to_.v += (h * weights[j]) * v_rate_[static_cast<std::size_t>(j)];
  }
  integrate(model_, u_, 1.0, to_.q);
}

StepStatus Integrator::stage(AccelerationSource& source, int i, double h, double t,
                             const State& from) noexcept {
  const Tableau& method = tableau(scheme_);
  JointVector& u_rate = u_rate_[static_cast<std::size_t>(i)];
  JointVector& v_rate = v_rate_[static_cast<std::size_t>(i)];
  if (i == 0) {
    u_.setZero();
    to_.q = from.q;
    to_.v = from.v;
  } else {
    place(from, h, method.a[i], i);
  }
  if (!source.rate(t + method.c[i] * h, to_.q, to_.v, v_rate)) return StepStatus::kNoAcceleration;
  if (!v_rate.allFinite()) return StepStatus::kNotFinite;
  u_rate = to_.v;
  bend_rates(model_, u_, u_rate);
  return StepStatus::kOk;
}

StepStatus Integrator::euler_step(AccelerationSource& source, double h, double t,
                                  const State& from) noexcept {
  to_.q = from.q;
  to_.v = from.v;
  if (!source.straight_rate(t, to_.q, to_.v, v_rate_[0])) return StepStatus::kNoAcceleration;
  if (!v_rate_[0].allFinite()) return StepStatus::kNotFinite;
  to_.v += h * v_rate_[0];
  integrate(model_, to_.v, h, to_.q);
  return StepStatus::kOk;
}

// one step from `from` into to_
StepStatus Integrator::step(AccelerationSource& source, double h, double t,
                            const State& from) noexcept {
  if (scheme_ == Scheme::kSemiImplicitEuler) {
    const StepStatus status = euler_step(source, h, t, from);
    if (status != StepStatus::kOk) return status;
  } else {
    const Tableau& method = tableau(scheme_);
    for (int i = 0; i < method.stages; ++i) {
      const StepStatus status = stage(source, i, h, t, from);
      if (status != StepStatus::kOk) return status;
    }
    place(from, h, method.b, method.stages);
  }
  if (!to_.q.allFinite() || !to_.v.allFinite()) return StepStatus::kNotFinite;
  return source.settle(to_) ? StepStatus::kOk : StepStatus::kNotSettled;
}

// (int-5); a velocity's error counts relative to the velocity where that is above 1
void Integrator::measure_error(double h) noexcept {
  double worst = 0.0;
  for (int k = 0; k < model_.num_v(); ++k) {
    double e_u = 0.0;
    double e_v = 0.0;
    for (int i = 0; i < kFehlberg.stages; ++i) {
      const double weight = h * (kFehlberg.b[i] - kFehlberg.b_low[i]);
      e_u += weight * u_rate_[static_cast<std::size_t>(i)][k];
      e_v += weight * v_rate_[static_cast<std::size_t>(i)][k];
    }
    worst = std::max({worst, std::abs(e_u), std::abs(e_v) / std::max(1.0, std::abs(to_.v[k]))});
  }
  error_ratio_ = worst / control_.tolerance;
}

StepStatus Integrator::controlled(AccelerationSource& source, double dt, double& t,
                                  State& state) noexcept {
  const double start = t;
  double done = 0.0;
  long tries = 0;
  while (done < dt) {
    if (++tries > control_.max_steps) return StepStatus::kTooManySteps;
    // the step as the sum of steps can tell it, for time and state to stay together
    const bool cut = next_step_ >= dt - done;
    const double end = cut ? dt : done + next_step_;
    const double h = end - done;
    if (!(h > 0.0)) return StepStatus::kStepTooSmall;
    const bool smallest = std::min(h, next_step_) <= control_.min_step;
    const StepStatus status = step(source, h, t, state);
    if (status != StepStatus::kOk && smallest) return status;
    if (status == StepStatus::kNoAcceleration) return status;

    // the order of the error is 5; a stage with a value that is not finite reduces the step to a
    // tenth
    double factor = 0.1;
    if (status == StepStatus::kOk) {
      measure_error(h);
      factor = std::clamp(0.9 * inverse_fifth_root(error_ratio_), 0.1, 4.0);
    }
    if (status != StepStatus::kOk || error_ratio_ > 1.0) {
      ++rejected_;
      if (smallest) return status == StepStatus::kOk ? StepStatus::kStepTooSmall : status;
      next_step_ = std::max(control_.min_step, h * factor);
      continue;
    }
    state.q = to_.q;
    state.v = to_.v;
    ++steps_;
    done = end;
    t = start + done;
    // a last step cut short has little information about the next one
    if (!cut || factor < 1.0)
      next_step_ = std::clamp(h * factor, control_.min_step, control_.max_step);
  }
  return StepStatus::kOk;
}

StepStatus Integrator::advance(AccelerationSource& source, double dt, double& t,
                               State& state) noexcept {
  const bool fits = state.q.size() == model_.num_q() && state.v.size() == model_.num_v();
  // written so that NaN fails
  if (!fits || !(dt >= 0.0) || !std::isfinite(dt) || !std::isfinite(t))
    return StepStatus::kBadInput;
  if (scheme_ == Scheme::kRkf45) return controlled(source, dt, t, state);
  const StepStatus status = step(source, dt, t, state);
  if (status != StepStatus::kOk) return status;
  state.q = to_.q;
  state.v = to_.v;
  t += dt;
  ++steps_;
  return StepStatus::kOk;
}

}  // namespace kagami::models
