#include "tools/report/report_run.hpp"

#include "tools/gap/gap_report.hpp"
#include "tools/gap/run_analysis.hpp"

namespace kagami::tools {

ReportRun report_run(const RunRecord& record, const RunSeries& series, const Comparison& comparison,
                     const std::vector<JointExplanation>& explanation, RunWatch& watch) {
  ReportRun run{record_facts(record), comparison, explanation, watch.take()};
  add_differences(series, run.course);
  return run;
}

ReportData report_of(const RunRecord& record) {
  RunWatch watch(record);
  const RunAnalysis run =
      analyse_record(record, [&](const runtime::CycleRecord& row) { watch.add(row); });
  const std::vector<JointExplanation> explanation = explain_gap(run.history);
  return {conclusion(explanation),
          report_run(record, run.series, compare(run.series), explanation, watch),
          std::nullopt,
          {}};
}

}  // namespace kagami::tools
