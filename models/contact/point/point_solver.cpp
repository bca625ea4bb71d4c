// Contact impulses f of m points of K bodies, A = J Phi J' (3m x 3m, rank at most 6K), sought with
//   |A_R f + c_R|^2 + sum of lambda f^2 -> min                                    (p-1)
// over the chosen rows R and columns F (a slipping point: row n, one column n + slip). The
// optimality condition lambda f = -J_F Phi J_R' (J_R Phi J_F' f + c_R) states that f comes from one
// vector per body: with M = J_R' J_R, W = J_F' lambda^-1 J_F, both 6K x 6K,
//   s = J_R' (A_R f + c_R) = (1 + M Phi W Phi)^-1 J_R' c_R                         (p-2)
//   f = -lambda^-1 J_F Phi s                                                       (p-3)
// and with the Cholesky factors M = N N', W = Q Q' (semidefinite: a zero pivot drops its column)
//   (1 + T' T) t = N^-1 J_R' c_R,  T = Q' Phi N,  s = N t                          (p-4)
// So the cost is that of a 6K x 6K matrix however many points there are: of a band where bodies
// touch few others (sky_algebra.hpp). Where they ask for fewer rows than 6K, s = J_R' z comes from
// those: row_space.hpp.
#include "models/contact/point/point_solver.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "models/base/idx.hpp"

