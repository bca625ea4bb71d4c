#include "tools/check/motion_watch.hpp"

#include <algorithm>
#include <cmath>

#include "models/balance/capture_point.hpp"
#include "models/base/idx.hpp"
#include "models/base/time.hpp"
#include "models/robot/base_pose.hpp"

namespace kagami::tools {
namespace {

using runtime::CycleRecord;
using runtime::Phase;

constexpr double kOnFloor = 0.0005;              // m: what is higher is about to land or to lift
constexpr double kLowest = 0.003;                // m: soles of one robot differ by less
constexpr double kOverlap = 0.0005;              // m: less is rounding of angles to whole degrees
constexpr double kLongestStep = 0.05;            // s between two rows; more is a gap
constexpr std::size_t kMostSamples = 2'000'000;  // five and a half hours

constexpr std::size_t kNoOverlap = static_cast<std::size_t>(-1);

}  // namespace

double balance_margin(const PosedBody& body) {
  std::vector<Vec3> corners;
  for (const PosedBody::Touching& touching : body.touching(kOnFloor)) {
    corners.insert(corners.end(), touching.corners.begin(), touching.corners.end());
  }
  if (corners.empty()) return std::numeric_limits<double>::quiet_NaN();
  models::SupportPolygon polygon;
  polygon.set(corners, models::GroundPlane{});
  return polygon.margin(body.mass_centre());
}

MotionWatch::MotionWatch(const models::RobotDescription& robot, double speed_limit,
                         motions::Start start)
    : body_(robot),
      collision_(robot),
      start_(start),
      overlap_of_(collision_.pairs().size(), kNoOverlap) {
  for (const ServoParameters& servo : robot.servos.joints) {
    loads.emplace_back(servo);
    speed_limit_.push_back(std::min(speed_limit, servo.free_speed));
  }
  if (!body_.is_floating()) return;
  // the feet are what is lowest in the zero posture
  BasePose upright;
  upright.z = -models::lowest_corner(robot.model, robot.boxes);
  body_.set({}, upright);
  for (const PosedBody::Touching& touching : body_.touching(kLowest)) {
    slips.push_back({touching.body, 0.0, 0});
    Foot foot;
    for (const models::CollisionBox& box : robot.boxes) {
      if (box.body != touching.body) continue;
      for (const Vec3& corner : models::corners(box)) foot.corners.push_back(corner);
    }
    foot.before.resize(foot.corners.size());
    feet_.push_back(std::move(foot));
  }
}

void MotionWatch::add(const CycleRecord& row) {
  const double now = seconds(row.in.now_ns);
  const double dt = run_time_.empty() ? 0.0 : now - run_time_.back();
  if (!run_time_.empty() && !(dt > 0.0)) return;  // a row with an event comes beside the others
  if (run_time_.size() >= kMostSamples) return;
  if (!body_.set(row.out.q_simulated, row.out.base)) return;  // before the first reading

  const std::size_t sample = run_time_.size();
  run_time_.push_back(now);
  motion_time_.push_back(row.out.motion_time);
  if (row.out.phase == Phase::kPlaying && !begins_) begins_ = sample;
  if (begins_ && row.out.phase != Phase::kPlaying && !ends_) ends_ = sample;

  double speed = 0.0;
  for (std::size_t j = 0; j < loads.size(); ++j) {
    speed = std::max(speed, std::abs(row.out.qd_ref[j]) / speed_limit_[j]);
  }
  torque_share.push_back(load(row, dt));
  speed_share.push_back(speed);
  margin.push_back(std::numeric_limits<double>::quiet_NaN());
  balance(row, std::min(dt, kLongestStep));
  collide();
}

// the largest share of a stall torque
double MotionWatch::load(const CycleRecord& row, double dt) {
  if (start_ != motions::Start::kStanding && !begins_) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  double largest = 0.0;
  for (std::size_t j = 0; j < loads.size(); ++j) {
    const double torque = row.out.torque_simulated[j];
    loads[j].add(torque, row.out.qd_simulated[j], dt, run_time_.size() - 1);
    largest = std::max(largest, std::abs(torque) / loads[j].stall_torque());
  }
  return largest;
}

void MotionWatch::balance(const CycleRecord& row, double dt) {
  const std::size_t sample = margin.size() - 1;
  if (!body_.is_floating()) return;
  if (row.out.fell) {
    if (lying.empty() || lying.back().last + 1 != sample) lying.push_back({sample, sample});
    lying.back().last = sample;
    has_before_ = false;
    return;  // what lies needs no balance, and its feet may slide
  }
  slide();
  const double here = balance_margin(body_);
  if (!std::isfinite(here)) return;
  margin.back() = here;
  supported += dt;
  if (here < 0.0) outside += dt;
  if (!(here >= least_margin.value)) least_margin = {here, sample};
}

// A foot slides by what its corners on the floor have moved at least: it may turn about one of
// them.
void MotionWatch::slide() {
  for (std::size_t f = 0; f < feet_.size(); ++f) {
    Foot& foot = feet_[f];
    const models::Pose& X_WB = body_.kinematics().X_WB[idx(slips[f].body)];
    double moved = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < foot.corners.size(); ++c) {
      const Vec3 now = X_WB.R * foot.corners[c] + X_WB.p;
      const Vec3 step = now - foot.before[c];
      if (has_before_ && now.z() < kOnFloor && foot.before[c].z() < kOnFloor) {
        moved = std::min(moved, std::hypot(step.x(), step.y()));
      }
      foot.before[c] = now;
    }
    foot.slid = std::isfinite(moved) ? foot.slid + moved : 0.0;
    if (foot.slid > slips[f].distance) slips[f] = {slips[f].body, foot.slid, margin.size() - 1};
  }
  has_before_ = true;
}

void MotionWatch::collide() {
  const std::size_t sample = margin.size() - 1;
  for (std::size_t k = 0; k < collision_.pairs().size(); ++k) {
    const double gap = collision_.gap(collision_.pairs()[k], body_.kinematics());
    if (!(gap >= nearest.value)) {
      nearest = {gap, sample};
      nearest_pair = collision_.pairs()[k];
    }
    if (!(gap < -kOverlap)) continue;
    if (overlap_of_[k] == kNoOverlap) {
      overlap_of_[k] = overlaps.size();
      overlaps.push_back({collision_.pairs()[k], 0.0, sample, sample, sample});
    }
    Overlap& overlap = overlaps[overlap_of_[k]];
    overlap.last = sample;
    if (-gap > overlap.depth) {
      overlap.depth = -gap;
      overlap.deepest = sample;
    }
  }
}

std::vector<double> MotionWatch::times() const {
  std::vector<double> times = motion_time_;
  if (times.empty()) return times;
  const std::size_t begin = begins_.value_or(times.size());
  const std::size_t end = ends_.value_or(times.size());
  const double zero = run_time_[std::min(begin, times.size() - 1)];
  for (std::size_t k = 0; k < std::min(begin, times.size()); ++k) times[k] = run_time_[k] - zero;
  for (std::size_t k = end; k < times.size(); ++k) {
    times[k] = motion_time_[end - 1] + run_time_[k] - run_time_[end - 1];
  }
  return times;
}

}  // namespace kagami::tools
