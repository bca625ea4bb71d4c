/// The least squares over contact impulses in the space of the rows: for many bodies and few rows.
#pragma once

#include <span>
#include <vector>

#include "models/contact/method/contact_method.hpp"
#include "models/contact/point/point_arms.hpp"

namespace kagami::models {

/// Of the residual z = A_R f + c_R of (p-1): with G = A_RF the optimality condition
/// f = -lambda^-1 G' z gives
///   (1 + G lambda^-1 G') z = c_R                                                  (p-5)
/// so the cost is that of a matrix of as many rows as are selected: a fallen robot touches itself
/// and the floor with ten bodies at fifteen points that mostly slip, 25 rows against 60. Set-up by
/// capacity; the rest is cycle code.
class RowSpace {
 public:
  explicit RowSpace(const ContactCapacity& capacity);

  /// Starts a problem of n = 6 x bodies numbers; Phi stays the caller's.
  void load(const double* Phi, int n, std::span<const PointArms> points) noexcept;
  /// Takes a choice for every point. False when the space of the bodies is the smaller one, or
  /// there are more points than fit: then nothing is prepared.
  [[nodiscard]] bool prepare(std::span<const PointChoice> choices) noexcept;
  /// z of the selected rows; c and z three per point, other entries of z untouched.
  void residual(const double* c, double* z) noexcept;

 private:
  static constexpr int kMostPoints = 48;
  static constexpr int kMostRows = 3 * kMostPoints;

  void add(int point) noexcept;
  void add_column(int slot, const double* direction, double lambda) noexcept;
  void list(std::span<const PointChoice> choices) noexcept;
  void factor() noexcept;

  const double* Phi_ = nullptr;
  int n_ = 0;
  std::span<const PointArms> points_;
  std::vector<int> slot_;    // of each point: its place in A, or -1
  std::vector<int> placed_;  // points, by place
  std::vector<double> Y_;    // 3 x n, Phi J' of the point that is being placed
  std::vector<double> A_;    // J Phi J' of what has a place, kMostRows to a row
  std::vector<int> row_;     // 3 place + axis of every selected row
  std::vector<int> target_;  // and 3 point + axis
  std::vector<double> g_;    // a column of G lambda^-1/2
  std::vector<double> K_;    // of (p-5), upper half, kMostRows to a row
  std::vector<double> z_;
};

}  // namespace kagami::models
