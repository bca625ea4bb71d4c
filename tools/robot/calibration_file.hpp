/// Versions of a robot's home and trim, schema kagami.calibration/1 (docs/board_memory.md).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/base/wiring.hpp"

namespace kagami::tools {

/// What was read in one fixture pose.
struct FixtureReading {
  double angle_deg = 0.0;  ///< in which the fixture holds the joint
  int count = 0;           ///< that the board read
};

struct CalibratedJoint {
  std::string joint;
  int channel = 0;
  int home_deg = 0;  ///< of this version; whole degrees
  int trim_deg = 0;
  int home_before_deg = 0;
  int trim_before_deg = 0;
  std::vector<FixtureReading> readings;  ///< empty: not calibrated in this version
  std::string why;                       ///< empty: unchanged
};

/// Home and trim of all joints, so that a version needs no other.
struct CalibrationVersion {
  int version = 0;       ///< 1..
  std::string created;   ///< "2026-11-30T22:58:27Z"
  std::string robot;     ///< name of the robot's folder
  std::string reason;    ///< "teach-in", "roll-back to version 2", ...
  std::vector<int> ids;  ///< of the boards
  std::vector<CalibratedJoint> joints;
};

/// Where a robot's folder keeps them.
std::filesystem::path calibration_folder(const std::filesystem::path& robot_folder);
/// The numbers that exist, ascending.
std::vector<int> calibration_numbers(const std::filesystem::path& robot_folder);
std::filesystem::path calibration_file(const std::filesystem::path& robot_folder, int version);

/// Throws ConfigError that names file, place and value.
CalibrationVersion read_calibration(const std::filesystem::path& file);
std::string calibration_text(const CalibrationVersion& version);

/// What robot.json states, as a version without number.
CalibrationVersion present_calibration(const RobotWiring& wiring, const std::string& robot);
/// One sentence for each joint and value that differs.
std::vector<std::string> calibration_differences(const CalibrationVersion& from,
                                                 const CalibrationVersion& to);

/// Replaces home and trim in robot.json, of all joints at once; everything else stays. Throws
/// ConfigError when a joint is not in both or a value is out of range: then nothing is written.
/// Throws RecordError.
void write_robot_json(const std::filesystem::path& robot_folder, const CalibrationVersion& version);

/// Writes the version under the next number; before the first one also what robot.json states, as
/// number 1. Returns it with its number. Throws RecordError.
CalibrationVersion add_calibration(const std::filesystem::path& robot_folder,
                                   const RobotWiring& present, CalibrationVersion version);

}  // namespace kagami::tools
