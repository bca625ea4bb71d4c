/// One robot of a scenario: its model, start state, shapes and what holds its joints.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/base/config_fwd.hpp"
#include "models/contact/scene/scene.hpp"
#include "tools/cli/data_folders.hpp"
#include "tools/scenario/scenario.hpp"

namespace kagami::tools {

/// Reads an entry of "robots" and marks its keys. Names are looked up in `data`, relative paths
/// from `folder`. Throws ConfigError or ModelError that names file, key, value and expectation.
models::SceneSystem read_scene_robot(const ConfigNode& node, const DataFolders& data,
                                     const std::filesystem::path& folder,
                                     const models::Surface& surface, PostureHold& hold,
                                     std::vector<std::string>& notices);

/// The same robot with everything that hangs from the world moved by X_WA.
models::Model moved_model(const models::Model& model, const models::Pose& X_WA);

}  // namespace kagami::tools
