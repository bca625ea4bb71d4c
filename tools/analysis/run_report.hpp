/// The result of a run, as text and as `kagami.run/1`.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "runtime/app/run_result.hpp"
#include "tools/analysis/compare.hpp"
#include "tools/cli/exit_code.hpp"

namespace kagami::tools {

/// Exit code of a run by its outcome; for a fault it separates the line from robot and controller.
ExitCode exit_code_of(const runtime::RunResult& result);

/// The object `kagami.run/1`; without a comparison "joints" is empty and "rms_deg" null. `report`:
/// path of the page, empty = none.
nlohmann::json run_json(const runtime::RunResult& result,
                        const std::optional<Comparison>& comparison,
                        const std::filesystem::path& report);

/// How the run ended, and whether model and robot fell.
std::string end_sentence(const runtime::RunResult& result);

/// Line, cycle, real time and end, a line each.
std::string run_text(const runtime::RunResult& result);

}  // namespace kagami::tools
