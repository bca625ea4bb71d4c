/// A robot's files as the dashboard's server sends them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/dashboard/server.hpp"

namespace kagami::tools {

/// /robot/robot.urdf from `urdf_text`, and what lies in the folder's meshes/ as /robot/meshes/NAME;
/// read once, links out of the folder and files above 16 MiB are left out. A model JSON gives no
/// robot.urdf. Throws ConfigError for a file that cannot be read.
std::vector<ServedFile> robot_files(const std::filesystem::path& robot_folder,
                                    const std::string& urdf_text);

}  // namespace kagami::tools
