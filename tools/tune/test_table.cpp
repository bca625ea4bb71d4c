#include "tools/tune/test_table.hpp"

#include <utility>

#include "models/base/angle.hpp"

namespace kagami::tools {

std::vector<Table::Column> with_metric_columns(std::vector<Table::Column> columns) {
  for (const char* metric : {"rise s", "over %", "settling s", "steady deg", "RMS deg", "lag s",
                             "saturated %", "peak Hz"}) {
    columns.push_back({metric});
  }
  return columns;
}

std::vector<std::string> with_metrics(std::vector<std::string> cells,
                                      const ResponseMetrics& metrics) {
  const StepMetrics step = metrics.step.value_or(StepMetrics{});
  const auto saturated = metrics.saturation;
  for (std::string& cell : std::vector<std::string>{
           fixed(step.rise, 3), metrics.step ? fixed(step.overshoot, 1) : "-",
           fixed(step.settling, 3), fixed(to_deg(metrics.steady_error), 2),
           fixed(to_deg(metrics.rms), 2), fixed(metrics.lag, 3),
           saturated ? fixed(100.0 * *saturated, 1) : "-", fixed(metrics.error.peak_hz, 2)}) {
    cells.push_back(std::move(cell));
  }
  return cells;
}

}  // namespace kagami::tools
