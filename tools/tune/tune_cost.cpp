#include "tools/tune/tune_cost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "motions/play/interpolate.hpp"

namespace kagami::tools {
namespace {

constexpr std::int64_t kCostSettle = 400;  // ticks
constexpr std::int64_t kTicks = 3000;
constexpr double kMove = 0.35;     // s, rest to rest
constexpr double kBack = 0.7;      // s, the move back begins
constexpr double kStepAt = 1.4;    // s
constexpr double kLargest = 0.35;  // rad, of the move and of the step
constexpr double kRoom = 0.8;      // share of the way to the soft limit that is used
constexpr double kAllowed = 0.04;  // of a stroke: 5 % less one for what a robot is not of its twins
constexpr double kBeyond = 5.0;    // rad per step's length beyond it, on the worst twin
constexpr double kEffort = 0.01;   // s
constexpr double kSaturation = 0.1;  // rad

// which way a joint that is beyond the end of its stroke is, 0 during a stroke
double beyond_end(double t) noexcept {
  if (t > kStepAt || (t >= kMove && t < kBack)) return 1.0;
  return t >= kBack + kMove && t < kStepAt ? -1.0 : 0.0;
}

/// Of one joint on one twin.
struct JointSum {
  double squares = 0.0;
  double effort = 0.0;
  double beyond = 0.0;  // rad, past the step's end
  double last_target = 0.0;
  std::int64_t saturated = 0;
};

}  // namespace

std::vector<SearchedGain> searched_gains(const control::Controller& controller,
                                         const std::string& joint) {
  std::vector<SearchedGain> gains;
  for (const SearchedGain& wanted :
       {SearchedGain{"kp", 0.0, 20.0}, SearchedGain{"ki", 0.0, 0.0}, SearchedGain{"kd", 0.0, 4.0},
        SearchedGain{"lead_time", 0.0, 0.4}, SearchedGain{"filter_time", 0.0, 0.05}}) {
    for (const control::Tunable& t : controller.tunables()) {
      if (t.name != joint + "/" + wanted.name) continue;
      gains.push_back({wanted.name, std::max(wanted.lower, t.min), std::min(wanted.upper, t.max)});
    }
  }
  if (gains.empty()) {
    throw ConfigError("autotune: the controller '" + std::string(controller.name()) +
                      "' has no gains of " + joint + " to change; expected a PID");
  }
  return gains;
}

TuneCost::TuneCost(const models::RobotDescription& robot, control::Controller& controller,
                   const JointArray<double>& pose, std::vector<int> joints,
                   const std::vector<ServoSet>& twins)
    : robot_(robot), controller_(controller), pose_(pose), joints_(std::move(joints)) {
  for (const int joint : joints_) {
    const auto j = static_cast<std::size_t>(joint);
    const JointWiring& wiring = robot.wiring.joints[j];
    const double up = kRoom * (wiring.soft_max - pose[j]);
    const double down = kRoom * (pose[j] - wiring.soft_min);
    way_[j] = up >= down ? std::min(up, kLargest) : -std::min(down, kLargest);
    if (std::abs(way_[j]) < to_rad(4.0)) {
      throw ConfigError("autotune: " + robot.joint_names[j] +
                        " cannot move by 4 degrees from this pose within its limits");
    }
  }
  const LineTiming line = line_timing(static_cast<int>(robot.wiring.boards.size()));
  for (const ServoSet& servos : twins) twins_.emplace_back(robot, servos, line);
}

double TuneCost::offset(int joint, double t, double& rate) const {
  const double way = way_[static_cast<std::size_t>(joint)];
  rate = 0.0;
  if (t <= 0.0) return 0.0;
  if (t >= kStepAt) return way;
  const bool back = t >= kBack;
  const motions::QuinticPiece piece{back ? way : 0.0, back ? 0.0 : way, 0.0, 0.0, kMove};
  const motions::CurvePoint point = piece.at(back ? t - kBack : t);
  rate = point.qd;
  return point.q;
}

double TuneCost::operator()() {
  std::vector<double> mean(joints_.size(), 0.0);
  std::vector<double> worst(joints_.size(), 0.0);
  double beyond = 0.0;  // of the step, the worst joint on the worst twin
  for (ServoModelLoop& twin : twins_) {
    LoopCore core(robot_, &controller_);
    std::vector<JointSum> sums(joints_.size());
    const LoopReference reference = [&](std::int64_t tick, motions::PlayCommand& command) {
      const double t = static_cast<double>(tick - kCostSettle) * kLoopPeriod;
      for (const int joint : joints_) {
        const auto j = static_cast<std::size_t>(joint);
        command.q_ref[j] = pose_[j] + offset(joint, t, command.qd_ref[j]);
      }
    };
    twin.run(core, pose_, kCostSettle + kTicks, reference, [&](const LoopRow& row) {
      const double t = static_cast<double>(row.tick - kCostSettle) * kLoopPeriod;
      for (std::size_t k = 0; k < joints_.size(); ++k) {
        const auto j = static_cast<std::size_t>(joints_[k]);
        JointSum& sum = sums[k];
        if (row.tick > kCostSettle) {
          const double error = row.command.q_ref[j] - row.angle[j];
          const double hurry =
              (row.target[j] - sum.last_target) / kLoopPeriod - row.command.qd_ref[j];
          sum.squares += error * error;
          sum.effort += hurry * hurry;
          if (row.core.is_saturated(joints_[k])) ++sum.saturated;
          const double way = way_[j] > 0.0 ? 1.0 : -1.0;
          sum.beyond = std::max(sum.beyond, beyond_end(t) * way * -error);
        }
        sum.last_target = row.target[j];
      }
    });
    if (core.status() != control::ControlStatus::kOk) {
      return std::numeric_limits<double>::infinity();
    }
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      const JointSum& sum = sums[k];
      const double n = static_cast<double>(kTicks);
      const double step = std::abs(way_[static_cast<std::size_t>(joints_[k])]);
      const double c = std::sqrt(sum.squares / n) + kEffort * std::sqrt(sum.effort / n) +
                       kSaturation * static_cast<double>(sum.saturated) / n;
      beyond = std::max(beyond, sum.beyond / step);
      mean[k] += c / static_cast<double>(twins_.size());
      worst[k] = std::max(worst[k], c);
    }
  }
  const auto count = static_cast<double>(joints_.size());
  double cost = kBeyond * std::max(0.0, beyond - kAllowed) * count;
  for (std::size_t k = 0; k < joints_.size(); ++k) cost += 0.5 * (mean[k] + worst[k]);
  return cost / count;
}

}  // namespace kagami::tools
