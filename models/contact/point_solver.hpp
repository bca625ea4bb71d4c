/// Least squares over contact impulses, worked in the space of the touching bodies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/contact/block_algebra.hpp"
#include "models/contact/contact_method.hpp"

namespace kagami::models {

/// What one point contributes: rows are velocities that are asked for, columns impulses that are
/// free.
enum class PointMode : std::uint8_t {
  kNone,     ///< nothing
  kHold,     ///< rows n, t1, t2; columns n, t1, t2
  kLimit,    ///< rows n, t1, t2; one column n + slip: friction at its limit that still holds
  kSlip,     ///< row n; one column n + slip
  kNoPress,  ///< rows n, t1, t2; columns t1, t2: a normal impulse held at zero
};

/// Set-up by capacity; then load once and solve as often as modes change. Plain numbers; nothing
/// allocates.
class PointSolver {
 public:
  explicit PointSolver(const ContactCapacity& capacity);

  /// Takes the geometry of a problem within the capacity. Cycle code; so are all below.
  void load(const ContactProblem& problem) noexcept;

  /// One point's choice. slip: tangential impulse along t1, t2 per normal one (kLimit, kSlip).
  struct Choice {
    PointMode mode = PointMode::kNone;
    double slip[2] = {0.0, 0.0};
    double lambda = 0.0;  ///< > 0 (1/kg^2)
  };
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
  struct Arm {
    int body = -1;
    double r[3] = {};     // m, from the body's origin
    double g[3][6] = {};  // velocity along n, t1, t2 = g . V of the body
  };
  struct Point {
    Arm a, b;
  };

  void add_square(const double* ga, const double* gb, const Point& p, double weight,
                  std::vector<double>& M) noexcept;
  void add_whole(const Arm& arm, std::vector<double>& M) noexcept;
  bool gather_squares(std::span<const Choice> choices) noexcept;
  void prepare(std::span<const Choice> choices) noexcept;
  double gather(std::span<const Choice> choices, const double* c) noexcept;
  void velocities(const double* f, double* v) noexcept;
  void correct(std::span<const Choice> choices, double* f) noexcept;

  int bodies_ = 0;
  int n_ = 0;  // 6 bodies_
  BlockAlgebra algebra_;
  double weight_ = 0.0;  // 1/lambda where it is the same at all closed points
  const double* Phi_ = nullptr;
  std::vector<Point> points_;
  std::size_t count_ = 0;
  std::vector<double> v_free_, v_before_;
  std::vector<double> M_, W_, T_, B_, A_;    // n x n
  std::vector<double> r_, s_, y_, sum_, w_;  // n
  std::vector<double> rest_;                 // three per point
};

}  // namespace kagami::models
