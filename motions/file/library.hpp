/// Reads motion files and folders of them, for commands and runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/base/wiring.hpp"
#include "motions/file/formats.hpp"
#include "motions/file/motion.hpp"

namespace kagami::motions {

/// Reads a file of any format (formats.hpp), recognised by its content; unbound. Throws
/// ConfigError.
Motion read_motion(const std::filesystem::path& file, const RobotWiring& wiring,
                   const ReadOptions& options = {});

/// Reads and binds: ready for a Player. Throws ConfigError.
Motion load_motion(const std::filesystem::path& file, const RobotWiring& wiring);

/// One motion of a folder as `kagami motion list` shows it.
struct MotionEntry {
  std::string name;
  std::filesystem::path file;
  std::string note;
  int num_poses = 0;
  double duration = 0.0;         ///< s, first pose to last
  bool has_speed_codes = false;  ///< keyframe mode is possible
  std::string problem;           ///< why it cannot be played on this robot; empty = it can
};

/// All .json motions of a directory by name, each read and bound to `wiring`. Throws ConfigError
/// when there is no such directory.
std::vector<MotionEntry> list_motions(const std::filesystem::path& directory,
                                      const RobotWiring& wiring);

}  // namespace kagami::motions
