/// The table of a sweep: one row per run, in the order of their numbers.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "tools/sweep/journal.hpp"
#include "tools/sweep/sweep_plan.hpp"

namespace kagami::tools {

enum class TableFormat { kCsv, kJsonLines };

/// By the end of the name: .csv, .jsonl. Throws ConfigError for another.
TableFormat table_format_of(const std::filesystem::path& table);

/// One line with its end: as CSV the columns run, parameters, outcome, results, message; as JSON
/// one object.
std::string table_row(TableFormat format, const SweepPlan& plan, const RunEnd& end);

/// What a table says of the runs.
struct TableCounts {
  std::map<std::string, std::uint64_t> outcomes;
  RunEnd first_failure;  ///< the first that is not ok; outcome empty: none
};

/// Replaces the table as a whole; every run must have an end. Holds one row at a time.
TableCounts write_table(const std::filesystem::path& table, const SweepPlan& plan,
                        const Journals& journals);

}  // namespace kagami::tools
