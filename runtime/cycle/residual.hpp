/// Simulated minus measured angles: running statistics per joint, without a heap.
#pragma once

#include <cstdint>

#include "models/base/types.hpp"
#include "models/base/wiring.hpp"
#include "runtime/channels/cycle_types.hpp"

namespace kagami::runtime {

/// One joint's aligned residuals so far. Values in rad.
struct JointResidual {
  std::uint64_t samples = 0;
  double sum = 0.0;
  double sum_of_squares = 0.0;
  double rounding_sum_of_squares = 0.0;  ///< what whole degrees alone would leave at the samples
  double q_min = 0.0;                    ///< of the aligned simulated angle
  double q_max = 0.0;

  [[nodiscard]] double rms() const noexcept;   ///< NaN without samples
  [[nodiscard]] double bias() const noexcept;  ///< mean; NaN without samples
  /// RMS a perfect model would show because boards answer in whole degrees, from this joint's own
  /// motion; NaN at rest (less than two degrees of travel).
  [[nodiscard]] double floor() const noexcept;
};

/// Sums over a run; `add` is cycle code and may also be fed from a record.
class ResidualStatistics {
 public:
  explicit ResidualStatistics(const RobotWiring& wiring);

  /// Takes the residuals that this row renewed.
  void add(const CycleOutput& out) noexcept;
  [[nodiscard]] const JointResidual& joint(int joint) const noexcept;
  [[nodiscard]] int num_joints() const noexcept { return num_joints_; }
  /// Over all samples of all joints, rad; NaN without samples.
  [[nodiscard]] double rms() const noexcept;

 private:
  int num_joints_ = 0;
  JointArray<std::int8_t> board_{};
  JointArray<JointResidual> joints_{};
};

/// How long a controller led and how often it was at its limit; as above.
class ControlStatistics {
 public:
  explicit ControlStatistics(int num_joints) : num_joints_(num_joints) {}
  void add(const CycleOutput& out) noexcept {
    if (out.controller < 0) return;
    ++cycles_;
    saturated_ += static_cast<std::uint64_t>(out.saturated);
  }
  [[nodiscard]] std::uint64_t cycles() const noexcept { return cycles_; }
  /// Share of joints and cycles, 0..1.
  [[nodiscard]] double saturation() const noexcept {
    return cycles_ == 0
               ? 0.0
               : static_cast<double>(saturated_) / (static_cast<double>(cycles_) * num_joints_);
  }

 private:
  int num_joints_ = 1;
  std::uint64_t cycles_ = 0;
  std::uint64_t saturated_ = 0;
};

}  // namespace kagami::runtime
