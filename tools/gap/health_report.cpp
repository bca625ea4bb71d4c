#include "tools/gap/health_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tools/analysis/report.hpp"
#include "tools/analysis/sessions.hpp"
#include "tools/cli/table.hpp"

namespace kagami::tools {
namespace {

std::optional<double> scaled_by(const std::optional<double>& value, double per_unit) {
  if (!value) return std::nullopt;
  return *value * per_unit;
}

std::string printed(const std::optional<double>& value, const HealthScale& scale) {
  return fixed(scaled_by(value, scale.per_unit), scale.decimals);
}

/// "+0.75", with one more digit for what is per run.
std::string signed_text(const std::optional<double>& value, const HealthScale& scale, int more) {
  if (!value) return "-";
  const std::string text = fixed(*value * scale.per_unit, scale.decimals + more);
  return text.front() == '-' ? text : "+" + text;
}

std::string per_run_text(const HealthTrend& trend, const HealthScale& scale) {
  std::string text = signed_text(trend.per_run, scale, 1);
  if (trend.uncertainty) {
    text += " +-" + fixed(*trend.uncertainty * scale.per_unit, scale.decimals + 1);
  }
  return text;
}

struct Notable {
  std::size_t joint = 0;
  HealthValue value = HealthValue::kTrim;
  HealthTrend trend;
};

std::vector<Notable> notable_trends(const HealthHistory& history) {
  std::vector<Notable> all;
  for (const HealthValue value : kHealthValues) {
    const auto first = static_cast<std::ptrdiff_t>(all.size());
    for (std::size_t j = 0; j < history.joints.size(); ++j) {
      const HealthTrend trend = health_trend(history, j, value);
      if (trend.is_notable) all.push_back({j, value, trend});
    }
    std::stable_sort(all.begin() + first, all.end(), [](const Notable& a, const Notable& b) {
      return std::abs(*a.trend.per_run) > std::abs(*b.trend.per_run);
    });
  }
  return all;
}

std::string runs_text(const HealthHistory& history) {
  Table table({{"run"},
               {"started", Align::kLeft},
               {"motion", Align::kLeft},
               {"gap deg"},
               {"record", Align::kLeft}});
  const HealthScale scale = health_scale(HealthValue::kGap);
  for (std::size_t k = 0; k < history.runs.size(); ++k) {
    const HealthRun& run = history.runs[k];
    table.add_row({std::to_string(k + 1), local_time(run.started_unix_ns),
                   run.motion.empty() ? "-" : run.motion, printed(run.gap, scale), run.record});
  }
  return table.text();
}

std::string trends_text(const HealthHistory& history) {
  Table table({{"joint", Align::kLeft},
               {"value", Align::kLeft},
               {"runs"},
               {"first"},
               {"last"},
               {"change"},
               {"per run"},
               {"", Align::kLeft}});
  for (std::size_t j = 0; j < history.joints.size(); ++j) {
    for (const HealthValue value : kHealthValues) {
      const HealthScale scale = health_scale(value);
      const HealthTrend trend = health_trend(history, j, value);
      table.add_row({history.joints[j], fmt::format("{} {}", scale.name, scale.unit),
                     std::to_string(trend.runs), printed(trend.first, scale),
                     printed(trend.last, scale), signed_text(trend.change, scale, 0),
                     per_run_text(trend, scale), trend.is_notable ? "changes" : ""});
    }
  }
  return table.text() +
         "\nRuns: those that show the value. Per run: slope of a straight line and its standard "
         "deviation.\nA value that no run shows has \"-\".\n";
}

std::string left_out_text(const HealthHistory& history, int width) {
  if (history.left_out.empty()) return "";
  Table table({{"left out", Align::kLeft}, {"why", Align::kLeft}});
  for (const LeftOut& record : history.left_out) table.add_row({record.record, record.why});
  return "\n" + table.text(width);
}

nlohmann::json reading_json(const HealthReading& reading, double per_unit) {
  return {{"value", number_or_null(scaled_by(reading.value, per_unit))},
          {"uncertainty", number_or_null(scaled_by(reading.uncertainty, per_unit))}};
}

nlohmann::json value_json(const HealthHistory& history, std::size_t joint, HealthValue value) {
  const HealthScale scale = health_scale(value);
  const HealthTrend trend = health_trend(history, joint, value);
  const auto number = [&](const std::optional<double>& x) {
    return number_or_null(scaled_by(x, scale.per_unit));
  };
  nlohmann::json readings = nlohmann::json::array();
  for (const HealthRun& run : history.runs) {
    readings.push_back(
        reading_json(run.joints[joint][static_cast<std::size_t>(value)], scale.per_unit));
  }
  return {{"name", scale.name},
          {"unit", scale.unit},
          {"runs", trend.runs},
          {"first", number(trend.first)},
          {"last", number(trend.last)},
          {"change", number(trend.change)},
          {"per_run", number(trend.per_run)},
          {"per_run_uncertainty", number(trend.uncertainty)},
          {"changes", trend.is_notable},
          {"readings", readings}};
}

/// As a cell of a CSV file.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + "\"";
}

}  // namespace

