/// Rows of a benchmark report from the output of the programs.
#pragma once

#include <array>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/bench/report/program_result.hpp"
#include "tools/bench/report/row_specs.hpp"

namespace kagami::tools {

/// Absent = not measured; `note` gives the reason.
struct BenchRow {
  std::string name;
  std::string unit = "ns";
  std::string by;  ///< the row of ours that was fastest
  std::optional<double> ours;
  std::optional<std::array<double, 2>> quartiles;
  std::optional<double> native;  ///< the same, built for this very processor
  std::map<std::string, std::optional<double>> peers;
  /// Ours / peer: the median over the rounds, each round's two times taken a moment apart.
  std::map<std::string, std::optional<double>> ratio;
  std::map<std::string, std::array<double, 2>> ratio_quartiles;  ///< of the rounds
  std::map<std::string, double> ratio_of_minima;  ///< of the fastest batches: what noise leaves
  std::map<std::string, double> bound;
  std::map<std::string, std::string> not_below;  ///< as in RowSpec
  std::optional<bool> holds;
  std::map<std::string, double> also;
  std::map<std::string, std::map<std::string, double>> peers_also;  ///< the same of every peer
  std::string note;
  std::string error;  ///< the results are invalid
};

struct BenchReport {
  std::string machine;
  std::string compiler;
  std::string date;                           ///< "2026-11-28", UTC
  std::array<double, 2> load = {-1.0, -1.0};  ///< of the machine over a minute, before and after
  std::vector<std::string> columns;           ///< of peers that any row has, in order of appearance
  std::vector<BenchRow> rows;
  std::vector<std::string> notes;  ///< about whole programs
};

/// Of a bound's key: from `also`, else a ratio; absent when it was not measured.
std::optional<double> value_of(const BenchRow& row, const std::string& key);
/// What a peer has under that name in `peers_also`, or none.
std::optional<double> value_of_peer(const BenchRow& row, const std::string& peer,
                                    const std::string& name);

/// `native` may be null. Peers that are missing or failed carry `error` and still get a column.
BenchReport merge(const std::vector<RowSpec>& specs, const ProgramResult& ours,
                  const std::vector<ProgramResult>& peers, const ProgramResult* native);

/// Greatest relative difference between the checksums of programs that computed the same.
inline constexpr double kChecksumTolerance = 1e-9;

/// Schema kagami.bench/1 (docs/benchmarks.md).
nlohmann::json bench_json(const BenchReport& report);
/// A table and the notes.
std::string bench_text(const BenchReport& report);
/// The same table in Markdown, as docs/benchmarks.md holds it.
std::string bench_markdown(const BenchReport& report);

}  // namespace kagami::tools
