#include "motions/edit/diff.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "motions/edit/edit.hpp"

namespace kagami::motions {
namespace {

constexpr double kEqualAngle = 1e-9;  // rad
constexpr double kEqualTime = 1e-9;   // s

template <class Value>
void compare_field(const char* what, const Value& a, const Value& b,
                   std::vector<std::string>& others) {
  if (!(a == b)) others.emplace_back(what);
}

}  // namespace

bool MotionDifference::is_equal() const {
  return others.empty() && largest() <= kEqualAngle &&
         std::abs(duration_1 - duration_2) <= kEqualTime;
}

double MotionDifference::largest() const {
  double most = 0.0;
  for (const JointDifference& joint : joints) most = std::max(most, std::abs(joint.most));
  return most;
}

MotionDifference difference(const Motion& first, const Motion& second) {
  MotionDifference result;
  result.poses_1 = static_cast<int>(first.poses.size());
  result.poses_2 = static_cast<int>(second.poses.size());
  result.duration_1 = first.duration();
  result.duration_2 = second.duration();
  const PosePath path_1(first), path_2(second);
  std::set<double> both(path_1.times().begin(), path_1.times().end());
  both.insert(path_2.times().begin(), path_2.times().end());
  const std::vector<double> times(both.begin(), both.end());
  for (const std::string& joint : first.joints) result.joints.push_back({joint});
  // straight lines: the square of their difference is integrated exactly from pose to pose
  std::vector<double> before;
  for (std::size_t k = 0; k < times.size(); ++k) {
    std::vector<double> now = path_2.at(times[k]);
    const std::vector<double> of_first = path_1.at(times[k]);
    for (std::size_t j = 0; j < now.size(); ++j) {
      now[j] -= of_first[j];
      JointDifference& joint = result.joints[j];
      if (std::abs(now[j]) > std::abs(joint.most)) {
        joint.most = now[j];
        joint.at = times[k];
      }
      if (k == 0) continue;
      const double a = before[j], b = now[j];
      joint.rms += (times[k] - times[k - 1]) * (a * a + a * b + b * b) / 3.0;
    }
    before = std::move(now);
  }
  const double length = std::max(times.back(), kEqualTime);
  for (JointDifference& joint : result.joints) joint.rms = std::sqrt(joint.rms / length);

  compare_field("one loops, the other does not", first.loop, second.loop, result.others);
  compare_field("the robot is in another position before the first pose", first.start, second.start,
                result.others);
  compare_field("the easing differs", first.easing, second.easing, result.others);
  if (first.poses.size() == second.poses.size()) {
    int labels = 0, codes = 0;
    for (std::size_t p = 0; p < first.poses.size(); ++p) {
      if (first.poses[p].label != second.poses[p].label) ++labels;
      if (first.poses[p].speed != second.poses[p].speed) ++codes;
    }
    if (labels > 0) result.others.push_back(std::to_string(labels) + " labels differ");
    if (codes > 0) result.others.push_back(std::to_string(codes) + " speed codes differ");
  }
  return result;
}

}  // namespace kagami::motions