std::vector<std::string> health_conclusion(const HealthHistory& history) {
  std::vector<std::string> sentences;
  if (history.runs.empty()) return {"No record can be used."};
  if (history.runs.size() < 3) {
    return {fmt::format("Runs: {}; a trend needs three or more.", history.runs.size())};
  }
  for (const Notable& n : notable_trends(history)) {
    const HealthScale scale = health_scale(n.value);
    sentences.push_back(
        fmt::format("{}: {} {} to {} {} in {} runs, {} {} per run.", history.joints[n.joint],
                    scale.name, printed(n.trend.first, scale), printed(n.trend.last, scale),
                    scale.unit, n.trend.runs, per_run_text(n.trend, scale), scale.unit));
  }
  if (sentences.empty()) {
    sentences.push_back(fmt::format("Nothing changes notably over {} runs.", history.runs.size()));
  }
  return sentences;
}

std::string health_text(const HealthHistory& history, int width) {
  std::string text;
  for (const std::string& sentence : health_conclusion(history)) text += sentence + "\n";
  if (!history.runs.empty()) text += "\n" + runs_text(history) + "\n" + trends_text(history);
  return text + left_out_text(history, width);
}

nlohmann::json health_json(const HealthHistory& history) {
  nlohmann::json runs = nlohmann::json::array();
  const double gap_per_unit = health_scale(HealthValue::kGap).per_unit;
  for (const HealthRun& run : history.runs) {
    runs.push_back({{"record", run.record},
                    {"started_unix_ns", run.started_unix_ns},
                    {"motion", run.motion},
                    {"gap_deg", number_or_null(scaled_by(run.gap, gap_per_unit))}});
  }
  nlohmann::json joints = nlohmann::json::array();
  for (std::size_t j = 0; j < history.joints.size(); ++j) {
    nlohmann::json values = nlohmann::json::array();
    for (const HealthValue value : kHealthValues) values.push_back(value_json(history, j, value));
    joints.push_back({{"name", history.joints[j]}, {"values", values}});
  }
  nlohmann::json left_out = nlohmann::json::array();
  for (const LeftOut& record : history.left_out) {
    left_out.push_back({{"record", record.record}, {"why", record.why}});
  }
  return {{"schema", "kagami.history/1"},
          {"robot", history.robot},
          {"conclusion", health_conclusion(history)},
          {"runs", runs},
          {"joints", joints},
          {"left_out", left_out}};
}

std::string health_csv(const HealthHistory& history) {
  std::string text = "run,started_unix_ns,record,motion,joint";
  for (const HealthValue value : kHealthValues) {
    std::string unit = health_scale(value).unit;
    std::replace(unit.begin(), unit.end(), ' ', '_');
    text += fmt::format(",{0}_{1},{0}_{1}_uncertainty", health_scale(value).name, unit);
  }
  text += "\n";
  const auto append = [&](const std::optional<double>& value, double per_unit) {
    text += ",";
    if (value) fmt::format_to(std::back_inserter(text), "{:.7g}", *value * per_unit);
  };
  for (std::size_t k = 0; k < history.runs.size(); ++k) {
    const HealthRun& run = history.runs[k];
    for (std::size_t j = 0; j < history.joints.size(); ++j) {
      text += fmt::format("{},{},{},{},{}", k + 1, run.started_unix_ns, quoted(run.record),
                          quoted(run.motion), quoted(history.joints[j]));
      for (const HealthValue value : kHealthValues) {
        const HealthReading& reading = run.joints[j][static_cast<std::size_t>(value)];
        append(reading.value, health_scale(value).per_unit);
        append(reading.uncertainty, health_scale(value).per_unit);
      }
      text += "\n";
    }
  }
  return text;
}

}  // namespace kagami::tools
