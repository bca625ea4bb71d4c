/// How likely a reading is for an angle of the model.
#pragma once

#include <span>
#include <vector>

#include "tools/gap/drive_history.hpp"

namespace kagami::tools {

/// A reading is the angle plus normal noise, rounded to whole steps: all that it says is that angle
/// plus noise lay within half a step. A joint that rests is read with the same error thousands of
/// times; least squares would take that error for trim.
class ReadingNoise {
 public:
  /// rad; `step` 0 = readings are not rounded. `sigma` > 0.
  ReadingNoise(double step, double sigma);

  /// r(error), half of whose square is the negative logarithm of the reading's probability; r(0) =
  /// 0, with the sign of the error (rad).
  [[nodiscard]] double operator()(double error) const noexcept;
  [[nodiscard]] double sigma() const noexcept { return sigma_; }

 private:
  friend double likeliest_sigma(double step, std::span<const double> errors);
  [[nodiscard]] double log_likelihood(std::span<const double> errors) const noexcept;

  double sigma_;
  double step_;
  double most_ = 0.0;      // logarithm of the probability (density) at 0
  double spacing_ = 1.0;   // rad, of the table
  std::vector<double> r_;  // r at 0, spacing, ..; carried on as a straight line
};

/// Readings of a joint that say something new, and how much each counts.
struct InformativeReadings {
  AlignedReadings readings;
  std::vector<double> weight;  ///< 0..1
};
/// Where a reading changes, the angle passes the middle between two steps: the first and the last
/// of equal readings count fully. Those between them repeat the same error; some of them are kept,
/// for a model that moves there, with a small weight. `step` 0: all count.
InformativeReadings informative_readings(const AlignedReadings& readings, double step);

/// rad, the noise under which these errors (rad) are likeliest, of 0.03 to 3 deg.
double likeliest_sigma(double step, std::span<const double> errors);

}  // namespace kagami::tools
