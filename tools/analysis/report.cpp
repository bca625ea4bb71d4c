#include "tools/analysis/report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"
#include "tools/cli/table.hpp"

namespace kagami::tools {

namespace {

/// "20.3 +-0.4"
std::string lag_text(const JointComparison& joint) {
  if (!joint.lag_ms) return "-";
  return fixed(joint.lag_ms, 1) + " +-" + fixed(joint.lag_sigma_ms, 1);
}

std::string hold_text(const JointComparison& joint) {
  return joint.holds ? fixed(to_deg(joint.holds->bias), 2) : "-";
}

/// "0.97 -14": gain, and phase in degrees.
std::string response_text(const ResponsePoint& point) {
  return fixed(point.gain, 2) + " " + fixed(to_deg(point.phase), 0);
}

nlohmann::json holds_json(const std::optional<Holds>& holds) {
  if (!holds) return nullptr;
  return {{"count", holds->count},
          {"seconds", holds->seconds},
          {"bias_deg", to_deg(holds->bias)},
          {"spread_deg",
           holds->spread ? nlohmann::json(to_deg(*holds->spread)) : nlohmann::json(nullptr)}};
}

nlohmann::json response_json(const std::vector<ResponsePoint>& response) {
  nlohmann::json rows = nlohmann::json::array();
  for (const ResponsePoint& point : response) {
    rows.push_back({{"frequency_hz", point.frequency},
                    {"gain", point.gain},
                    {"phase_deg", to_deg(point.phase)},
                    {"coherence", point.coherence},
                    {"amplitude_deg", to_deg(point.amplitude)}});
  }
  return rows;
}

}  // namespace

std::string comparison_text(const Comparison& comparison) {
  const bool has_gate = std::any_of(
      comparison.joints.begin(), comparison.joints.end(),
      [](const JointComparison& joint) { return joint.gate_shortfall_deg.has_value(); });
  std::vector<Table::Column> columns{{"joint", Align::kLeft},
                                     {"RMS deg"},
                                     {"mean abs"},
                                     {"max deg"},
                                     {"bias deg"},
                                     {"in holds"},
                                     {"lag ms"},
                                     {"noise deg"},
                                     {"beyond it"}};
  if (has_gate) columns.push_back({"gate cut deg"});
  Table table(std::move(columns));
  for (const JointComparison& joint : comparison.joints) {
    std::vector<std::string> row{joint.name,
                                 fixed(joint.rms_deg, 2),
                                 fixed(joint.mean_abs_deg, 2),
                                 fixed(joint.max_deg, 2),
                                 fixed(joint.bias_deg, 2),
                                 hold_text(joint),
                                 lag_text(joint),
                                 fixed(joint.noise_deg, 2),
                                 fixed(joint.beyond_noise_deg, 2)};
    if (has_gate) row.push_back(fixed(joint.gate_shortfall_deg, 2));
    table.add_row(std::move(row));
  }
  std::string text = table.text();
  if (comparison.samples > 0) {
    text += "\nAll joints: " + fixed(comparison.rms_deg, 3) + " deg RMS over " +
            std::to_string(comparison.samples) + " readings, mean absolute " +
            fixed(comparison.mean_abs_deg, 3) + ", largest " + fixed(comparison.max_deg, 2) +
            ", bias " + fixed(comparison.bias_deg, 3) + ", noise " +
            fixed(comparison.noise_deg, 3) + "; " +
            fixed(100.0 * *comparison.share_within_resolution, 0) +
            " % of them within the resolution.\nSimulated minus measured; lag: robot later than "
            "model.\n";
  }
  return text;
}

std::string distance_sentence(const Comparison& comparison) {
  if (comparison.samples == 0) return "No readings: nothing can be compared.";
  return "Robot and model were " + fixed(comparison.rms_deg, 2) + " deg RMS apart over " +
         std::to_string(comparison.samples) + " readings; the noise alone makes " +
         fixed(comparison.noise_deg, 2) + " deg.";
}

std::string responses_text(const Comparison& comparison) {
  std::vector<double> frequencies;
  for (const JointComparison& joint : comparison.joints) {
    for (const ResponsePoint& point : joint.response) frequencies.push_back(point.frequency);
  }
  std::sort(frequencies.begin(), frequencies.end());
  frequencies.erase(std::unique(frequencies.begin(), frequencies.end()), frequencies.end());
  if (frequencies.empty()) return "";
  std::vector<Table::Column> columns{{"joint", Align::kLeft}};
  for (const double f : frequencies) columns.push_back({fixed(f, 2) + " Hz"});
  Table table(std::move(columns));
  for (const JointComparison& joint : comparison.joints) {
    if (joint.response.empty()) continue;
    std::vector<std::string> row{joint.name};
    for (const double f : frequencies) {
      const auto point = std::find_if(joint.response.begin(), joint.response.end(),
                                      [&](const ResponsePoint& p) { return p.frequency == f; });
      row.push_back(point == joint.response.end() ? "-" : response_text(*point));
    }
    table.add_row(std::move(row));
  }
  return table.text() +
         "\nRobot in proportion to model: gain, and phase in deg (negative: the robot is later), "
         "where the motion\nexcites the frequency.\n";
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
                    {"mean_abs_deg", number_or_null(joint.mean_abs_deg)},
                    {"max_deg", number_or_null(joint.max_deg)},
                    {"bias_deg", number_or_null(joint.bias_deg)},
                    {"lag_ms", number_or_null(joint.lag_ms)},
                    {"lag_sigma_ms", number_or_null(joint.lag_sigma_ms)},
                    {"floor_deg", number_or_null(joint.floor_deg)},
                    {"noise_deg", number_or_null(joint.noise_deg)},
                    {"beyond_noise_deg", number_or_null(joint.beyond_noise_deg)},
                    {"share_within_resolution", number_or_null(joint.share_within_resolution)},
                    {"holds", holds_json(joint.holds)},
                    {"response", response_json(joint.response)},
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
