#include "tools/analysis/record_answers.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "models/base/file_replacement.hpp"
#include "models/base/hash.hpp"
#include "tools/analysis/report.hpp"
#include "tools/analysis/tunable_history.hpp"
#include "tools/export/csv_key.hpp"
#include "tools/export/cycle_csv.hpp"

namespace kagami::tools {
namespace {

/// In the order of `names`; NaN where a controller is not there.
std::vector<double> values_of(const std::vector<std::string>& names,
                              const TunableHistory& tunables) {
  std::vector<double> values(names.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < tunables.names().size(); ++i) {
    const auto found = std::find(names.begin(), names.end(), tunables.names()[i]);
    if (found == names.end()) continue;
    values[static_cast<std::size_t>(found - names.begin())] = tunables.values()[i];
  }
  return values;
}

}  // namespace

nlohmann::json comparison_json(const NamedComparison& run,
                               const std::optional<NamedComparison>& baseline) {
  const Comparison& c = run.comparison;
  nlohmann::json object = {{"schema", "kagami.compare/1"},
                           {"record", run.record},
                           {"motion", c.motion},
                           {"complete", run.complete},
                           {"samples", c.samples},
                           {"rms_deg", number_or_null(c.rms_deg)},
                           {"mean_abs_deg", number_or_null(c.mean_abs_deg)},
                           {"max_deg", number_or_null(c.max_deg)},
                           {"bias_deg", number_or_null(c.bias_deg)},
                           {"noise_deg", number_or_null(c.noise_deg)},
                           {"share_within_resolution", number_or_null(c.share_within_resolution)},
                           {"joints", joints_json(run.comparison)}};
  if (baseline) {
    object["baseline"] = {{"record", baseline->record},
                          {"complete", baseline->complete},
                          {"motion", baseline->comparison.motion},
                          {"rms_deg", number_or_null(baseline->comparison.rms_deg)}};
    object["changes"] = changes_json(c, baseline->comparison);
  }
  return object;
}

nlohmann::json verify_json(const std::string& record, const runtime::VerifyResult& result) {
  const bool differs = !result.identical && !result.field.empty();
  const auto if_differs = [&](const nlohmann::json& value) {
    return differs ? value : nlohmann::json(nullptr);
  };
  return {{"schema", "kagami.verify/1"},
          {"record", record},
          {"identical", result.identical},
          {"ticks", result.rows},
          {"state_hash", hex_text(result.state_hash)},
          {"complete", result.complete},
          {"incomplete",
           result.incomplete.empty() ? nlohmann::json(nullptr) : nlohmann::json(result.incomplete)},
          {"tick", result.tick < 0 ? nlohmann::json(nullptr) : if_differs(result.tick)},
          {"field", if_differs(result.field)},
          {"recorded", if_differs(result.recorded)},
          {"computed", if_differs(result.computed)},
          {"note", result.note}};
}

double expected_csv_bytes(const RunRecord& record) {
  std::ostringstream nowhere;
  return CycleCsv(nowhere, record.wiring()).expected_bytes(record.num_rows());
}

std::filesystem::path csv_key_file(const std::filesystem::path& csv) {
  std::filesystem::path key = csv;
  return key.replace_extension(".key.csv");
}

CsvSummary write_csv(const RunRecord& record, const std::filesystem::path& file,
                     const std::function<void(double)>& progress) {
  FileReplacement replacement(file);
  std::ofstream out(replacement.beside(), std::ios::binary);
  if (!out) throw Error("'" + file.string() + "' cannot be written");
  const std::vector<std::string> gains = all_tunables(record);
  CycleCsv csv(out, record.wiring(), gains);
  TunableHistory tunables(record);
  csv.set_gains(tunables.values());
  const std::uint64_t rows = record.num_rows();
  std::uint64_t done = 0;
  record.for_each_row([&](const runtime::CycleRecord& row) {
    tunables.add(row);
    if (row.in.tuning_is_new || tunables.taken()) csv.set_gains(values_of(gains, tunables));
    csv.add(row);
    if (++done % 1000 == 0)
      progress(static_cast<double>(done) / static_cast<double>(std::max(done, rows)));
  });
  csv.finish();
  const std::streamoff size = out.tellp();  // -1 on a device that has no position
  out.close();
  if (!out)
    throw Error("'" + file.string() +
                "' could not be written completely; check the space on the disk");
  const auto bytes = static_cast<std::uintmax_t>(std::max<std::streamoff>(size, 0));
  replacement.commit();
  std::vector<std::string> columns;
  for (const std::string& gain : gains) columns.push_back(gain_column(gain));
  std::error_code missing;
  const bool has_key = std::filesystem::is_regular_file(file, missing);  // no pipe, no device
  const std::filesystem::path key = has_key ? csv_key_file(file) : std::filesystem::path();
  if (has_key) write_file_atomically(key, csv_key_text(tunables.controllers(), columns));
  return {csv.lines(), csv.left_out(), bytes, key};
}

}  // namespace kagami::tools
