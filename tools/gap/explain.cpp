#include "tools/gap/explain.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/angle.hpp"
#include "models/base/idx.hpp"
#include "tools/gap/cause_search.hpp"
#include "tools/gap/each_joint.hpp"
#include "tools/gap/joint_fit.hpp"

namespace kagami::tools {
namespace {

constexpr double kSearchTime = 60.0;       // s
constexpr double kStill = to_rad(1.5);     // rad, range of a joint that does not move
constexpr double kMoves = to_rad(5.0);     // rad, range of one that shall
constexpr double kMostOfWholeCurve = 0.2;  // of the gap that a wrong curve may leave
constexpr double kBetterThanFitted = 0.5;  // and of what a fitted cause leaves

double range_of(const std::vector<float>& values) {
  if (values.empty()) return 0.0;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most - *least;
}

double squared(double x) {
  return x * x;
}

/// rad^2: what rounding alone leaves. Where the joint rests it is the square of half a step.
double resolution_of(const AlignedReadings& readings) {
  const double step = reading_step(readings);
  if (step == 0.0 || readings.simulated.empty()) return 0.0;
  const auto [least, most] =
      std::minmax_element(readings.simulated.begin(), readings.simulated.end());
  const bool rests = *most - *least < 2.0 * step;
  return squared(step) / (rests ? 4.0 : 12.0);
}

/// rad^2; 0 where the motion has no reference.
double tracking_of(const AlignedReadings& readings) {
  double sum = 0.0;
  std::size_t known = 0;
  for (std::size_t i = 0; i < readings.measured.size(); ++i) {
    const double error = static_cast<double>(readings.measured[i]) - readings.reference[i];
    if (!std::isfinite(error)) continue;
    ++known;
    sum += squared(error);
  }
  return known > 0 ? sum / static_cast<double>(known) : 0.0;
}

/// Where the joint's ramp moves most, of the searched length.
GridRange busiest_part(const JointDrive& drive, double step) {
  const auto length = static_cast<std::size_t>(kSearchTime / step);
  const std::size_t all = drive.ramp.size();
  if (all <= length) return {0, all};
  const auto travel = [&](std::size_t k) {
    return std::abs(static_cast<double>(drive.ramp[k]) - drive.ramp[k - 1]);
  };
  double sum = 0.0;
  for (std::size_t k = 1; k < length; ++k) sum += travel(k);
  double most = sum;
  std::size_t last = length;
  for (std::size_t k = length; k < all; ++k) {
    sum += travel(k) - travel(k - length + 1);
    if (sum > most) {
      most = sum;
      last = k + 1;
    }
  }
  return {last - length, last};
}

/// The explanation of one joint by causes that are fitted.
class JointStudy {
 public:
  JointStudy(const DriveHistory& history, std::size_t joint)
      : history_(history),
        drive_(history.drive[joint]),
        readings_(history.readings[joint]),
        part_(busiest_part(drive_, history.step)),
        fit_(drive_, readings_, part_, history.step) {
    result_.joint = history.names[joint];
    result_.fitted = drive_.servo;
  }

  JointExplanation run() {
    result_.readings = fit_.num_readings();
    if (result_.readings == 0) return result_;
    const double resolution = resolution_of(readings_);
    result_.tracking = tracking_of(readings_);
    result_.not_identifiable = not_identifiable_causes(fit_);
    result_.causes = search_causes(fit_, resolution);
    count_over_all(resolution);
    return result_;
  }

 private:
  // what each cause takes away, one after the other, over the whole run
  void count_over_all(double resolution) {
    const GridRange all{0, drive_.ramp.size()};
    JointFit whole(drive_, readings_, all, history_.step);
    result_.readings = whole.num_readings();
    std::vector<CauseAmount> amounts;
    double square = whole.mean_square(amounts);
    result_.mean_square = square;
    for (FoundCause& found : result_.causes) {
      amounts.push_back({found.cause, found.amount});
      const double left = whole.mean_square(amounts);
      found.square = square - left;
      square = left;
      apply_cause(found.cause, found.amount, result_.fitted);
    }
    result_.resolution = std::min(square, resolution);
    result_.unexplained = square - result_.resolution;
  }

