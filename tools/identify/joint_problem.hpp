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
  /// Derivatives of the readings' rows at y by a load (N m, on the grid of each record) that is
  /// added to the joint's, per unit of it.
  [[nodiscard]] Eigen::VectorXd by_load(const FitVector& y,
                                        const std::vector<const std::vector<float>*>& load);
  void set_noise(double sigma) { noise_ = ReadingNoise(step_, sigma); }
  /// s, of each row of a reading; a later record begins a minute after the one before.
  [[nodiscard]] std::vector<double> times() const;
  [[nodiscard]] const FitScale& scale() const { return scale_; }

 private:
  const FitScale& scale_;
  double step_;  // rad, of the readings
  std::vector<InformativeReadings> informative_;
  std::vector<JointFit> fits_;
  std::vector<double> weight_;  // per row of a reading
  ReadingNoise noise_;
};

/// The problem near a place: residuals, and their derivatives by the free parameters; 0 for the
/// others.
struct LinearProblem {
  LinearProblem(JointProblem& problem, const FitVector& y, const FitMask& free);
  /// How much less the cost becomes when these parameters move to the least of its quadratic form.
  [[nodiscard]] double decrease(const FitMask& varied) const;

  Eigen::VectorXd rows;
  JointProblem::Jacobian jacobian;
  Eigen::MatrixXd normal;
  Eigen::VectorXd gradient;
};
/// Places of the parameters in a mask.
std::vector<Eigen::Index> places_in(const FitMask& mask);

/// Calls f(first, last) for the rows of every half second: errors of neighbouring readings are
/// alike, those of different half seconds are taken as independent.
template <class F>
void for_each_block(const std::vector<double>& times, F&& f) {
  constexpr double kBlock = 0.5;  // s
  std::size_t first = 0;
  for (std::size_t i = 0; i <= times.size(); ++i) {
    if (i < times.size() && times[i] - times[first] <= kBlock) continue;
    if (i > first) f(first, i);
    first = i;
  }
}

}  // namespace kagami::tools
