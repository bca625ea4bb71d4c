/// The folders of finished and running runs, for a list.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace kagami::tools {

/// The newest 200 folders with a record, newest first: name, path, motion, started, bytes, report.
/// Reads names and sizes only. A folder that is not there gives an empty list.
nlohmann::json session_list(const std::filesystem::path& sessions);

}  // namespace kagami::tools
