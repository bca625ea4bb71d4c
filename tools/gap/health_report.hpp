/// The health of a robot as sentences and tables, as JSON and as CSV.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/gap/health.hpp"

namespace kagami::tools {

/// A sentence per value that changes notably, the largest change of each kind first; one that says
/// so where nothing does.
std::vector<std::string> health_conclusion(const HealthHistory& history);

/// The runs, a row per joint and value, and what is left out.
std::string health_text(const HealthHistory& history, int width);

/// kagami.history/1
nlohmann::json health_json(const HealthHistory& history);

/// A row per run and joint; a cell without a value is empty.
std::string health_csv(const HealthHistory& history);

}  // namespace kagami::tools
