/// Where robots and motions lie: named by the user, installed, or in the source tree.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/cli/console.hpp"

namespace kagami::tools {

struct DataFolders {
  std::filesystem::path robots;         ///< one folder per robot
  std::filesystem::path motions;        ///< one .json per motion
  std::filesystem::path gains;          ///< one .json per gain set; may be absent
  std::filesystem::path saved_gains{};  ///< the user's own, saved by the dashboard; may be absent
};

/// The first of: `named` (--data), KAGAMI_DATA, PREFIX/share/kagami beside the running program, the
/// source tree this was built from. A data folder holds robots/ and motions/, a source tree
/// models/data and motions/data. Throws ConfigError when a named one has neither, or none is found.
DataFolders find_data(const Console& io, const std::string& named);

/// A robot by folder, or by the name of a shipped one. Throws ConfigError with the shipped names.
std::filesystem::path find_robot(const DataFolders& data, const std::string& name);

/// A motion file by path, or by the name of a shipped one. Throws ConfigError with the nearest.
std::filesystem::path find_motion(const DataFolders& data, const std::string& name);

/// A gain set by path, by the name of a shipped one, or by the name under which it was saved:
/// NAME.json in the current folder (`kagami tune --save NAME`), else in `saved_gains`. Throws
/// ConfigError with the shipped ones and their controllers.
std::filesystem::path find_gains(const DataFolders& data, const std::string& name);
/// The first shipped gain set of this controller for this robot or for any, and for the floor or
/// the stand where a set can be for one alone. Throws ConfigError that lists what is shipped.
std::filesystem::path default_gains(const DataFolders& data, const std::string& controller,
                                    const std::string& robot, bool on_floor);

/// Names of the shipped motions, sorted.
std::vector<std::string> shipped_motions(const DataFolders& data);

/// Where sessions go: $XDG_DATA_HOME/kagami/sessions, else $HOME/.local/share/kagami/sessions, else
/// ./kagami-sessions.
std::filesystem::path sessions_folder(const Console& io);

}  // namespace kagami::tools
