/// A record read for a report.
#pragma once

#include <vector>

#include "tools/report/report_data.hpp"
#include "tools/report/run_watch.hpp"

namespace kagami::tools {

/// Of a record that was read already: `watch` saw its rows and is spent.
ReportRun report_run(const RunRecord& record, const RunSeries& series, const Comparison& comparison,
                     const std::vector<JointExplanation>& explanation, RunWatch& watch);

/// Reads the record once, compares and explains it; the report has the conclusion of the
/// explanation. Throws ConfigError for a record that cannot be read.
ReportData report_of(const RunRecord& record);

}  // namespace kagami::tools