namespace kagami::models {
namespace {

constexpr double kEnough = 1e-11;  // m/s that may be left of what impulses can change

}  // namespace

PointSolver::PointSolver(const ContactCapacity& capacity)
    : sky_(capacity.bodies), row_space_(capacity) {
  const std::size_t n = 6 * idx(capacity.bodies);
  points_.resize(idx(capacity.points));
  v_free_.resize(3 * idx(capacity.points));
  v_before_.resize(3 * idx(capacity.points));
  rest_.resize(3 * idx(capacity.points));
  z_.resize(3 * idx(capacity.points));
  for (std::vector<double>* matrix : {&M_, &W_, &T_, &B_, &A_}) matrix->resize(n * n);
  for (std::vector<double>* vector : {&r_, &s_, &y_, &sum_, &w_}) vector->resize(n);
}

void PointSolver::load(const ContactProblem& problem) noexcept {
  bodies_ = static_cast<int>(problem.bodies.size());
  n_ = 6 * bodies_;
  algebra_ = {.n = n_, .group = 6};
  Phi_ = problem.Phi;
  count_ = problem.points.size();
  for (std::size_t i = 0; i < count_; ++i) {
    const ContactPoint& p = problem.points[i];
    Point& point = points_[i];
    const Vec3 axes[3] = {p.n, p.t1, p.t2};
    double* v = v_free_.data() + 3 * i;
    double* v0 = v_before_.data() + 3 * i;
    std::fill_n(v, 3, 0.0);
    std::fill_n(v0, 3, 0.0);
    for (const bool first : {true, false}) {
      Arm& arm = first ? point.a : point.b;
      arm.body = first ? p.a : p.b;
      if (arm.body < 0) continue;
      const TouchingBody& body = problem.bodies[idx(arm.body)];
      const Vec3 r = p.p - body.origin;
      for (int e = 0; e < 3; ++e) arm.r[e] = r[e];
      const double sign = first ? 1.0 : -1.0;
      for (int k = 0; k < 3; ++k) {
        const Vec3 e = sign * axes[k];
        const Vec3 m = r.cross(e);
        double* g = arm.g[k];
        g[0] = m.x();
        g[1] = m.y();
        g[2] = m.z();
        g[3] = e.x();
        g[4] = e.y();
        g[5] = e.z();
        v[k] += dot6(g, body.V_free.c.data());
        v0[k] += dot6(g, body.V_before.c.data());
      }
    }
    if (p.b >= 0) algebra_.group = n_;
  }
  many_ = bodies_ > 2;
  if (many_) sky_.load(problem);
  row_space_.load(Phi_, n_, {points_.data(), count_});
}

// where a body's rows stand in the matrices
int PointSolver::place(const Arm& arm) const noexcept {
  return many_ ? sky_.place(arm.body) : arm.body;
}

// M += weight g g' over both bodies of a point, lower half
void PointSolver::add_square(const double* ga, const double* gb, const Point& p, double weight,
                             std::vector<double>& M) noexcept {
  const int n = n_;
  const auto add = [&M, n, weight](int row, int column, const double* x, const double* y,
                                   bool lower) {
    for (int i = 0; i < 6; ++i) {
      double* m = M.data() + (row + i) * n + column;
      const double xi = weight * x[i];
      for (int j = 0; j < (lower ? i + 1 : 6); ++j) m[j] += xi * y[j];
    }
  };
  const int a = p.a.body < 0 ? -1 : place(p.a);
  if (a >= 0) add(6 * a, 6 * a, ga, ga, true);
  if (p.b.body < 0) return;
  const int b = place(p.b);
  add(6 * b, 6 * b, gb, gb, true);
  if (a < 0) return;
  if (a > b) {
    add(6 * a, 6 * b, ga, gb, false);
  } else {
    add(6 * b, 6 * a, gb, ga, false);
  }
}

// M += sum over e = x, y, z of g g' of a point at r that touches something static
void PointSolver::add_whole(const Arm& arm, std::vector<double>& M) noexcept {
  const double x = arm.r[0];
  const double y = arm.r[1];
  const double z = arm.r[2];
  double* m = M.data() + 6 * place(arm) * (n_ + 1);
  m[0] += y * y + z * z;
  m += n_;
  m[0] -= x * y;
  m[1] += x * x + z * z;
  m += n_;
  m[0] -= x * z;
  m[1] -= y * z;
  m[2] += x * x + y * y;
  m += n_;
  m[1] += z;
  m[2] -= y;
  m[3] += 1.0;
  m += n_;
  m[0] -= z;
  m[2] += x;
  m[4] += 1.0;
  m += n_;
  m[0] += y;
  m[1] -= x;
  m[5] += 1.0;
}

// M and W; true when W is M times the weight of every point that is closed
bool PointSolver::gather_squares(std::span<const Choice> choices) noexcept {
  double lambda = 0.0;
  bool uniform = true;
  for (std::size_t i = 0; uniform && i < count_; ++i) {
    if (choices[i].mode == PointMode::kNone) continue;
    if (lambda == 0.0) lambda = choices[i].lambda;
    uniform = choices[i].mode == PointMode::kHold && choices[i].lambda == lambda;
  }
  clear(M_);
  if (!uniform) clear(W_);
  for (std::size_t i = 0; i < count_; ++i) {
    const Choice& choice = choices[i];
    const Point& p = points_[i];
    if (choice.mode == PointMode::kNone) continue;
    const double weight = 1.0 / choice.lambda;
    if (choice.mode != PointMode::kSlip && p.b.body < 0) {
      add_whole(p.a, M_);
    } else {
      for (int k = 0; k < (choice.mode == PointMode::kSlip ? 1 : 3); ++k) {
        add_square(p.a.g[k], p.b.g[k], p, 1.0, M_);
      }
    }
    if (uniform) continue;
    if (choice.has_one_column()) {
      double ga[6];
      double gb[6];
      for (int e = 0; e < 6; ++e) {
        ga[e] = p.a.g[0][e] + (choice.slip[0] * p.a.g[1][e] + choice.slip[1] * p.a.g[2][e]);
        gb[e] = p.b.g[0][e] + (choice.slip[0] * p.b.g[1][e] + choice.slip[1] * p.b.g[2][e]);
      }
      add_square(ga, gb, p, weight, W_);
      continue;
    }
    for (int k = choice.mode == PointMode::kHold ? 0 : 1; k < 3; ++k) {
      add_square(p.a.g[k], p.b.g[k], p, weight, W_);
    }
  }
  weight_ = lambda > 0.0 ? 1.0 / lambda : 0.0;
  return uniform;
}

void PointSolver::clear(std::vector<double>& M) const noexcept {
  if (many_) return sky_.clear(M.data());
  std::fill_n(M.data(), n_ * n_, 0.0);
}

// N, Q, T and the factor of 1 + T' T, or those of the rows
void PointSolver::prepare(std::span<const Choice> choices) noexcept {
  by_rows_ = row_space_.prepare(choices);
  if (by_rows_) return;
  const bool uniform = gather_squares(choices);
  const double* Q = uniform ? M_.data() : W_.data();
  const double scale = uniform ? std::sqrt(weight_) : 1.0;
  if (many_) {
    sky_.factor(M_.data());
    if (!uniform) sky_.factor(W_.data());
    return sky_.prepare(M_.data(), Q, scale, A_.data(), T_.data(), B_.data());
  }
  algebra_.factor(M_.data());
  if (!uniform) algebra_.factor(W_.data());
  algebra_.prepare(Phi_, M_.data(), Q, scale, A_.data(), T_.data(), B_.data());
}

// r = J_R' c; its largest entry. What no impulse can change of c is not in it.
double PointSolver::gather(std::span<const Choice> choices, const double* c) noexcept {
  std::fill_n(r_.data(), n_, 0.0);
  for (std::size_t i = 0; i < count_; ++i) {
    for (int k = 0; k < choices[i].rows(); ++k) {
      const double x = c[3 * i + idx(k)];
      for (const Arm* arm : {&points_[i].a, &points_[i].b}) {
        if (arm->body < 0) continue;
        double* r = r_.data() + 6 * arm->body;
        for (int e = 0; e < 6; ++e) r[e] += x * arm->g[k][e];
      }
    }
  }
  double largest = 0.0;
  for (int i = 0; i < n_; ++i) largest = std::max(largest, std::abs(r_[idx(i)]));
  return largest;
}

void PointSolver::respond(const double* s, double* y) const noexcept {
  if (many_) return sky_.respond(s, y);
  algebra_.respond(Phi_, s, y);
}

// f += the answer of (p-2), (p-3) to c, gathered
void PointSolver::correct(std::span<const Choice> choices, const double* c, double* f) noexcept {
  if (by_rows_) {
    row_space_.residual(c, z_.data());
    gather(choices, z_.data());
    std::copy_n(r_.data(), n_, s_.data());
  } else if (many_) {
    sky_.solve(M_.data(), B_.data(), r_.data(), s_.data());
  } else {
    algebra_.solve(M_.data(), B_.data(), r_.data());
    algebra_.expand(M_.data(), r_.data(), s_.data());
  }
  respond(s_.data(), y_.data());
  for (std::size_t i = 0; i < count_; ++i) {
    const Choice& choice = choices[i];
    if (choice.mode == PointMode::kNone) continue;
    const double weight = 1.0 / choice.lambda;
    double along[3] = {};
    for (const Arm* arm : {&points_[i].a, &points_[i].b}) {
      if (arm->body < 0) continue;
      for (int k = 0; k < 3; ++k) along[k] += dot6(arm->g[k], y_.data() + 6 * arm->body);
    }
    double* out = f + 3 * i;
    if (choice.has_one_column()) {
      const double normal =
          weight * (along[0] + (choice.slip[0] * along[1] + choice.slip[1] * along[2]));
      out[0] -= normal;
      out[1] -= choice.slip[0] * normal;
      out[2] -= choice.slip[1] * normal;
      continue;
    }
    if (choice.mode == PointMode::kHold) out[0] -= weight * along[0];
    out[1] -= weight * along[1];
    out[2] -= weight * along[2];
  }
}

void PointSolver::solve(std::span<const Choice> choices, const double* c, int refine, double* f,
                        double* v) noexcept {
  prepare(choices);
  std::fill_n(f, 3 * count_, 0.0);
  gather(choices, c);
  correct(choices, c, f);
  velocities(f, v);
  for (int pass = 0; pass < refine; ++pass) {
    for (std::size_t k = 0; k < 3 * count_; ++k) rest_[k] = (v[k] - v_free_[k]) + c[k];
    if (gather(choices, rest_.data()) <= kEnough) break;
    correct(choices, rest_.data(), f);
    velocities(f, v);
  }
}

void PointSolver::velocities(const double* f, double* v) noexcept {
  const int n = n_;
  std::fill_n(sum_.data(), n, 0.0);
  for (std::size_t i = 0; i < count_; ++i) {
    for (const Arm* arm : {&points_[i].a, &points_[i].b}) {
      if (arm->body < 0) continue;
      double* w = sum_.data() + 6 * arm->body;
      for (int e = 0; e < 6; ++e) {
        w[e] +=
            (f[3 * i] * arm->g[0][e] + f[3 * i + 1] * arm->g[1][e]) + f[3 * i + 2] * arm->g[2][e];
      }
    }
  }
  respond(sum_.data(), w_.data());
  for (std::size_t i = 0; i < count_; ++i) {
    for (int k = 0; k < 3; ++k) {
      double x = v_free_[3 * i + idx(k)];
      for (const Arm* arm : {&points_[i].a, &points_[i].b}) {
        if (arm->body >= 0) x += dot6(arm->g[k], w_.data() + 6 * arm->body);
      }
      v[3 * i + idx(k)] = x;
    }
  }
}

double PointSolver::pressing_gradient(int i) const noexcept {
  double x = 0.0;
  for (const Arm* arm : {&points_[idx(i)].a, &points_[idx(i)].b}) {
    if (arm->body >= 0) x += dot6(arm->g[0], y_.data() + 6 * arm->body);
  }
  return x;
}

}  // namespace kagami::models
