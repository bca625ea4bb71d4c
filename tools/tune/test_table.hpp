/// The metrics of a joint test as columns of a table for people.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/table.hpp"
#include "tools/tune/metrics.hpp"

namespace kagami::tools {

/// Behind those that say which test it was.
std::vector<Table::Column> with_metric_columns(std::vector<Table::Column> columns);
/// Cells of these columns; "-" for what a test does not have.
std::vector<std::string> with_metrics(std::vector<std::string> cells,
                                      const ResponseMetrics& metrics);

}  // namespace kagami::tools
