// Contact impulses f of m points of K bodies, A = J Phi J' (3m x 3m, rank at most 6K), sought with
//   |A_R f + c_R|^2 + sum of lambda f^2 -> min                                    (p-1)
// over the chosen rows R and columns F (a slipping point: row n, one column n + slip). The
// optimality condition lambda f = -J_F Phi J_R' (J_R Phi J_F' f + c_R) says that f comes from one
// vector per body: with M = J_R' J_R, W = J_F' lambda^-1 J_F, both 6K x 6K,
//   s = J_R' (A_R f + c_R) = (1 + M Phi W Phi)^-1 J_R' c_R                         (p-2)
//   f = -lambda^-1 J_F Phi s                                                       (p-3)
// and with the Cholesky factors M = N N', W = Q Q' (semidefinite: a zero pivot drops its column)
//   (1 + T T') t = N^-1 J_R' c_R,  T = N' Phi Q,  s = N t                          (p-4)
// So the cost is that of a 6K x 6K matrix however many points there are.
#include "models/contact/point_solver.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace kagami::models {
namespace {

std::size_t at(int i) noexcept {
  return static_cast<std::size_t>(i);
}

double dot6(const double* a, const double* b) noexcept {
  return ((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])) + (a[4] * b[4] + a[5] * b[5]);
}

// a pivot below this share of its diagonal is rounding
constexpr double kZeroPivot = 1e-13;

}  // namespace

PointSolver::PointSolver(const ContactCapacity& capacity) {
  const std::size_t n = 6 * at(capacity.bodies);
  points_.resize(at(capacity.points));
  v_free_.resize(3 * at(capacity.points));
  rest_.resize(3 * at(capacity.points));
  for (std::vector<double>* matrix : {&M_, &W_, &T_, &B_, &A_}) matrix->resize(n * n);
  for (std::vector<double>* vector : {&r_, &s_, &y_, &sum_, &w_}) vector->resize(n);
}

void PointSolver::load(const ContactProblem& problem) noexcept {
  bodies_ = static_cast<int>(problem.bodies.size());
  n_ = 6 * bodies_;
  group_ = 6;
  Phi_ = problem.Phi;
  count_ = problem.points.size();
  for (std::size_t i = 0; i < count_; ++i) {
    const ContactPoint& p = problem.points[i];
    Point& point = points_[i];
    const Vec3 axes[3] = {p.n, p.t1, p.t2};
    double* v = v_free_.data() + 3 * i;
    std::fill_n(v, 3, 0.0);
    for (const bool first : {true, false}) {
      Arm& arm = first ? point.a : point.b;
      arm.body = first ? p.a : p.b;
      if (arm.body < 0) continue;
      const TouchingBody& body = problem.bodies[at(arm.body)];
      const Vec3 r = p.p - body.origin;
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
      }
    }
    if (p.b >= 0) group_ = n_;
  }
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
  if (p.a.body >= 0) add(6 * p.a.body, 6 * p.a.body, ga, ga, true);
  if (p.b.body < 0) return;
  add(6 * p.b.body, 6 * p.b.body, gb, gb, true);
  if (p.a.body < 0) return;
  if (p.a.body > p.b.body) {
    add(6 * p.a.body, 6 * p.b.body, ga, gb, false);
  } else {
    add(6 * p.b.body, 6 * p.a.body, gb, ga, false);
  }
}

