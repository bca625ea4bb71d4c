#include <algorithm>
#include <cmath>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "motions/edit/edit.hpp"
#include "motions/file/bind.hpp"
#include "motions/play/interpolate.hpp"
#include "motions/play/pose_velocities.hpp"

namespace kagami::motions {
namespace {

constexpr int kSamples = 64;        // of a leg's speed; a quintic piece has at most three extremes
constexpr int kRounds = 100;        // a leg's end speeds depend on its neighbours' durations
constexpr double kSlack = 1e-9;     // of a speed
constexpr double kMargin = 1.0005;  // more than the samples can miss

double worst_ratio(const std::vector<double>& speeds, const std::vector<double>& limits) {
  double worst = 0.0;
  for (std::size_t j = 0; j < speeds.size(); ++j) worst = std::max(worst, speeds[j] / limits[j]);
  return worst;
}

std::vector<double> travel_of(const Pose& from, const Pose& to) {
  std::vector<double> travel;
  for (std::size_t j = 0; j < to.angle.size(); ++j)
    travel.push_back(std::abs(to.angle[j].value_or(0.0) - from.angle[j].value_or(0.0)));
  return travel;
}

// a board at a speed code moves its joints within the time of its largest travel
double board_time(const Pose& from, const Pose& to, const SpeedTable& speed) {
  return speed.duration(to.speed.value_or(0), largest_travel_deg(from, to));
}

}  // namespace

std::vector<std::vector<double>> leg_speeds(const Motion& motion, PlayMode mode,
                                            const SpeedTable& speed) {
  std::vector<std::vector<double>> speeds(motion.poses.size());
  const std::vector<std::vector<double>> velocity =
      mode == PlayMode::kStream ? pose_velocities(motion) : std::vector<std::vector<double>>{};
  for (std::size_t p = 1; p < motion.poses.size(); ++p) {
    const Pose& from = motion.poses[p - 1];
    const Pose& to = motion.poses[p];
    speeds[p] = travel_of(from, to);
    if (mode != PlayMode::kStream) {
      const double time = mode == PlayMode::kRamp ? to.duration : board_time(from, to, speed);
      for (double& s : speeds[p]) s /= time;
      continue;
    }
    for (std::size_t j = 0; j < speeds[p].size(); ++j) {
      const QuinticPiece piece{from.angle[j].value_or(0.0), to.angle[j].value_or(0.0),
                               velocity[p - 1][j], velocity[p][j], to.duration};
      speeds[p][j] = 0.0;
      for (int k = 0; k <= kSamples; ++k)
        speeds[p][j] = std::max(speeds[p][j], std::abs(piece.at(to.duration * k / kSamples).qd));
    }
  }
  return speeds;
}

Motion retimed(const Motion& motion, const std::vector<double>& limits, PlayMode mode,
               const SpeedTable& speed) {
  Motion slower = motion;
  if (mode == PlayMode::kKeyframe) {
    for (std::size_t p = 1; p < slower.poses.size(); ++p) {
      Pose& pose = slower.poses[p];
      const auto ratio = [&] { return worst_ratio(leg_speeds(slower, mode, speed)[p], limits); };
      while (pose.speed && *pose.speed + 1 < kSpeedCodes && ratio() > 1.0 + kSlack)
        pose.speed = *pose.speed + 1;
      if (ratio() > 1.0 + kSlack) {
        throw ConfigError(motion.name + ": pose " + std::to_string(p) +
                          " is faster than the limit at speed 7 too; use --mode ramp or stream");
      }
      pose.duration = std::max(pose.duration, board_time(slower.poses[p - 1], pose, speed));
    }
    return slower;
  }
  for (Pose& pose : slower.poses) pose.speed.reset();
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<std::vector<double>> speeds = leg_speeds(slower, mode, speed);
    double worst = 0.0;
    for (std::size_t p = 1; p < slower.poses.size(); ++p) {
      const double ratio = worst_ratio(speeds[p], limits);
      worst = std::max(worst, ratio);
      if (ratio > 1.0 + kSlack) slower.poses[p].duration *= ratio * kMargin;
    }
    if (worst <= 1.0 + kSlack) return slower;
  }
  // what is still too fast is slowed down as a whole, which keeps the shape
  double worst = 1.0;
  for (const std::vector<double>& leg : leg_speeds(slower, mode, speed))
    worst = std::max(worst, worst_ratio(leg, limits));
  for (Pose& pose : slower.poses) pose.duration *= worst * kMargin;
  return slower;
}

}  // namespace kagami::motions
