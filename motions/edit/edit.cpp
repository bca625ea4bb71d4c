#include "motions/edit/edit.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "motions/file/bind.hpp"

namespace kagami::motions {
namespace {

constexpr double kSameTime = 1e-9;     // s
constexpr double kShortestLeg = 1e-3;  // s, as the file format has it

void fail(const Motion& motion, const std::string& problem) {
  throw ConfigError((motion.file.empty() ? motion.name : motion.file) + ": " + problem);
}

std::vector<double> angles_of(const Pose& pose) {
  std::vector<double> angles;
  for (const std::optional<double>& angle : pose.angle) angles.push_back(angle.value_or(0.0));
  return angles;
}

Pose pose_at(const PosePath& path, double t) {
  Pose pose;
  for (const double angle : path.at(t)) pose.angle.emplace_back(angle);
  return pose;
}

void check_same_joints(const Motion& first, const Motion& second) {
  if (first.joints == second.joints && !first.poses.empty() && !second.poses.empty()) return;
  fail(second, "has other joints than " + first.name);
}

}  // namespace

PosePath::PosePath(const Motion& motion) : motion_(motion), times_{0.0} {
  for (std::size_t p = 1; p < motion.poses.size(); ++p)
    times_.push_back(times_.back() + motion.poses[p].duration);
}

std::vector<double> PosePath::at(double t) const {
  const auto after = std::lower_bound(times_.begin(), times_.end(), t);
  if (after == times_.begin()) return angles_of(motion_.poses.front());
  if (after == times_.end()) return angles_of(motion_.poses.back());
  const auto p = static_cast<std::size_t>(after - times_.begin());
  const double part = (t - times_[p - 1]) / (times_[p] - times_[p - 1]);
  std::vector<double> angles = angles_of(motion_.poses[p - 1]);
  const std::vector<double> goal = angles_of(motion_.poses[p]);
  for (std::size_t j = 0; j < angles.size(); ++j)
    angles[j] = part < 1.0 ? angles[j] + part * (goal[j] - angles[j]) : goal[j];
  return angles;
}

Motion trimmed(const Motion& motion, double from, double to) {
  const double end = motion.duration();
  if (!(from >= 0.0 && from < to && from < end)) {
    fail(motion, "the part from " + number_text(from) + " s to " + number_text(to) +
                     " s is empty, the motion lasts " + number_text(end) + " s");
  }
  to = std::min(to, end);
  Motion cut = motion;
  cut.poses.clear();
  cut.loop = false;
  const PosePath path(motion);
  const std::vector<double>& times = path.times();
  for (std::size_t p = 0; p < motion.poses.size(); ++p) {
    const bool is_inside = times[p] >= from - kSameTime && times[p] <= to + kSameTime;
    if (cut.poses.empty() && times[p] > from + kSameTime) {
      cut.poses.push_back(pose_at(path, from));
      cut.poses.back().duration = std::max(kShortestLeg, motion.poses[0].duration);
    }
    if (!is_inside) continue;
    cut.poses.push_back(motion.poses[p]);
    const double before = p == 0 ? 0.0 : times[p - 1];
    // a leg that was cut: its code would no longer give its time
    if (cut.poses.size() > 1 && before < from - kSameTime) {
      cut.poses.back().duration = times[p] - from;
      cut.poses.back().speed.reset();
    }
  }
  double last = from;
  for (const double time : times) {
    if (time <= to + kSameTime) last = std::max(last, time);
  }
  if (to > last + kSameTime) {
    cut.poses.push_back(pose_at(path, to));
    cut.poses.back().duration = to - last;
  }
  if (from > 0.0) cut.start = Start::kStanding;
  return cut;
}

Motion reversed(const Motion& motion) {
  Motion back = motion;
  const std::size_t count = motion.poses.size();
  for (std::size_t p = 0; p < count; ++p) {
    back.poses[p] = motion.poses[count - 1 - p];
    const Pose& leg = motion.poses[p == 0 ? 0 : count - p];
    back.poses[p].speed = leg.speed;
    back.poses[p].duration = leg.duration;
  }
  back.start = Start::kStanding;
  return back;
}

Motion mirrored(const Motion& motion, const std::vector<MirrorPartner>& partners) {
  Motion mirror = motion;
  for (std::size_t p = 0; p < motion.poses.size(); ++p) {
    for (std::size_t j = 0; j < partners.size(); ++j) {
      const double angle = motion.poses[p].angle[j].value_or(0.0);
      // no -0 in a file
      mirror.poses[p].angle[partners[j].joint] = partners[j].sign * angle + 0.0;
    }
  }
  return mirror;
}

Motion joined(const Motion& first, const Motion& second, double transition,
              const SpeedTable& speed) {
  check_same_joints(first, second);
  if (!(transition >= kShortestLeg)) {
    fail(second, "transition of " + number_text(transition) + " s, expected at least 0.001 s");
  }
  Motion both = first;
  both.loop = false;
  const std::size_t seam = both.poses.size();
  both.poses.insert(both.poses.end(), second.poses.begin(), second.poses.end());
  Pose& pose = both.poses[seam];
  pose.duration = transition;
  if (first.has_speed_codes() && second.has_speed_codes()) {
    const double travel = largest_travel_deg(both.poses[seam - 1], pose);
    int code = kSpeedCodes - 1;
    while (code > 0 && speed.duration(code, travel) > transition + kSameTime) --code;
    pose.speed = code;
    pose.duration = std::max(transition, speed.duration(code, travel));
  } else {
    pose.speed.reset();
  }
  both.warnings.insert(both.warnings.end(), second.warnings.begin(), second.warnings.end());
  return both;
}

Motion blended(const Motion& first, const Motion& second, double weight) {
  check_same_joints(first, second);
  if (!(weight >= 0.0 && weight <= 1.0))
    fail(second, "weight " + number_text(weight) + ", expected 0..1");
  const double length_1 = first.duration(), length_2 = second.duration();
  const double length = (1.0 - weight) * length_1 + weight * length_2;
  std::set<double> shares;  // of the duration, where one of them has a pose
  const PosePath path_1(first), path_2(second);
  for (const PosePath* path : {&path_1, &path_2}) {
    const double duration = std::max(path->times().back(), kShortestLeg);
    for (const double time : path->times()) shares.insert(std::round(time / duration * 1e9) / 1e9);
  }
  Motion mix = first;
  mix.poses.clear();
  mix.loop = first.loop && second.loop;
  double last = 0.0;
  for (const double share : shares) {
    Pose pose = pose_at(path_1, share * length_1);
    const std::vector<double> other = path_2.at(share * length_2);
    for (std::size_t j = 0; j < other.size(); ++j)
      pose.angle[j] = (1.0 - weight) * *pose.angle[j] + weight * other[j];
    const double step = (share - last) * length;
    if (!mix.poses.empty() && step < kShortestLeg) continue;  // two poses in one place
    pose.duration = mix.poses.empty() ? std::max(first.poses[0].duration, kShortestLeg) : step;
    mix.poses.push_back(std::move(pose));
    last = share;
  }
  return mix;
}

}  // namespace kagami::motions
