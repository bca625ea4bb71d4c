/// A copy of the boards' memories in a file, schema kagami.board_backup/1 (docs/board_memory.md).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tools/robot/memory_image.hpp"

namespace kagami::tools {

struct Backup {
  std::string created;  ///< "2026-11-30T22:58:27Z"
  std::string robot;    ///< name of the robot's folder
  MemoryImage image;
};

std::string backup_text(const Backup& backup);
/// The content of a backup; `file` is the name that errors show.
Backup parse_backup(std::string_view text, const std::string& file, const RobotWiring& wiring);
/// Reads a backup of a robot with these boards. Throws ConfigError that names file, place and
/// value, also when it is of other boards.
Backup read_backup(const std::filesystem::path& file, const RobotWiring& wiring);

}  // namespace kagami::tools
