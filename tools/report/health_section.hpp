/// The health of a robot over its runs as sections of a report.
#pragma once

#include <vector>

#include "tools/gap/health.hpp"
#include "tools/report/small_multiples.hpp"

namespace kagami::tools {

/// One section per value (trim, backlash, ...), in it one panel per joint that shows the value in
/// some run. A run that does not show it is a gap. Values that no joint shows have no section.
std::vector<SmallMultiples> health_sections(const HealthHistory& history);

}  // namespace kagami::tools
