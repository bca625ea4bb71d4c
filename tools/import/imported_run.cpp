#include "tools/import/imported_run.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "models/base/time.hpp"
#include "runtime/app/record_header.hpp"
#include "runtime/app/run_result.hpp"
#include "runtime/channels/thread_channels.hpp"
#include "runtime/clock/clock.hpp"
#include "runtime/threads/recorder.hpp"
#include "tools/import/log_link.hpp"
#include "tools/import/observed_cycle.hpp"
#include "tools/import/stand_in_motion.hpp"

namespace kagami::tools {
namespace {

using runtime::Phase;

std::string result_text(const std::filesystem::path& file, const runtime::RunSetup& setup,
                        const ImportedRun& run, std::int64_t ticks) {
  runtime::RunResult r;
  r.motion = setup.motion.name;
  r.robot = setup.config.robot;
  r.clock = "virtual";
  r.on = setup.config.on == runtime::Scene::kStand ? "stand" : "floor";
  r.dynamics = models::name(setup.config.dynamics);
  r.end_text = "imported from " + file.string();
  r.duration_s = run.duration;
  r.ticks = ticks;
  r.realtime_why = "an imported log needs none";
  if (std::isfinite(run.rms)) r.running_rms_deg = to_deg(run.rms);
  r.record = run.record;
  return run_result_json(r).dump(1) + "\n";
}

}  // namespace

runtime::RunSetup read_import_setup(const runtime::RunConfig& config) {
  const std::string name = config.motion_file.stem().string();
  return read_setup_with_pose(
      config, {.name = name.empty() ? "log" : name,
               .note = "Stands for the commands of an imported log, which are in the record."});
}

ImportedRun write_imported_run(const std::filesystem::path& file, const ServoLogFacts& facts,
                               const runtime::RunSetup& setup,
                               const std::function<void(double)>& progress) {
  const std::int64_t period_ns = setup.cycle.period_ns;
  const auto channels = std::make_unique<runtime::ThreadChannels>();
  runtime::SimulatedClock clock;
  runtime::RecordHeader header =
      runtime::record_header(setup, {.realtime_why = "an imported log needs none"}, {});
  header.metadata[runtime::kImportedFrom] = file.string();
  runtime::Recorder recorder(header, setup.robot, *channels, clock);
  ObservedCycle cycle(setup);
  LogLink link(setup.robot.wiring, facts);
  ServoLogReader reader(file, setup.robot.wiring, facts, nullptr);

  ServoLogRow row;
  bool is_row = reader.next(row);
  // the first tick only starts the model: what was commanded before its start is not followed
  Phase phase = Phase::kLeadIn;
  const std::int64_t first_ns = 2 * period_ns;
  link.start(period_ns);
  const double whole = std::max(facts.duration, 1e-9);
  std::int64_t tick = 0;
  for (; is_row || tick == 0; ++tick) {
    const std::int64_t now_ns = (tick + 1) * period_ns;
    link.begin_tick();
    if (tick > 0 && !facts.columns.phase) phase = Phase::kPlaying;
    while (is_row && row.time_ns + first_ns <= now_ns) {
      link.take(row, row.time_ns + first_ns);
      if (row.phase) phase = static_cast<Phase>(*row.phase);
      is_row = reader.next(row);
    }
    link.end_tick(now_ns, tick);
    clock.sleep_until(now_ns);
    const runtime::CycleRecord& record = cycle.step({.tick = tick,
                                                     .now_ns = now_ns,
                                                     .phase = phase,
                                                     .sample = link.sample(),
                                                     .has_reading = link.has_reading(),
                                                     .commanded = link.commanded(),
                                                     .reference = link.reference(),
                                                     .sequence = link.sequence()});
    static_cast<void>(channels->records.push(record));
    for (int e = 0; e < record.out.num_events; ++e) {
      static_cast<void>(channels->events.push(record.out.events[idx(e)]));
    }
    recorder.drain();
    if (tick % 1000 == 0 && progress) {
      progress(std::min(1.0, seconds(now_ns - period_ns) / whole));
    }
  }
  ImportedRun run;
  run.record = recorder.file();
  run.samples = static_cast<std::uint64_t>(tick);
  run.readings = link.readings();
  run.crowded = link.crowded();
  run.duration = seconds(tick * period_ns);
  run.rms = recorder.residuals().rms();
  if (!recorder.close(result_text(file, setup, run, tick), run.samples)) {
    throw RecordError(recorder.cause());
  }
  run.record = recorder.file();
  return run;
}

}  // namespace kagami::tools