  const DriveHistory& history_;
  const JointDrive& drive_;
  const AlignedReadings& readings_;
  GridRange part_;
  JointFit fit_;
  JointExplanation result_;
};

/// A curve on the grid at the readings' times.
std::vector<double> at_readings(const std::vector<float>& curve, const AlignedReadings& readings,
                                double step) {
  std::vector<double> values;
  values.reserve(readings.time.size());
  for (const double time : readings.time) {
    const double point = std::max(0.0, time / step);
    const auto before = std::min(static_cast<std::size_t>(point), curve.size() - 2);
    const double share = std::min(1.0, point - static_cast<double>(before));
    values.push_back(curve[before] + share * (curve[before + 1] - curve[before]));
  }
  return values;
}

/// rad^2: mean square of `read` minus `curve`, both without their means.
double mean_square_against(const std::vector<float>& read, const std::vector<double>& curve) {
  const double n = static_cast<double>(read.size());
  double offset = 0.0;
  for (std::size_t i = 0; i < read.size(); ++i) offset += (read[i] - curve[i]) / n;
  double square = 0.0;
  for (std::size_t i = 0; i < read.size(); ++i) square += squared(read[i] - curve[i] - offset) / n;
  return square;
}

/// Whole curves of the run: a joint that is jammed, turns the other way or moves as another.
class CurveCheck {
 public:
  CurveCheck(const DriveHistory& history, std::vector<JointExplanation>& all)
      : history_(history), all_(all) {}

  void run() {
    for (std::size_t j = 0; j < all_.size(); ++j) {
      if (all_[j].readings == 0 || range_of(history_.readings[j].simulated) < kMoves) continue;
      if (!check_jammed(j) && is_wrong(j)) check_sign(j);
    }
    for (std::size_t j = 0; j < all_.size(); ++j) {
      for (std::size_t k = j + 1; k < all_.size(); ++k) {
        if (is_wrong(j) && is_wrong(k)) check_swapped(j, k);
      }
    }
  }

 private:
  [[nodiscard]] bool is_wrong(std::size_t j) const {
    return all_[j].readings > 0 && all_[j].mean_square >= squared(kStill);
  }

  bool check_jammed(std::size_t j) {
    const std::vector<float>& measured = history_.readings[j].measured;
    if (range_of(measured) > kStill) return false;
    const std::vector<double> still(measured.size(), 0.0);
    replace(j, {.cause = Cause::kJammed}, mean_square_against(measured, still));
    return true;
  }

  void check_sign(std::size_t j) {
    const AlignedReadings& readings = history_.readings[j];
    std::vector<double> turned;
    for (const float angle : readings.simulated) turned.push_back(-angle);
    const double left = mean_square_against(readings.measured, turned);
    const bool is_better = left < kBetterThanFitted * fitted(j);
    if (is_better && explains_most(j, left)) replace(j, {.cause = Cause::kSign}, left);
  }

  /// rad^2: what is left of the gap of joint j if it moves as joint k of the model.
  [[nodiscard]] double left_as(std::size_t j, std::size_t k) const {
    const AlignedReadings& readings = history_.readings[j];
    return mean_square_against(readings.measured,
                               at_readings(history_.drive[k].angle, readings, history_.step));
  }

  void check_swapped(std::size_t j, std::size_t k) {
    const double left_j = left_as(j, k);
    const double left_k = left_as(k, j);
    if (!explains_most(j, left_j) || !explains_most(k, left_k)) return;
    // one of two joints alone may look like stiff friction; both together do not
    if (left_j + left_k > kBetterThanFitted * (fitted(j) + fitted(k))) return;
    replace(j, {.cause = Cause::kSwapped, .other_joint = static_cast<int>(k)}, left_j);
    replace(k, {.cause = Cause::kSwapped, .other_joint = static_cast<int>(j)}, left_k);
  }

  /// rad^2: what the best fitted cause leaves.
  [[nodiscard]] double fitted(std::size_t j) const {
    const JointExplanation& joint = all_[j];
    return joint.mean_square - (joint.causes.empty() ? 0.0 : joint.causes.front().square);
  }

  [[nodiscard]] bool explains_most(std::size_t j, double left) const {
    return left < kMostOfWholeCurve * all_[j].mean_square;
  }

  void replace(std::size_t j, FoundCause cause, double left) {
    JointExplanation& joint = all_[j];
    left = std::min(left, joint.mean_square);
    cause.square = joint.mean_square - left;
    joint.causes = {cause};
    joint.fitted = history_.drive[j].servo;
    joint.resolution = std::min(left, resolution_of(history_.readings[j]));
    joint.unexplained = left - joint.resolution;
  }

  const DriveHistory& history_;
  std::vector<JointExplanation>& all_;
};

}  // namespace

std::vector<JointExplanation> explain_gap(const DriveHistory& history) {
  std::vector<JointExplanation> all(history.num_joints());
  for_each_joint(all.size(), [&](std::size_t j) { all[j] = JointStudy(history, j).run(); });
  CurveCheck(history, all).run();
  return all;
}

}  // namespace kagami::tools
