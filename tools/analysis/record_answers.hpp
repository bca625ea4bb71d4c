/// What `kagami compare`, `verify` and `log export` answer about a record, for the command line and
/// for the dashboard alike.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "runtime/cycle/verify.hpp"
#include "tools/analysis/compare.hpp"
#include "tools/analysis/run_record.hpp"

namespace kagami::tools {

/// A comparison and the name of what was compared.
struct NamedComparison {
  std::string record;
  Comparison comparison;
  bool complete = true;  ///< the record holds every sample of its run
};

/// kagami.compare/1; with a baseline also "baseline" and "changes".
nlohmann::json comparison_json(const NamedComparison& run,
                               const std::optional<NamedComparison>& baseline);

/// kagami.verify/1
nlohmann::json verify_json(const std::string& record, const runtime::VerifyResult& result);

/// Length of the CSV of this run, estimated.
double expected_csv_bytes(const RunRecord& record);

struct CsvSummary {
  std::uint64_t lines = 0;
  std::uint64_t left_out = 0;  ///< rows without new time
  std::uintmax_t bytes = 0;
  std::filesystem::path key{};  ///< csv_key_file; empty: the table is no regular file
};

/// "run.key.csv" beside "run.csv".
std::filesystem::path csv_key_file(const std::filesystem::path& csv);

/// The run as CSV (cycle_csv.hpp), and its key (csv_key.hpp) beside it. `progress` gets 0..1 now
/// and then; what it throws ends the writing. Throws Error where the file cannot be written to its
/// end.
CsvSummary write_csv(const RunRecord& record, const std::filesystem::path& out,
                     const std::function<void(double)>& progress);

}  // namespace kagami::tools
