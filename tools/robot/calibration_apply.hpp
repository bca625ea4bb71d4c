/// A calibration version put into effect: its file, the boards, robot.json.
#pragma once

#include <filesystem>

#include "tools/robot/calibration_file.hpp"
#include "tools/robot/trim.hpp"

namespace kagami::tools {

/// Home or trim of some joint differs from before.
bool has_changes(const CalibrationVersion& version);

/// Writes the version's file, the trim of the boards where `session` is given, and robot.json: all
/// of them or none. Returns the version with its number. Throws ConfigError, RecordError, LinkError
/// or PortError; it says what could not be taken back. The version's file is kept where a board may
/// hold its trim.
CalibrationVersion apply_calibration(const std::filesystem::path& folder,
                                     const RobotWiring& present, const CalibrationVersion& version,
                                     BoardSession* session);

}  // namespace kagami::tools
