/// Where robots and motions lie: named by the user, installed, or in the source tree.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/cli/console.hpp"

namespace kagami::tools {

struct DataFolders {
  std::filesystem::path robots;   ///< one folder per robot
  std::filesystem::path motions;  ///< one .json per motion
};

/// The first of: `named` (--data), KAGAMI_DATA, PREFIX/share/kagami beside the running program, the
/// source tree this was built from. A data folder holds robots/ and motions/, a source tree
/// models/data and motions/data. Throws ConfigError when a named one has neither, or none is found.
DataFolders find_data(const Console& io, const std::string& named);

/// A robot by folder, or by the name of a shipped one. Throws ConfigError with the shipped names.
std::filesystem::path find_robot(const DataFolders& data, const std::string& name);

/// A motion file by path, or by the name of a shipped one. Throws ConfigError with the nearest.
std::filesystem::path find_motion(const DataFolders& data, const std::string& name);

/// Names of the shipped motions, sorted.
std::vector<std::string> shipped_motions(const DataFolders& data);

/// Where sessions go: $XDG_DATA_HOME/kagami/sessions, else $HOME/.local/share/kagami/sessions, else
/// ./kagami-sessions.
std::filesystem::path sessions_folder(const Console& io);

}  // namespace kagami::tools
