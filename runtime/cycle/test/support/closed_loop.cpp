#include "runtime/cycle/test/support/closed_loop.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/base/angle.hpp"
#include "models/base/text_file.hpp"

namespace kagami::test {

const models::RobotDescription& khr1() {
  static const models::RobotDescription robot = models::read_robot_folder(
      std::string(KAGAMI_SOURCE_DIR) + "/models/data/khr1", models::BaseKind::kFixed);
  return robot;
}

const models::RobotDescription& khr1_on_floor() {
  static const models::RobotDescription robot =
      models::read_robot_folder(KAGAMI_SOURCE_DIR "/models/data/khr1", models::BaseKind::kFloating);
  return robot;
}

runtime::CycleConfig stream_config() {
  runtime::CycleConfig config;
  config.play.mode = motions::PlayMode::kStream;
  return config;
}

runtime::CycleConfig controlled_config(std::vector<std::string> gains, double settle) {
  runtime::CycleConfig config = stream_config();
  config.play.settle = settle;
  config.control.gains = std::move(gains);
  return config;
}

std::string shipped_gains(const std::string& file) {
  return read_text_file(KAGAMI_SOURCE_DIR "/control/data/gains/" + file);
}

int joint_index(const models::RobotDescription& robot, const std::string& name) {
  const auto at = std::find(robot.joint_names.begin(), robot.joint_names.end(), name);
  if (at == robot.joint_names.end()) throw std::out_of_range(name);
  return static_cast<int>(at - robot.joint_names.begin());
}

motions::Motion make_motion(const models::RobotDescription& robot,
                            const std::vector<TestPose>& poses) {
  motions::Motion motion;
  motion.name = "a motion of a test with a name too long for a short string";
  motion.joints = robot.joint_names;
  for (const TestPose& test_pose : poses) {
    motions::Pose pose;
    pose.angle.assign(robot.joint_names.size(), 0.0);
    for (const auto& [name, deg] : test_pose.deg) {
      pose.angle[static_cast<std::size_t>(joint_index(robot, name))] = to_rad(deg);
    }
    pose.duration = test_pose.duration;
    pose.speed = test_pose.speed;
    motion.poses.push_back(pose);
  }
  return motion;
}

motions::Motion small_motion(const models::RobotDescription& robot) {
  // code 6 takes 8.6 ms a degree: the boards move for most of each half second
  return make_motion(robot, {{1.0, {}, 6},
                             {0.5, {{"left_shoulder_pitch", -40}, {"left_knee", 20}}, 6},
                             {0.5, {{"left_shoulder_pitch", -80}, {"right_knee", 25}}, 6},
                             {0.5, {{"left_shoulder_pitch", -40}}, 6},
                             {0.5, {}, 6}});
}

motions::Motion stored_motion(const models::RobotDescription& robot) {
  motions::Motion motion = small_motion(robot);
  for (motions::Pose& pose : motion.poses) pose.duration = 0.1;  // the codes take longer
  return motion;
}

ClosedLoop::ClosedLoop(const models::RobotDescription& description, const motions::Motion& motion,
                       const runtime::CycleConfig& config, const FakeRobotOptions& options)
    : robot(description, options), core(description, motion, config) {
  robot.stored = motions::StoredPlayback(config.stored);
}

ClosedLoop::ClosedLoop(const models::RobotDescription& plant,
                       const models::RobotDescription& description, const motions::Motion& motion,
                       const runtime::CycleConfig& config,
                       const control::ControllerFactory& factory, const FakeRobotOptions& options)
    : robot(plant, options), core(description, motion, config, factory) {}

const runtime::CycleOutput& ClosedLoop::tick(std::int64_t gap_ns) {
  now_ns_ += gap_ns;
  ++tick_;
  robot.advance(now_ns_, out_.targets);
  runtime::CycleRecord row;
  row.in.tick = tick_;
  row.in.now_ns = now_ns_;
  row.in.sample_is_new = robot.fetch(row.in.sample);
  row.in.stop = stop;
  row.in.tuning_is_new = tuning.version != tuning_version_;
  row.in.tuning = tuning;
  tuning_version_ = tuning.version;
  if (spoil != nullptr) spoil(row.in);
  core.step(row.in, row.out);
  out_ = row.out;
  rows_.push_back(row);
  return rows_.back().out;
}

bool ClosedLoop::run_until(runtime::Phase phase, int limit) {
  for (int k = 0; k < limit; ++k) {
    if (tick().phase == phase) return true;
  }
  return false;
}

std::vector<runtime::Event> ClosedLoop::events(runtime::EventCode code) const {
  std::vector<runtime::Event> found;
  for (const runtime::CycleRecord& row : rows_) {
    for (int k = 0; k < row.out.num_events; ++k) {
      const runtime::Event& event = row.out.events[static_cast<std::size_t>(k)];
      if (event.code == code) found.push_back(event);
    }
  }
  return found;
}

}  // namespace kagami::test
