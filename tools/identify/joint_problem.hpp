/// The least-squares problem of one joint.
#pragma once

#include <Eigen/Dense>
#include <array>
#include <vector>

#include "tools/gap/joint_fit.hpp"
#include "tools/identify/fit_parameters.hpp"
#include "tools/identify/reading_noise.hpp"

namespace kagami::tools {

/// One joint in one record.
struct JointData {
  const JointDrive* drive = nullptr;
  const AlignedReadings* readings = nullptr;
  double step = 0.0;  ///< s
};

/// Which parameters are varied.
using FitMask = std::array<bool, kNumFitParameters>;

/// One row per reading, weighted by its noise, then one per parameter: its distance from what is
/// expected.
class JointProblem {
 public:
  using Jacobian = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// Keeps references. `noise`: rad.
  JointProblem(const FitScale& scale, const std::vector<JointData>& data, double noise);

  [[nodiscard]] std::size_t num_readings() const { return weight_.size(); }
  [[nodiscard]] std::size_t num_rows() const { return num_readings() + kNumFitParameters; }
  /// Residuals at y; their derivatives by the varied parameters where `jacobian` is given, row by
  /// row, 0 for the others.
  void evaluate(const double* y, const FitMask& varied, double* rows, double* jacobian);
  /// The place of the least cost that a search from `y` finds, in y; returns that cost.
  double solve(FitVector& y, const FitMask& varied, int iterations);
  /// rad, the noise that the errors at y have.
  [[nodiscard]] double noise_at(const FitVector& y);
  void set_noise(double sigma) { noise_ = ReadingNoise(step_, sigma); }
  /// s, of each row of a reading; a later record begins a minute after the one before.
  [[nodiscard]] std::vector<double> times() const;
  [[nodiscard]] const FitScale& scale() const { return scale_; }

 private:
  const FitScale& scale_;
  double step_;  // rad, of the readings
  std::vector<ToldReadings> told_;
  std::vector<JointFit> fits_;
  std::vector<double> weight_;  // per row of a reading
  ReadingNoise noise_;
};

}  // namespace kagami::tools
