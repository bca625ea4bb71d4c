/// What a record states about its run besides the samples: robot, program, settings, result.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tools/analysis/run_record.hpp"
#include "tools/report/run_course.hpp"

namespace kagami::tools {

/// {"Kernel", "Linux 6.1"}
using Facts = std::vector<std::pair<std::string, std::string>>;

/// A number with its unit, definition and a value to compare it with.
struct Measure {
  std::string name;
  std::string value;    ///< with its unit
  std::string against;  ///< what to compare it with
  std::string meaning;  ///< one sentence
};

// the check takes assertions in the JSON library's move for exceptions
// NOLINTNEXTLINE(bugprone-exception-escape)
struct RecordFacts {
  std::string file;
  std::string motion;
  std::string robot;       ///< "khr1, virtual robot"
  std::string date;        ///< UTC; "" = not known
  runtime::StringMap run;  ///< metadata "kagami.run"
  runtime::StringMap end;  ///< metadata "kagami.end"
  nlohmann::json config;   ///< kagami.config/1; null = not in the record
  nlohmann::json result;   ///< kagami.run/1; null = not in the record
  std::string incomplete;  ///< why the record is; "" = it is complete
};

/// Parts that are missing or damaged are left empty: a cut record still gives a report.
RecordFacts record_facts(const RunRecord& record);

/// Machine, program, versions and hashes.
Facts reproduction_facts(const RecordFacts& facts);
/// Command lines that repeat the run and its comparison.
std::vector<std::string> reproduction_commands(const RecordFacts& facts);

/// Counters and rates of the serial line.
std::vector<Measure> line_measures(const RecordFacts& facts, const drivers::LineCounters& line);
/// Shares of the line's time: "bytes", "boards", ...; empty = not known.
std::vector<std::pair<std::string, double>> line_shares(const RecordFacts& facts);
/// Durations that the run measured: of the cycle and of its wake-up.
std::vector<DurationHistogram> run_durations(const RecordFacts& facts);
/// Durations, late, skipped and lost ticks of the cycle.
std::vector<Measure> cycle_measures(const RecordFacts& facts);

/// "median 4.51 us, 99 % below 9.02 us, at most 12.0 us"
std::string quantiles_text(const DurationHistogram& histogram);

/// The number under a path such as "line/cycle_hz", NaN where there is none.
double number_at(const nlohmann::json& object, const std::string& path);
/// The text under a path; "" where there is none.
std::string text_at(const nlohmann::json& object, const std::string& path);

}  // namespace kagami::tools
