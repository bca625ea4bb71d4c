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
  /// Place among the readings of the k-th that counts.
  [[nodiscard]] std::size_t reading(std::size_t k) const { return place_[k].reading; }
  /// rad^2: mean square of measured minus simulated with these causes in the model.
  [[nodiscard]] double mean_square(std::span<const CauseAmount> causes);
  /// rad, of each reading, model by model: measured minus what the shadow model with that servo
  /// would have made of it.
  void residuals(std::span<const JointModel> models, std::vector<double>& out);
  /// rad, RMS of the change that this cause alone makes at the readings.
  [[nodiscard]] double change(CauseAmount cause);

  [[nodiscard]] const ServoParameters& servo() const { return drive_.servo; }

 private:
  struct Place {
    std::size_t reading = 0;
    std::size_t point = 0;  ///< of the range, before the reading
    double share = 0.0;     ///< of the step that has passed
  };

  [[nodiscard]] JointModel own_model() const;
  void replay(std::span<const CauseAmount> causes);
  void replay(std::span<const JointModel> models);
  [[nodiscard]] double deviation(const Place& place, std::size_t model) const;
  [[nodiscard]] double rest(const Place& place, std::size_t model) const;

  const JointDrive& drive_;
  const AlignedReadings& readings_;
  GridRange range_;
  double step_;
  std::vector<Place> place_;
  std::vector<double> nominal_;
  // of the models that were replayed last
  std::vector<std::vector<double>> curves_;
  std::vector<double> gains_;
};

}  // namespace kagami::tools
