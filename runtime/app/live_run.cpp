#include "runtime/app/live_run.hpp"

#include <Eigen/Geometry>

#include "control/safety/safety_gate.hpp"
#include "drivers/rcb1/probe.hpp"
#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/base/time.hpp"
#include "models/spatial/rotation.hpp"
#include "runtime/app/record_header.hpp"

namespace kagami::runtime {
namespace {

// rad/s from frame to frame, as from tick to tick
JointArray<double> rate_limits(const RunSetup& s) {
  if (s.cycle.rate_max) return *s.cycle.rate_max;
  return control::safety_limits(s.robot.wiring, s.robot.servos).rate_max;
}

// the robot was laid down in the motion's first pose
std::optional<drivers::virtual_robot::VirtualStart> lying_start(const RunSetup& s) {
  if (s.motion.start == motions::Start::kStanding) return std::nullopt;
  drivers::virtual_robot::VirtualStart start;
  const std::vector<std::optional<double>>& first = s.motion.poses.front().angle;
  for (std::size_t j = 0; j < first.size(); ++j) start.angle[j] = first[j].value_or(0.0);
  const auto& turn = s.cycle.start.turn;
  start.R_WB = models::rotation_of(Eigen::Quaterniond(turn[0], turn[1], turn[2], turn[3]));
  return start;
}

constexpr std::int64_t kBusyComputerNs = 250'000'000;  // longer than it keeps a thread waiting

drivers::rcb1::LinkTiming timing_of(const RunPlace& place) {
  return {.patience_ns = place.serves_boards ? kBusyComputerNs : 0};
}

}  // namespace

LiveRun::LiveRun(const RunSetup& setup, const RunPlace& place, drivers::BytePort& line_port,
                 drivers::Clock& clock, const RunHooks& hooks)
    : port(line_port, clock, channels),
      link(port, clock, setup.robot.wiring, timing_of(place)),
      serial(link, link.num_boards(), channels, clock, state),
      core(hooks.controllers == nullptr ? make_core(setup) : make_core(setup, *hooks.controllers)),
      runner(core, channels, clock, hooks.stop, state, setup.cycle.period_ns, setup.config.late),
      recorder(record_header(setup, place, hooks.disk), setup.robot, channels, clock),
      live(hooks.live),
      fixed_names(
          ControllerList(core.controllers(), setup.cycle.control.gains).event_names(setup)) {
  link.limit_rate(rate_limits(setup));
  link.watch(&state.stop_waits);
  if (live != nullptr) {
    static const control::ControllerFactory own;
    live->open({.setup = setup,
                .factory = hooks.controllers == nullptr ? own : *hooks.controllers,
                .controllers = core.controllers(),
                .may_add = core.has_control(),
                .channels = channels});
    runner.follow({.units = &live->controllers().handover(),
                   .stop = &live->stop_request(),
                   .finished = &live->is_finished()});
    if (hooks.stay_released) runner.stay_released();
  }
  recorder.listen(
      {.every = live == nullptr ? std::function<void(const CycleRecord&)>{}
                                : [this](const CycleRecord& row) { live->observe(row); },
       .paced = hooks.row,
       .test = hooks.test,
       .line = hooks.line,
       .attachment = live == nullptr
                         ? std::function<bool(RecordAttachment&)>{}
                         : [this](RecordAttachment& a) { return live->take_attachment(a); },
       .names = [this] { return event_names(); }});
}

EventNames LiveRun::event_names() const {
  return live == nullptr ? fixed_names : live->gains().event_names();
}

LiveRun::~LiveRun() {
  if (live != nullptr) live->close();
}

void meet_boards(LiveRun& run, const std::string& port_name, const RunHooks& hooks) {
  const StopRequest* live_stop = run.live == nullptr ? nullptr : &run.live->stop_request();
  const auto is_stopped = [&] {
    const auto is_requested = [](const StopRequest* stop) {
      return stop != nullptr && stop->level() != StopLevel::kNone;
    };
    return is_requested(hooks.stop) || is_requested(live_stop);
  };
  const drivers::ProbeReport found =
      drivers::probe(run.link, port_name, {.stop_requested = is_stopped});
  run.serial.start_after(run.link.line().counters());
  if (!hooks.log) return;
  for (const std::string& warning : found.warnings) hooks.log(warning);
  if (found.interrupted) {
    hooks.log("stopped while the boards were queried; their servos were not woken");
  }
}

void restore_memory(LiveRun& run, drivers::Clock& clock, const RunHooks& hooks) {
  if (!hooks.restore_memory) return;
  const CycleOutput& out = run.runner.last_output();
  const bool is_still = out.targets.sequence == 0 || out.phase == Phase::kDone || out.confirmed;
  hooks.restore_memory(run.port, clock, is_still);
}

void report(LiveRun& run, const RunSetup& setup, const RunHooks& hooks) {
  Event event;
  while (run.recorder.notices.pop(event)) {
    if (hooks.log) hooks.log(event_sentence(event, setup.robot.joint_names, run.event_names()));
  }
  if (const std::string_view cause = run.recorder.first_cause();
      !cause.empty() && !run.failure_is_reported) {
    run.failure_is_reported = true;
    if (hooks.log) hooks.log(cause);
  }
  Progress progress{};
  if (run.recorder.progress.fetch(progress) && hooks.progress) hooks.progress(progress);
}

void follow_timeline(Timeline& timeline, std::int64_t now_ns, const RunSetup& setup,
                     const RunHooks& hooks) {
  if (hooks.live == nullptr || setup.config.timeline.empty()) return;
  timeline.run_until(now_ns, *hooks.live, hooks.log);
  if (timeline.is_over()) hooks.live->finish();
}

drivers::virtual_robot::VirtualRobot make_virtual_robot(const RunSetup& setup, RunPlace& place) {
  namespace vr = drivers::virtual_robot;
  const RunConfig& c = setup.config;
  vr::BoardBehaviour behaviour = vr::board_preset(c.board);
  if (c.answer_latency) {
    behaviour.acknowledge_latency = *c.answer_latency;
    behaviour.read_latency = *c.answer_latency;
    behaviour.store_latency = *c.answer_latency;
  }
  // "twin": what the shadow uses, --twin included
  const ServoSet servos = vr::read_plant_servos(setup.robot, c.robot_folder, c.plant);
  place.plant_text = servo_set_text(servos, setup.robot.joint_names);
  place.behaviour = behaviour;
  vr::VirtualRobotConfig config;
  config.robot = models::with_base(setup.robot, models::BaseKind::kFixed);
  config.servos = servos;
  config.behaviour = behaviour;
  config.disturbances = on_side(c.disturbances, DisturbanceSide::kRobot);
  if (c.on == Scene::kFloor) {
    config.floor_friction = c.friction;
    config.start = lying_start(setup);
  }
  vr::VirtualRobot robot(config);
  for (const std::string& text : c.board_faults) {
    for (const auto& [board, faults] : vr::parse_placed_faults(text)) {
      robot.add_faults(board, faults);
    }
  }
  return robot;
}

RunResult run(const RunConfig& given_config, const RunHooks& given_hooks) {
  RunConfig config = given_config;
  RunHooks hooks = given_hooks;
  StopRequest own_stop;
  LiveControl own(own_stop);
  if (hooks.live == nullptr && !config.timeline.empty()) hooks.live = &own;
  config.live = hooks.live != nullptr;
  check_run_config(config);
  if (config.mode == RunMode::kStored && !given_hooks.store_motion) {
    throw ConfigError("--mode stored: this program does not write the boards' memories");
  }
  const SteadyClock stopwatch;
  const RunSetup setup = read_setup(config);
  std::error_code error;
  if (!config.replace_record && std::filesystem::exists(record_file(config), error)) {
    throw ConfigError(record_file(config).string() +
                      ": a record exists; expected another folder, or --force to replace it");
  }
  std::filesystem::create_directories(config.out_dir, error);
  if (error) {
    throw RecordError(config.out_dir.string() + ": " + error.message() +
                      "; expected a writable directory");
  }
  if (hooks.log) {
    for (const std::string& notice : setup.robot.notices) hooks.log(notice);
    for (const std::string& warning : setup.motion.warnings) hooks.log(warning);
  }
  RunResult result = config.clock == ClockKind::kVirtual ? run_in_virtual_time(setup, hooks)
                                                         : run_in_real_time(setup, hooks);
  result.wall_s = seconds(stopwatch.now_ns());
  return result;
}

}  // namespace kagami::runtime
