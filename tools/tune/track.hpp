/// How well all joints follow a motion, and how far they overshoot, on one plant or on many.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "motions/file/motion.hpp"
#include "tools/tune/gain_changes.hpp"
#include "tools/tune/loop_core.hpp"

namespace kagami::tools {

/// From the motion's first tick to the end of its settling: joints against the reference of the
/// same time, unrounded, as the plant has them.
struct Tracking {
  std::vector<double> rms;  ///< rad, model order
  double all = 0.0;         ///< rad, over all joints
  double overshoot = 0.0;   ///< %, the largest of a joint's strokes of 20 degrees and more
  control::ControlStatus status = control::ControlStatus::kOk;  ///< else it ended early
};
/// The motion (bound) streamed from the home pose, as `--on stand` plays it. `controller` null: the
/// motion alone. Throws ConfigError for a motion that is not the robot's.
Tracking track(const models::RobotDescription& robot, LoopPlant& plant,
               control::Controller* controller, const motions::Motion& motion);

/// Largest overshoot over the joints, %, when every one of them steps by 20 degrees at once, each
/// to the side where it has room; joints without that room stand. From the home pose, 3 s.
double worst_overshoot(const models::RobotDescription& robot, LoopPlant& plant,
                       control::Controller* controller);

/// The same motion with two gain sets on one plant.
struct PlantRow {
  std::uint64_t seed = 0;         ///< of draw_servos; 0: the shipped plant
  double rms_before = 0.0;        ///< rad, over all joints
  double rms_after = 0.0;         ///< rad
  double overshoot_before = 0.0;  ///< %
  double overshoot_after = 0.0;   ///< %
  double strokes_before = 0.0;    ///< %, Tracking::overshoot
  double strokes_after = 0.0;     ///< %
};
/// On the shipped plant of the folder and on `count` drawn ones, seeds `seed`, `seed` + 1, ...
std::vector<PlantRow> compare_on_plants(const models::RobotDescription& robot,
                                        const std::filesystem::path& robot_folder,
                                        const std::string& gains_before,
                                        const std::string& gains_after,
                                        const motions::Motion& motion, int count,
                                        std::uint64_t seed);

nlohmann::json tracking_json(const Tracking& tracking, std::span<const std::string> joint_names);
nlohmann::json plant_rows_json(std::span<const PlantRow> rows);

}  // namespace kagami::tools
