#include "tools/gap/resimulate.hpp"

#include <cmath>

#include "runtime/app/assemble.hpp"
#include "runtime/cycle/event_list.hpp"
#include "runtime/cycle/shadow.hpp"
#include "tools/analysis/series_builder.hpp"

namespace kagami::tools {
namespace {

/// The part of the cycle that concerns the shadow model, in the cycle's order.
class ShadowAgain {
 public:
  ShadowAgain(const models::RobotDescription& robot, const runtime::CycleConfig& config)
      : shadow_(robot, config) {}

  /// Replaces what the shadow model wrote into the row.
  void step(runtime::CycleRecord& row) {
    if (is_first_) shadow_.disturb_from(row.in.now_ns);
    is_first_ = false;
    const bool runs_in_record = std::isfinite(row.out.q_simulated[0]);
    row.out.num_events = 0;
    runtime::EventList events(row.out, row.in.tick, events_lost_);
    if (!shadow_.is_running() && runs_in_record) shadow_.start(row.in.sample, row.in.now_ns);
    if (shadow_.is_running()) {
      shadow_.follow(row.in.sample);
      shadow_.advance(row.in.now_ns, row.in.sample, events);
    }
    shadow_.compare(row.in.now_ns, row.in.sample, row.out);
  }

 private:
  runtime::Shadow shadow_;
  std::uint64_t events_lost_ = 0;
  bool is_first_ = true;
};

}  // namespace

RunAnalysis resimulate(const RunRecord& record, const ServoSet& servos) {
  runtime::RunSetup setup = reading_a_record([&] { return runtime::read_setup(record.reader()); });
  setup.robot.servos = servos;
  ShadowAgain shadow(setup.robot, setup.cycle);
  SeriesBuilder series(record.wiring());
  DriveHistoryBuilder history(setup.robot, setup.cycle.stored);
  record.for_each_row([&](const runtime::CycleRecord& recorded) {
    runtime::CycleRecord row = recorded;
    shadow.step(row);
    series.add(row);
    history.add(row);
  });
  RunAnalysis run;
  run.series = series.take();
  run.series.motion = record.motion();
  run.history = history.take();
  return run;
}

}  // namespace kagami::tools
