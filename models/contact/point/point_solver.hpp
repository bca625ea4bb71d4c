/// Least squares over contact impulses, worked in the space of the touching bodies, or of the rows
/// where many bodies have few.
#pragma once

#include <span>
#include <vector>

#include "models/contact/method/contact_method.hpp"
#include "models/contact/point/block_algebra.hpp"
#include "models/contact/point/point_arms.hpp"
#include "models/contact/point/row_space.hpp"
#include "models/contact/point/skyline_cholesky.hpp"

namespace kagami::models {

/// Set-up by capacity; then load once and solve as often as modes change. Plain numbers; nothing
/// allocates.
class PointSolver {
 public:
  explicit PointSolver(const ContactCapacity& capacity);

  /// Takes the geometry of a problem within the capacity. Cycle code; so are all below.
  void load(const ContactProblem& problem) noexcept;

  using Choice = PointChoice;
  /// f (three per point: n, t1, t2) that minimises |A f + c|^2 + sum of lambda f^2 over the chosen
  /// rows and columns, and v = v_free + A f; c three per point. Up to `refine` more passes with
  /// what is left of c take the lambda out again: the limit is the least-squares f of minimum norm.
  void solve(std::span<const Choice> choices, const double* c, int refine, double* f,
             double* v) noexcept;
  /// Gradient of the sum of squares along an impulse n at point i, after solve (kg^-1 m/s).
  [[nodiscard]] double pressing_gradient(int i) const noexcept;
  /// v_free, three per point.
  [[nodiscard]] const double* free_velocity() const noexcept { return v_free_.data(); }
  /// The same before the step.
  [[nodiscard]] const double* velocity_before() const noexcept { return v_before_.data(); }

 private:
  using Arm = PointArm;
  using Point = PointArms;

  void add_square(const double* ga, const double* gb, const Point& p, double weight,
                  std::vector<double>& M) noexcept;
  void add_whole(const Arm& arm, std::vector<double>& M) noexcept;
  bool gather_squares(std::span<const Choice> choices) noexcept;
  void prepare(std::span<const Choice> choices) noexcept;
  double gather(std::span<const Choice> choices, const double* c) noexcept;
  void clear(std::vector<double>& M) const noexcept;
  void respond(const double* s, double* y) const noexcept;
  [[nodiscard]] int place(const Arm& arm) const noexcept;
  void velocities(const double* f, double* v) noexcept;
  void correct(std::span<const Choice> choices, const double* c, double* f) noexcept;

  int bodies_ = 0;
  int n_ = 0;  // 6 bodies_
  BlockAlgebra algebra_;
  SkylineCholesky sky_;
  bool many_ = false;  // more than two bodies: by sky_
  RowSpace row_space_;
  bool by_rows_ = false;  // as the choices are, rows are fewer than 6K
  double weight_ = 0.0;   // 1/lambda where it is the same at all closed points
  const double* Phi_ = nullptr;
  std::vector<Point> points_;
  std::size_t count_ = 0;
  std::vector<double> v_free_, v_before_;
  std::vector<double> M_, W_, T_, B_, A_;    // n x n
  std::vector<double> r_, s_, y_, sum_, w_;  // n
  std::vector<double> rest_, z_;             // three per point
};

}  // namespace kagami::models
