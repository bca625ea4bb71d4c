#include "tools/analysis/report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/cli/table.hpp"

namespace kagami::tools {

std::string comparison_text(const Comparison& comparison) {
  const bool has_gate = std::any_of(
      comparison.joints.begin(), comparison.joints.end(),
      [](const JointComparison& joint) { return joint.gate_shortfall_deg.has_value(); });
  std::vector<Table::Column> columns{{"joint", Align::kLeft},
                                     {"channel"},
                                     {"samples"},
                                     {"RMS deg"},
                                     {"max deg"},
                                     {"bias deg"},
                                     {"lag ms"},
                                     {"floor deg"}};
  if (has_gate) columns.push_back({"gate cut deg"});
  Table table(std::move(columns));
  for (const JointComparison& joint : comparison.joints) {
    std::vector<std::string> row{joint.name,
                                 std::to_string(joint.channel),
                                 std::to_string(joint.samples),
                                 fixed(joint.rms_deg, 2),
                                 fixed(joint.max_deg, 2),
                                 fixed(joint.bias_deg, 2),
                                 fixed(joint.lag_ms, 1),
                                 fixed(joint.floor_deg, 2)};
    if (has_gate) row.push_back(fixed(joint.gate_shortfall_deg, 2));
    table.add_row(std::move(row));
  }
  return table.text() + "\nAll joints: " + fixed(comparison.rms_deg, 3) + " deg RMS over " +
         std::to_string(comparison.samples) +
         " readings. Simulated minus measured; lag: robot later than model.\n";
}

std::string changes_text(const Comparison& run, const Comparison& baseline) {
  Table table({{"joint", Align::kLeft}, {"RMS deg"}, {"max deg"}, {"bias deg"}, {"lag ms"}});
  for (const JointChange& change : changes(run, baseline))
    table.add_row({change.name, fixed(change.rms_deg, 2), fixed(change.max_deg, 2),
                   fixed(change.bias_deg, 2), fixed(change.lag_ms, 1)});
  return "Change against the baseline (" + fixed(baseline.rms_deg, 3) +
         " deg RMS over all joints):\n\n" + table.text();
}

nlohmann::json number_or_null(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

nlohmann::json joints_json(const Comparison& comparison) {
  nlohmann::json rows = nlohmann::json::array();
  for (const JointComparison& joint : comparison.joints)
    rows.push_back({{"name", joint.name},
                    {"channel", joint.channel},
                    {"samples", joint.samples},
                    {"rms_deg", number_or_null(joint.rms_deg)},
                    {"max_deg", number_or_null(joint.max_deg)},
                    {"bias_deg", number_or_null(joint.bias_deg)},
                    {"lag_ms", number_or_null(joint.lag_ms)},
                    {"floor_deg", number_or_null(joint.floor_deg)},
                    {"gate_shortfall_deg", number_or_null(joint.gate_shortfall_deg)}});
  return rows;
}

nlohmann::json changes_json(const Comparison& run, const Comparison& baseline) {
  nlohmann::json rows = nlohmann::json::array();
  for (const JointChange& change : changes(run, baseline))
    rows.push_back({{"name", change.name},
                    {"rms_deg", number_or_null(change.rms_deg)},
                    {"max_deg", number_or_null(change.max_deg)},
                    {"bias_deg", number_or_null(change.bias_deg)},
                    {"lag_ms", number_or_null(change.lag_ms)}});
  return rows;
}

}  // namespace kagami::tools