void PointSolver::gather_squares(std::span<const Choice> choices) noexcept {
  for (int i = 0; i < n_; ++i) {
    const int first = i - i % group_;
    std::fill_n(M_.data() + i * n_ + first, group_, 0.0);
    std::fill_n(W_.data() + i * n_ + first, group_, 0.0);
  }
  for (std::size_t i = 0; i < count_; ++i) {
    const Choice& choice = choices[i];
    const Point& p = points_[i];
    if (choice.mode == PointMode::kNone) continue;
    const double weight = 1.0 / choice.lambda;
    add_square(p.a.g[0], p.b.g[0], p, 1.0, M_);
    if (choice.mode == PointMode::kSlip) {
      double ga[6];
      double gb[6];
      for (int e = 0; e < 6; ++e) {
        ga[e] = p.a.g[0][e] + (choice.slip[0] * p.a.g[1][e] + choice.slip[1] * p.a.g[2][e]);
        gb[e] = p.b.g[0][e] + (choice.slip[0] * p.b.g[1][e] + choice.slip[1] * p.b.g[2][e]);
      }
      add_square(ga, gb, p, weight, W_);
      continue;
    }
    if (choice.mode == PointMode::kHold) add_square(p.a.g[0], p.b.g[0], p, weight, W_);
    for (int k = 1; k < 3; ++k) {
      add_square(p.a.g[k], p.b.g[k], p, 1.0, M_);
      add_square(p.a.g[k], p.b.g[k], p, weight, W_);
    }
  }
}

// lower Cholesky factor of every block on the diagonal, in place; entries above it cleared
void PointSolver::factor(std::vector<double>& M) noexcept {
  const int n = n_;
  for (int first = 0; first < n; first += group_) {
    double* block = M.data() + first * n + first;
    for (int j = 0; j < group_; ++j) {
      double* row_j = block + j * n;
      double d = row_j[j];
      const double least = kZeroPivot * d;
      for (int k = 0; k < j; ++k) d -= row_j[k] * row_j[k];
      const bool zero = !(d > least);
      const double scale = zero ? 0.0 : 1.0 / std::sqrt(d);
      row_j[j] = d * scale;
      for (int i = j + 1; i < group_; ++i) {
        double* row_i = block + i * n;
        double e = row_i[j];
        for (int k = 0; k < j; ++k) e -= row_i[k] * row_j[k];
        row_i[j] = e * scale;
        row_j[i] = 0.0;
      }
    }
  }
}

// N, Q, T and the factor of 1 + T T'
void PointSolver::prepare(std::span<const Choice> choices) noexcept {
  gather_squares(choices);
  factor(M_);
  factor(W_);
  const int n = n_;
  // A = Phi Q, block by block; rows of Q below the diagonal
  for (int i = 0; i < n; ++i) {
    double* a = A_.data() + i * n;
    const double* phi = Phi_ + i * n;
    std::fill_n(a, n, 0.0);
    for (int k = 0; k < n; ++k) {
      const int first = k - k % group_;
      const double x = phi[k];
      const double* q = W_.data() + k * n;
      for (int j = first; j <= k; ++j) a[j] += x * q[j];
    }
  }
  // T = N' A
  std::fill_n(T_.data(), n * n, 0.0);
  for (int k = 0; k < n; ++k) {
    const int first = k - k % group_;
    const double* a = A_.data() + k * n;
    for (int i = first; i <= k; ++i) {
      const double x = M_[at(k * n + i)];
      double* t = T_.data() + i * n;
      for (int j = 0; j < n; ++j) t[j] += x * a[j];
    }
  }
  // B = 1 + T T', lower half, and its factor with inverted diagonal
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      const double* x = T_.data() + i * n;
      const double* y = T_.data() + j * n;
      double e0 = 0.0;
      double e1 = 0.0;
      for (int k = 0; k < n; k += 2) {
        e0 += x[k] * y[k];
        e1 += x[k + 1] * y[k + 1];
      }
      B_[at(i * n + j)] = (e0 + e1) + (i == j ? 1.0 : 0.0);
    }
  }
  for (int j = 0; j < n; ++j) {
    double* row_j = B_.data() + j * n;
    double d = row_j[j];
    for (int k = 0; k < j; ++k) d -= row_j[k] * row_j[k];
    row_j[j] = 1.0 / std::sqrt(d);
    for (int i = j + 1; i < n; ++i) {
      double* row_i = B_.data() + i * n;
      double e = row_i[j];
      for (int k = 0; k < j; ++k) e -= row_i[k] * row_j[k];
      row_i[j] = e * row_j[j];
    }
  }
}

