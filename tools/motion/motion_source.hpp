/// The options that say what a motion file does not, and the motion that they give.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "motions/file/formats.hpp"
#include "tools/cli/command.hpp"
#include "tools/cli/data_folders.hpp"
#include "tools/cli/robot_choice.hpp"

namespace kagami::tools {

struct SourceOptions {
  std::string map;  ///< name of a shipped map or a file; empty: none
  std::optional<double> step;
  std::string unit;
  std::string entry;
  std::vector<std::string> branches;
  double frame_ms = motions::kRcb4Frame * 1e3;
};

/// Adds --map, --step, --unit, --entry, --branch and --frame-ms, in the group "Source".
void add_source_options(Command& command, SourceOptions& options);

/// A file as it was read.
struct MotionSource {
  std::filesystem::path file;
  motions::MotionFormat format{};
  motions::Motion own;     ///< with the file's own joints
  motions::Motion motion;  ///< with the robot's joints, unbound; equal to `own` without a map
};

/// Maps that are shipped beside the motions, by name, and files.
motions::MotionMap read_map(const DataFolders& data, const std::string& name);

/// What the options say, with the map as given or null.
motions::ReadOptions read_options(const SourceOptions& options, const motions::MotionMap* map);

/// Reads `file`. Throws ConfigError.
MotionSource read_source(const std::filesystem::path& file, const RobotWiring& wiring,
                         const motions::ReadOptions& options);

/// Reads and binds a motion by name or file, for commands that take the robot's motions alone.
motions::Motion bound_motion(const DataFolders& data, const std::string& name,
                             const RobotWiring& wiring);

}  // namespace kagami::tools
