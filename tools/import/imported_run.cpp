#include "tools/import/imported_run.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"
#include "models/base/idx.hpp"
#include "models/base/temporary_folder.hpp"
#include "models/base/time.hpp"
#include "runtime/app/record_header.hpp"
#include "runtime/app/run_result.hpp"
#include "runtime/channels/thread_channels.hpp"
#include "runtime/clock/clock.hpp"
#include "runtime/cycle/event_list.hpp"
#include "runtime/cycle/shadow.hpp"
#include "runtime/threads/recorder.hpp"
#include "tools/import/log_link.hpp"

namespace kagami::tools {
namespace {

using runtime::CycleRecord;
using runtime::Phase;

/// A motion with one pose, at which a model without commands would rest: the record of a run holds
/// one, and a log has none.
std::string motion_text(const std::filesystem::path& file, const models::RobotDescription& robot) {
  nlohmann::json angles = nlohmann::json::array();
  for (const JointWiring& joint : robot.wiring.joints) {
    angles.push_back(to_deg(std::clamp(0.0, joint.soft_min, joint.soft_max)));
  }
  const std::string name = file.stem().string();
  const nlohmann::json motion = {
      {"schema", "kagami.motion/1"},
      {"name", name.empty() ? "log" : name},
      {"note", "Stands for the commands of an imported log, which are in the record."},
      {"joints", robot.joint_names},
      {"poses", nlohmann::json::array({{{"speed", 7}, {"angles_deg", angles}}})}};
  return motion.dump(1) + "\n";
}

/// Rows of /cycle by the shadow model beside the log.
class ImportedCycle {
 public:
  ImportedCycle(const runtime::RunSetup& setup, const ServoLogFacts& facts)
      : setup_(setup), link_(setup.robot.wiring, facts), shadow_(setup.robot, setup.cycle) {
    row_ = std::make_unique<CycleRecord>();
  }

  LogLink& link() { return link_; }

  /// The row of a tick whose rows of the log the link has.
  const CycleRecord& step(std::int64_t tick, std::int64_t now_ns, Phase phase) {
    CycleRecord& row = *row_;
    row = CycleRecord{};
    row.in.tick = tick;
    row.in.now_ns = now_ns;
    row.in.sample = link_.sample();
    row.in.sample_is_new = link_.has_reading();
    runtime::EventList events(row.out, tick, events_lost_);
    if (!shadow_.is_running()) {
      shadow_.disturb_from(now_ns);
      shadow_.start(row.in.sample, now_ns);
      first_ns_ = now_ns;
    }
    shadow_.follow(row.in.sample);
    shadow_.advance(now_ns, row.in.sample, events);
    shadow_.compare(now_ns, row.in.sample, row.out);
    write_command(tick, row.out);
    row.out.q_loop = runtime::unknown_joints(static_cast<int>(setup_.robot.joint_names.size()));
    row.out.control = row.out.q_loop;
    row.out.phase = phase;
    row.out.state = runtime::SupervisorState::kRunning;
    row.out.motion_time = seconds(now_ns - first_ns_);
    row.out.steps = static_cast<std::uint64_t>(tick) + 1;
    row.out.events_lost = events_lost_;
    return row;
  }

 private:
  void write_command(std::int64_t tick, runtime::CycleOutput& out) const {
    out.targets.mode = drivers::TargetMode::kPositions;
    out.targets.streamed = true;
    out.targets.sequence = link_.sequence();
    out.targets.cycle = tick;
    for (std::size_t j = 0; j < setup_.robot.joint_names.size(); ++j) {
      out.targets.angle[j] = link_.commanded()[j];
      out.q_ref[j] = link_.reference()[j];
    }
  }

  const runtime::RunSetup& setup_;
  LogLink link_;
  runtime::Shadow shadow_;
  std::unique_ptr<CycleRecord> row_;
  std::uint64_t events_lost_ = 0;
  std::int64_t first_ns_ = 0;
};

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
  const models::RobotDescription robot = models::read_robot_folder(
      config.robot_folder,
      config.on == runtime::Scene::kStand ? models::BaseKind::kFixed : models::BaseKind::kFloating);
  const TemporaryFolder folder;
  runtime::RunConfig with_motion = config;
  with_motion.motion_file = folder.file("motion.json");
  write_file_atomically(with_motion.motion_file, motion_text(config.motion_file, robot));
  runtime::RunSetup setup = runtime::read_setup(with_motion);
  setup.config.motion_file = config.motion_file;
  return setup;
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
  ImportedCycle cycle(setup, facts);
  LogLink& link = cycle.link();
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
    const CycleRecord& record = cycle.step(tick, now_ns, phase);
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
