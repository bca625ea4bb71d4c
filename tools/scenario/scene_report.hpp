/// The result of a scene, as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tools/scenario/scene_run.hpp"

namespace kagami::tools {

std::string scene_text(const SceneSummary& summary, int width);
/// `kagami.scene_run/1`.
nlohmann::json scene_json(const SceneSummary& summary);

}  // namespace kagami::tools
