// Preview control of the zero-moment point. [Kajita 2003]; its form is that of
// [Katayama 1985]. x = (x, x', x'')', u the jerk, T the period, e = p - p_ref.
//   x(k+1) = A x(k) + B u(k),  p = C x,  C = (1, 0, -z_c / g)                      (zp-1)
//   state (e; x(k) - x(k-1)), input u(k) - u(k-1):
//   A~ = (1, C A; 0, A),  B~ = (C B; B),  Q~ = diag(Q_e, 0, 0, 0)                  (zp-2)
//   P of its Riccati equation, K~ = (R + B~' P B~)^-1 B~' P                        (zp-3)
//   G_i = K~ (1; 0),  G_x = K~ (C A; A)                                            (zp-4)
//   Ac = A~ - B~ K~ A~,  X_1 = Ac' P (1; 0),  X_j = Ac' X_(j-1)                    (zp-5)
//   G_p(1) = G_i,  G_p(j) = (R + B~' P B~)^-1 B~' X_(j-1)                          (zp-6)
//   u(k) = -G_i sum_(i <= k) e(i) - G_x x(k) + sum_j G_p(j) p_ref(k+j)             (zp-7)
#include "motions/planner/zmp_preview.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "models/base/errors.hpp"

namespace kagami::motions {
namespace {

using Eigen::MatrixXd;
using Eigen::RowVector3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

void check(const PreviewSettings& s) {
  // written so that NaN fails
  const auto above_zero = [](double x) { return x > 0.0 && std::isfinite(x); };
  for (const auto& [name, value] : {std::pair{"period", s.period},
                                    {"height", s.height},
                                    {"gravity", s.gravity},
                                    {"error_weight", s.error_weight},
                                    {"jerk_weight", s.jerk_weight}})
    if (!above_zero(value))
      throw ConfigError(fmt::format("preview control: {} {:g}, expected above 0", name, value));
  if (!(s.preview >= s.period && s.preview <= 1e4 * s.period))
    throw ConfigError(
        fmt::format("preview control: preview {:g} s, expected 1 to 10000 periods of "
                    "{:g} s",
                    s.preview, s.period));
}

Eigen::Matrix3d step_matrix(double T) {
  Eigen::Matrix3d A;
  A << 1.0, T, 0.5 * T * T, 0.0, 1.0, T, 0.0, 0.0, 1.0;
  return A;
}

Vector3d step_input(double T) {
  return {T * T * T / 6.0, 0.5 * T * T, T};
}

RowVector3d zmp_row(const PreviewSettings& s) {
  return {1.0, 0.0, -s.height / s.gravity};
}

LinearQuadratic augmented(const PreviewSettings& s) {
  const Eigen::Matrix3d A = step_matrix(s.period);  // (zp-1)
  const Vector3d B = step_input(s.period);
  const RowVector3d C = zmp_row(s);
  LinearQuadratic plant{MatrixXd::Zero(4, 4), MatrixXd::Zero(4, 1), MatrixXd::Zero(4, 4),
                        MatrixXd::Constant(1, 1, s.jerk_weight)};
  plant.A(0, 0) = 1.0;  // (zp-2)
  plant.A.block<1, 3>(0, 1) = C * A;
  plant.A.block<3, 3>(1, 1) = A;
  plant.B(0, 0) = C * B;
  plant.B.block<3, 1>(1, 0) = B;
  plant.Q(0, 0) = s.error_weight;
  return plant;
}

PreviewGains make_gains(const PreviewSettings& s) {
  PreviewGains g;
  g.plant = augmented(s);
  g.P = solve_riccati(g.plant);
  const MatrixXd K = input_gain(g.plant, g.P);  // (zp-3)
  g.Gi = K(0, 0);                               // (zp-4)
  g.Gx = K * g.plant.A.rightCols<3>();
  const MatrixXd Ac = g.plant.A - g.plant.B * K * g.plant.A;  // (zp-5)
  VectorXd X = Ac.transpose() * g.P.col(0);
  const double weight = s.jerk_weight + (g.plant.B.transpose() * g.P * g.plant.B)(0, 0);
  const auto count = static_cast<std::size_t>(std::lround(s.preview / s.period));
  g.Gp = {g.Gi};  // (zp-6)
  while (g.Gp.size() < count) {
    g.Gp.push_back(g.plant.B.col(0).dot(X) / weight);
    X = Ac.transpose() * X;
  }
  return g;
}

}  // namespace

CartPath::CartPath(double period, std::vector<PathPoint> points)
    : period_(period), points_(std::move(points)) {
  if (points_.empty()) throw ConfigError("path of the mass centre: no points");
}

PathPoint CartPath::at(double t) const {
  const double last = static_cast<double>(points_.size() - 1);
  const double k = std::floor(std::clamp(t / period_ + 1e-9, 0.0, last));
  const PathPoint& from = points_[static_cast<std::size_t>(k)];
  if (k >= last) return from;
  const double s = std::clamp(t - k * period_, 0.0, period_);
  const double jerk = (points_[static_cast<std::size_t>(k) + 1].a - from.a) / period_;
  return {from.p + s * (from.v + s * (0.5 * from.a + s * jerk / 6.0)),
          from.v + s * (from.a + 0.5 * s * jerk), from.a + s * jerk};
}

ZmpPreview::ZmpPreview(const PreviewSettings& settings) : s_(settings) {
  check(s_);
  gains_ = make_gains(s_);
}

double ZmpPreview::zmp(const PathPoint& x) const {
  return x.p - s_.height / s_.gravity * x.a;
}

CartPath ZmpPreview::follow(const std::vector<double>& p_ref, double start) const {
  if (p_ref.empty()) throw ConfigError("preview control: the reference has no values");
  const Eigen::Matrix3d A = step_matrix(s_.period);
  const Vector3d B = step_input(s_.period);
  Vector3d x(start, 0.0, 0.0);
  std::vector<PathPoint> points = {{start, 0.0, 0.0}};
  double errors = 0.0;
  for (std::size_t k = 0; k + 1 < p_ref.size(); ++k) {
    errors += zmp({x[0], x[1], x[2]}) - p_ref[k];
    double u = -gains_.Gi * errors - gains_.Gx.dot(x);  // (zp-7)
    for (std::size_t j = 0; j < gains_.Gp.size(); ++j)
      u += gains_.Gp[j] * p_ref[std::min(k + j + 1, p_ref.size() - 1)];
    x = A * x + B * u;  // (zp-1)
    points.push_back({x[0], x[1], x[2]});
  }
  return {s_.period, std::move(points)};
}

}  // namespace kagami::motions
