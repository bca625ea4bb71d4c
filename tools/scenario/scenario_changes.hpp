/// Values that replace or add some of a scenario file: `--set` of `kagami run`, parameters of a
/// sweep.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "models/base/config.hpp"

namespace kagami::tools {

/// One value and its place.
struct ScenarioChange {
  std::string at;     ///< JSON pointer, "/surface/mu_static"
  std::string value;  ///< JSON text, "0.3" or "\"multipoint\""
};

/// "/surface/mu_static=0.3", the text of `--set`. A value that is no JSON is a text:
/// "/contact/method=multipoint". Throws ConfigError that names the text and what was expected.
ScenarioChange change_of(const std::string& text);

/// The text that `change_of` reads.
std::string change_text(const ScenarioChange& change);

/// What is wrong with a JSON pointer, "" when it leads to a place below the root.
std::string pointer_error(const std::string& pointer);

/// A scenario with the changes made; `file` is its name in errors. Objects that do not exist are
/// created, elements of lists are not; the reader of the scenario refuses what it does not know.
/// Throws ConfigError that names the file, the place, the value and what was expected.
ConfigDocument with_changes(const nlohmann::json& scenario, const std::string& file,
                            const std::vector<ScenarioChange>& changes);
/// The same of a file.
ConfigDocument read_changed(const std::filesystem::path& file,
                            const std::vector<ScenarioChange>& changes);

}  // namespace kagami::tools
