#include "runtime/cycle/residual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/base/angle.hpp"

namespace kagami::runtime {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
/// A joint that travels less shows a constant rounding error, not a spread one.
constexpr double kMovingTravel = to_rad(2.0);

double root_mean(double sum_of_squares, std::uint64_t samples) noexcept {
  return samples == 0 ? kNaN : std::sqrt(sum_of_squares / static_cast<double>(samples));
}

/// What is left of an angle when a board answers it in whole degrees. Counts are whole and home is
/// a whole count, so rounding the count rounds the joint angle.
double rounding_error(double q) noexcept {
  return q - to_rad(std::nearbyint(to_deg(q)));
}

}  // namespace

double JointResidual::rms() const noexcept {
  return root_mean(sum_of_squares, samples);
}

double JointResidual::bias() const noexcept {
  return samples == 0 ? kNaN : sum / static_cast<double>(samples);
}

double JointResidual::floor() const noexcept {
  if (samples == 0 || q_max - q_min < kMovingTravel) return kNaN;
  return root_mean(rounding_sum_of_squares, samples);
}

ResidualStatistics::ResidualStatistics(const RobotWiring& wiring)
    : num_joints_(static_cast<int>(std::min<std::size_t>(wiring.joints.size(), kMaxJoints))) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(num_joints_); ++i) {
    board_[i] = static_cast<std::int8_t>(wiring.joints[i].board());
  }
}

void ResidualStatistics::add(const CycleOutput& out) noexcept {
  for (std::size_t i = 0; i < static_cast<std::size_t>(num_joints_); ++i) {
    if (!out.residual_is_new[static_cast<std::size_t>(board_[i])]) continue;
    const double residual = out.residual[i];
    const double q = out.q_aligned[i];
    if (!std::isfinite(residual) || !std::isfinite(q)) continue;

    JointResidual& joint = joints_[i];
    joint.q_min = joint.samples == 0 ? q : std::min(joint.q_min, q);
    joint.q_max = joint.samples == 0 ? q : std::max(joint.q_max, q);
    ++joint.samples;
    joint.sum += residual;
    joint.sum_of_squares += residual * residual;
    const double rounding = rounding_error(q);
    joint.rounding_sum_of_squares += rounding * rounding;
  }
}

const JointResidual& ResidualStatistics::joint(int joint) const noexcept {
  return joints_[static_cast<std::size_t>(std::clamp(joint, 0, kMaxJoints - 1))];
}

double ResidualStatistics::rms() const noexcept {
  double sum_of_squares = 0.0;
  std::uint64_t samples = 0;
  for (const JointResidual& joint : joints_) {
    sum_of_squares += joint.sum_of_squares;
    samples += joint.samples;
  }
  return root_mean(sum_of_squares, samples);
}

}  // namespace kagami::runtime
