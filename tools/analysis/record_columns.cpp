#include "tools/analysis/record_columns.hpp"

#include <optional>

#include "tools/analysis/happenings.hpp"
#include "tools/analysis/series_builder.hpp"
#include "tools/analysis/tunable_history.hpp"
#include "tools/export/cycle_lines.hpp"

namespace kagami::tools {
namespace {

constexpr std::size_t kRowsBetween = 1000;

void append(std::vector<double>& column, const JointArray<double>& values, std::size_t count) {
  column.insert(column.end(), values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
}

void add_line(const CycleLine& line, RecordColumns& columns) {
  const std::size_t n = columns.num_joints;
  columns.time.push_back(line.t);
  columns.phase.push_back(static_cast<std::uint8_t>(line.phase));
  columns.motion_time.push_back(line.motion_time);
  append(columns.reference, line.reference, n);
  append(columns.command, line.commanded, n);
  append(columns.simulated, line.simulated, n);
  append(columns.measured, line.measured, n);
  append(columns.residual, line.residual, n);
  append(columns.torque, line.torque, n);
}

void add_events(const runtime::CycleRecord& row, double time, const std::vector<std::string>& names,
                const TunableHistory& tunables, std::vector<RecordedEvent>& events) {
  for (std::int32_t k = 0; k < row.out.num_events; ++k) {
    const runtime::Event& event = row.out.events[static_cast<std::size_t>(k)];
    events.push_back({time, runtime::event_name(event.code), event.joint, event.value,
                      event_level_name(runtime::event_level(event.code)),
                      runtime::event_sentence(event, names, tunables.event_names())});
  }
}

/// Visits every row and calls `between` after every kRowsBetween of them.
template <class Visit>
void visit_rows(const RunRecord& record, const Between& between, const Visit& visit) {
  std::size_t rows = 0;
  record.for_each_row([&](const runtime::CycleRecord& row) {
    if (between && ++rows % kRowsBetween == 0) between();
    visit(row);
  });
}

}  // namespace

RecordColumns read_columns(const RunRecord& record, const Between& between) {
  RecordColumns columns;
  const std::vector<std::string> names = record.joint_names();
  columns.num_joints = names.size();
  TunableHistory tunables(record);
  CycleLines lines(record.wiring(), [&](const CycleLine& line) { add_line(line, columns); });
  std::optional<std::int64_t> first_ns;
  visit_rows(record, between, [&](const runtime::CycleRecord& row) {
    if (!first_ns) first_ns = row.in.now_ns;
    tunables.add(row);
    add_events(row, 1e-9 * static_cast<double>(row.in.now_ns - *first_ns), names, tunables,
               columns.events);
    lines.add(row);
  });
  lines.finish();
  return columns;
}

std::vector<ComparedReadings> read_compared(const RunRecord& record, const Between& between) {
  SeriesBuilder builder(record.wiring());
  visit_rows(record, between, [&](const runtime::CycleRecord& row) { builder.add(row); });
  const RunSeries run = builder.take();
  std::vector<ComparedReadings> all;
  for (std::size_t j = 0; j < run.joints.size(); ++j) all.push_back(reading_pairs(run, j));
  return all;
}

}  // namespace kagami::tools
