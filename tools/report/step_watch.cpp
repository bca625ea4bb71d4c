#include "tools/report/step_watch.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/angle.hpp"

namespace kagami::tools {
namespace {

constexpr double kLeastStepDeg = 3.0;
constexpr double kStillDeg = 0.05;
constexpr double kJumpTime = 0.05;     // s
constexpr double kRestBefore = 0.2;    // s
constexpr double kRestAfter = 0.4;     // s
constexpr double kLongest = 2.0;       // s of the curves
constexpr std::size_t kKeptSteps = 3;  // of a joint
constexpr double kMetricStep = 0.002;  // s

double size_of(const StepResponse& step) {
  return std::abs(step.to_deg - step.from_deg);
}

/// Whether the curve begins where the command was and ends where it is: a joint that still moves
/// answers to what came before.
bool is_settled(const StepResponse& step, const std::vector<double>& angle_deg) {
  constexpr double kShare = 0.1;      // of the step
  constexpr double kOffsetDeg = 1.5;  // of a joint under load, and of its readings
  const double allowed = kShare * size_of(step) + kOffsetDeg;
  return !angle_deg.empty() && std::abs(angle_deg.front() - step.from_deg) <= allowed &&
         std::abs(angle_deg.back() - step.to_deg) <= allowed;
}

/// Metrics of a curve, brought to equal steps on straight lines.
std::optional<StepMetrics> metrics_of(const StepResponse& step, const std::vector<double>& time,
                                      const std::vector<double>& angle_deg, double resolution_deg) {
  if (time.size() < 5 || time.back() - time.front() < kRestAfter / 2.0) return std::nullopt;
  Response response;
  response.dt = kMetricStep;
  response.resolution = to_rad(resolution_deg);
  std::size_t k = 0;
  for (double t = 0.0; t <= time.back(); t += kMetricStep) {
    while (k + 1 < time.size() && time[k + 1] < t) ++k;
    double value = angle_deg[k];
    if (t > time[k] && k + 1 < time.size()) {
      const double share = (t - time[k]) / (time[k + 1] - time[k]);
      value += share * (angle_deg[k + 1] - angle_deg[k]);
    }
    response.angle.push_back(to_rad(value));
    response.reference.push_back(to_rad(step.to_deg));
  }
  return step_metrics(response, to_rad(step.from_deg), to_rad(step.to_deg));
}

}  // namespace

void StepWatch::add_tick(double time, double command_deg, double simulated_deg) {
  if (!std::isfinite(command_deg)) return;
  if (!level_) {
    level_ = command_deg;
    since_ = time;
  }
  const bool is_changed = std::abs(command_deg - *level_) > kStillDeg;
  if (is_changed && open_ && time - open_->time <= kJumpTime) {
    open_->to_deg = command_deg;  // it is still jumping
  } else if (is_changed) {
    const bool rested = time - since_ >= kRestBefore;
    finish(time);
    if (rested) open_ = StepResponse{joint_, time, *level_, command_deg, {}, {}, {}, {}, {}, {}};
  }
  if (is_changed) {
    level_ = command_deg;
    since_ = time;
  }
  if (!open_) return;
  if (time - open_->time > kLongest) return finish(time);
  if (!std::isfinite(simulated_deg)) return;
  open_->simulated_time.push_back(time - open_->time);
  open_->simulated_deg.push_back(simulated_deg);
}

void StepWatch::add_reading(double time, double measured_deg) {
  if (!open_ || time < open_->time || !std::isfinite(measured_deg)) return;
  open_->measured_time.push_back(time - open_->time);
  open_->measured_deg.push_back(measured_deg);
}

void StepWatch::finish(double time) {
  if (!open_) return;
  StepResponse step = std::move(*open_);
  open_.reset();
  const bool is_step = size_of(step) >= kLeastStepDeg && time - since_ >= kRestAfter &&
                       is_settled(step, step.measured_deg) && is_settled(step, step.simulated_deg);
  if (is_step) keep(std::move(step));
}

void StepWatch::keep(StepResponse step) {
  kept_.push_back(std::move(step));
  if (kept_.size() <= kKeptSteps) return;
  kept_.erase(std::min_element(kept_.begin(), kept_.end(), [](const auto& a, const auto& b) {
    return size_of(a) < size_of(b);
  }));
}

std::vector<StepResponse> StepWatch::take() {
  if (open_ && !open_->simulated_time.empty()) finish(open_->time + open_->simulated_time.back());
  constexpr double kReadingStepDeg = 1.0;  // a board answers in whole degrees
  for (StepResponse& step : kept_) {
    step.measured = metrics_of(step, step.measured_time, step.measured_deg, kReadingStepDeg);
    step.simulated = metrics_of(step, step.simulated_time, step.simulated_deg, 0.0);
  }
  return std::move(kept_);
}

}  // namespace kagami::tools