// f += the answer of (p-2), (p-3) to c
void PointSolver::correct(std::span<const Choice> choices, const double* c, double* f) noexcept {
  const int n = n_;
  std::fill_n(r_.data(), n, 0.0);
  for (std::size_t i = 0; i < count_; ++i) {
    if (choices[i].mode == PointMode::kNone) continue;
    const int rows = choices[i].mode == PointMode::kSlip ? 1 : 3;
    for (int k = 0; k < rows; ++k) {
      const double x = c[3 * i + at(k)];
      for (const Arm* arm : {&points_[i].a, &points_[i].b}) {
        if (arm->body < 0) continue;
        double* r = r_.data() + 6 * arm->body;
        for (int e = 0; e < 6; ++e) r[e] += x * arm->g[k][e];
      }
    }
  }
  // N r = J_R' c, pivots that were dropped give nothing
  for (int i = 0; i < n; ++i) {
    const double* row = M_.data() + i * n;
    double x = r_[at(i)];
    for (int k = i - i % group_; k < i; ++k) x -= row[k] * r_[at(k)];
    r_[at(i)] = row[i] > 0.0 ? x / row[i] : 0.0;
  }
  for (int i = 0; i < n; ++i) {
    const double* row = B_.data() + i * n;
    double x = r_[at(i)];
    for (int k = 0; k < i; ++k) x -= row[k] * r_[at(k)];
    r_[at(i)] = x * row[i];
  }
  for (int i = n - 1; i >= 0; --i) {
    double x = r_[at(i)];
    for (int k = i + 1; k < n; ++k) x -= B_[at(k * n + i)] * r_[at(k)];
    r_[at(i)] = x * B_[at(i * n + i)];
  }
  // s = N t, y = Phi s
  for (int i = 0; i < n; ++i) {
    const double* row = M_.data() + i * n;
    double x = 0.0;
    for (int k = i - i % group_; k <= i; ++k) x += row[k] * r_[at(k)];
    s_[at(i)] = x;
  }
  for (int i = 0; i < n; ++i) {
    const double* phi = Phi_ + i * n;
    double x = 0.0;
    for (int k = 0; k < n; ++k) x += phi[k] * s_[at(k)];
    y_[at(i)] = x;
  }
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
    if (choice.mode == PointMode::kSlip) {
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

void PointSolver::solve(std::span<const Choice> choices, const double* c, int refine,
                        double* f) noexcept {
  prepare(choices);
  std::fill_n(f, 3 * count_, 0.0);
  correct(choices, c, f);
  for (int pass = 0; pass < refine; ++pass) {
    velocities(f, rest_.data());
    for (std::size_t k = 0; k < 3 * count_; ++k) rest_[k] += c[k] - v_free_[k];
    correct(choices, rest_.data(), f);
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
  for (int i = 0; i < n; ++i) {
    const double* phi = Phi_ + i * n;
    double x = 0.0;
    for (int k = 0; k < n; ++k) x += phi[k] * sum_[at(k)];
    w_[at(i)] = x;
  }
  for (std::size_t i = 0; i < count_; ++i) {
    for (int k = 0; k < 3; ++k) {
      double x = v_free_[3 * i + at(k)];
      for (const Arm* arm : {&points_[i].a, &points_[i].b}) {
        if (arm->body >= 0) x += dot6(arm->g[k], w_.data() + 6 * arm->body);
      }
      v[3 * i + at(k)] = x;
    }
  }
}

double PointSolver::pressing_gradient(int i) const noexcept {
  double x = 0.0;
  for (const Arm* arm : {&points_[at(i)].a, &points_[at(i)].b}) {
    if (arm->body >= 0) x += dot6(arm->g[0], y_.data() + 6 * arm->body);
  }
  return x;
}

}  // namespace kagami::models
