/// A contact point as the least squares see it: its two bodies, and what is chosen for it.
#pragma once

#include <cstdint>

namespace kagami::models {

/// What one point contributes: rows are target velocities, columns impulses that are
/// free.
enum class PointMode : std::uint8_t {
  kNone,     ///< nothing
  kHold,     ///< rows n, t1, t2; columns n, t1, t2
  kLimit,    ///< rows n, t1, t2; one column n + slip: friction at its limit that still holds
  kSlip,     ///< row n; one column n + slip
  kNoPress,  ///< rows n, t1, t2; columns t1, t2: a normal impulse held at zero
};

/// One point's choice. slip: tangential impulse along t1, t2 per normal one (kLimit, kSlip).
struct PointChoice {
  PointMode mode = PointMode::kNone;
  double slip[2] = {0.0, 0.0};
  double lambda = 0.0;  ///< > 0 (1/kg^2)

  [[nodiscard]] bool has_one_column() const noexcept {
    return mode == PointMode::kLimit || mode == PointMode::kSlip;
  }
  [[nodiscard]] int rows() const noexcept {
    return mode == PointMode::kNone ? 0 : mode == PointMode::kSlip ? 1 : 3;
  }
};

/// How a body of the problem moves a point.
struct PointArm {
  int body = -1;        ///< < 0: none
  double r[3] = {};     ///< m, from the body's origin
  double g[3][6] = {};  ///< velocity along n, t1, t2 = g . V of the body
};

/// Both bodies of a point; b's rows have the opposite sign.
struct PointArms {
  PointArm a, b;
};

inline double dot6(const double* a, const double* b) noexcept {
  return ((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])) + (a[4] * b[4] + a[5] * b[5]);
}

}  // namespace kagami::models
