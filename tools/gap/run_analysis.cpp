#include "tools/gap/run_analysis.hpp"

#include <optional>

#include "runtime/app/assemble.hpp"
#include "tools/analysis/record_checks.hpp"
#include "tools/analysis/series_builder.hpp"

namespace kagami::tools {

RunAnalysis analyse_record(const RunRecord& record,
                           const std::function<void(const runtime::CycleRecord&)>& also) {
  RunAnalysis run;
  std::optional<DriveHistoryBuilder> history;
  try {
    const runtime::RunSetup setup = runtime::read_setup(record.reader());
    history.emplace(setup.robot, setup.cycle.stored);
  } catch (const Error& error) {
    run.not_explained = error.what();
  }
  SeriesBuilder series(record.wiring());
  series.reserve(record.num_rows());
  HappeningCollector happenings(record.joint_names());
  RecordCheck check(record.wiring());
  record.for_each_row([&](const runtime::CycleRecord& row) {
    series.add(row);
    happenings.add(row);
    check.add(row);
    if (history) history->add(row);
    if (also) also(row);
  });
  run.findings = check.findings();
  run.series = series.take();
  run.series.motion = record.motion();
  run.happenings = happenings.take();
  if (!history) return run;
  run.history = history->take();
  run.not_explained = run.history.ended_early;
  return run;
}

}  // namespace kagami::tools
