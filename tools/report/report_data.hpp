/// All that a report shows, before it is drawn.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/analysis/compare.hpp"
#include "tools/gap/explain.hpp"
#include "tools/report/record_facts.hpp"
#include "tools/report/run_course.hpp"
#include "tools/report/small_multiples.hpp"

namespace kagami::tools {

/// A record that was read for a report.
// NOLINTNEXTLINE(bugprone-exception-escape): see RecordFacts
struct ReportRun {
  RecordFacts facts;
  Comparison comparison;
  std::vector<JointExplanation> explanation;  ///< empty = not known
  RunCourse course;
};

/// Puts the difference of every compared reading into the curves: simulated minus measured, as
/// `compare` takes it.
void add_differences(const RunSeries& series, RunCourse& course);

// NOLINTNEXTLINE(bugprone-exception-escape): see RecordFacts
struct ReportData {
  std::vector<std::string> conclusion;  ///< sentences
  ReportRun run;
  std::optional<ReportRun> baseline;
  /// Further sections after the joints' curves, e.g. the history over runs.
  std::vector<SmallMultiples> more;
};

/// Joints by their RMS difference, the largest first; those without readings last.
std::vector<std::size_t> by_error(const Comparison& comparison);
/// The baseline's curves of a joint by its name, shifted so that both motions begin together;
/// nullptr = it has none.
const JointCurves* baseline_curves(const ReportData& data, std::size_t joint);
const JointComparison* baseline_of(const ReportData& data, std::size_t joint);
/// s that are added to the baseline's times.
double baseline_shift(const ReportData& data);

/// Whether the curve has a value.
bool has_values(const Envelope& envelope);

}  // namespace kagami::tools
