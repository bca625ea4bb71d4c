/// The gap of one joint as a function of the causes that are assumed.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tools/gap/cause.hpp"
#include "tools/gap/joint_replay.hpp"

namespace kagami::tools {

/// rad, the steps in which the joint was read: whole degrees, or 0.
double reading_step(const AlignedReadings& readings);

/// How much of a cause is assumed, in SI units.
struct CauseAmount {
  Cause cause = Cause::kTrim;
  double amount = 0.0;
};

/// Readings of one joint in a part of the run, and what the shadow model with changed parameters
/// would have left of their gap.
class JointFit {
 public:
  /// Keeps references.
  JointFit(const JointDrive& drive, const AlignedReadings& readings, GridRange range, double step);

  [[nodiscard]] std::size_t num_readings() const { return place_.size(); }
  /// rad^2: mean square of measured minus simulated with these causes in the model.
  [[nodiscard]] double mean_square(std::span<const CauseAmount> causes);
  /// rad, of each reading: measured minus what the model with this servo would have made of it.
  void residuals(const ServoParameters& servo, std::vector<double>& out);
  /// rad, RMS of the change that this cause alone makes at the readings.
  [[nodiscard]] double change(CauseAmount cause);

  [[nodiscard]] const ServoParameters& servo() const { return drive_.servo; }

 private:
  struct Place {
    std::size_t reading = 0;
    std::size_t point = 0;  ///< of the range, before the reading
    double share = 0.0;     ///< of the step that has passed
  };

  [[nodiscard]] double deviation(const Place& place) const;
  void replay(std::span<const CauseAmount> causes);
  void replay(const ServoParameters& servo, double load_scale, double gain);
  [[nodiscard]] double rest(const Place& place) const;

  const JointDrive& drive_;
  const AlignedReadings& readings_;
  GridRange range_;
  double step_;
  std::vector<Place> place_;
  std::vector<double> nominal_;
  std::vector<double> changed_;
  double gain_ = 0.0;  // of the causes that were replayed last
};

}  // namespace kagami::tools
