#include "runtime/cycle/cycle_core.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/base/errors.hpp"
#include "models/base/time.hpp"
#include "runtime/cycle/command_gap.hpp"
#include "runtime/cycle/control_stage.hpp"
#include "runtime/cycle/freshness.hpp"
#include "runtime/cycle/obedience.hpp"
#include "runtime/cycle/run_reference.hpp"
#include "runtime/cycle/shadow.hpp"
#include "runtime/cycle/state_hash.hpp"
#include "runtime/cycle/stop_confirmation.hpp"
#include "runtime/cycle/stored_start.hpp"
#include "runtime/cycle/target_gate.hpp"

namespace kagami::runtime {
namespace {

void demand(bool good, const std::string& what, double value, const std::string& expected) {
  if (good) return;
  throw ConfigError("cycle: " + what + " is " + std::to_string(value) + ", expected " + expected);
}

void check(const models::RobotDescription& robot, std::span<const motions::Motion> motions,
           const CycleConfig& config) {
  const std::size_t joints = robot.wiring.joints.size();
  demand(joints >= 1 && joints <= kMaxJoints, "number of joints", static_cast<double>(joints),
         "1.." + std::to_string(kMaxJoints));
  for (const motions::Motion& motion : motions) {
    demand(motion.joints.size() == joints, "number of joints of the motion",
           static_cast<double>(motion.joints.size()), std::to_string(joints) + ": bind it first");
  }
  demand(config.period_ns >= 100'000 && config.period_ns <= 100'000'000, "period_ns",
         static_cast<double>(config.period_ns), "1e5..1e8 ns");
  demand(config.read_every >= 0, "read_every", config.read_every, "0 = off or a number of rounds");
  demand(config.stale_ns > 0, "stale_ns", static_cast<double>(config.stale_ns), "more than 0");
  demand(config.round_limit_ns >= 0, "round_limit_ns", static_cast<double>(config.round_limit_ns),
         "at least 0");
  demand(config.dt_max_ns >= config.period_ns, "dt_max_ns", static_cast<double>(config.dt_max_ns),
         "at least a period");
  demand(config.stall_ns > config.period_ns, "stall_ns", static_cast<double>(config.stall_ns),
         "more than a period");
  demand(config.substeps_max >= 2, "substeps_max", config.substeps_max, "at least 2");
  demand(config.stored_slot < 40, "stored_slot", config.stored_slot, "0..39");
  demand(config.sit_speed_code < kSpeedCodes, "sit_speed_code", config.sit_speed_code, "0..7");
  demand(config.slow_down_time > 0.0 && config.slow_down_time <= 10.0, "slow_down_time",
         config.slow_down_time, "0..10 s");
}

constexpr std::uint32_t kMaxStepMs = 60'000;  // requested at once

}  // namespace

struct CycleCore::State {
  State(const models::RobotDescription& robot, std::span<const motions::Motion> motions,
        const CycleConfig& configuration, const control::ControllerFactory& controllers)
      : config(configuration),
        num_joints(static_cast<int>(robot.wiring.joints.size())),
        num_boards(static_cast<int>(robot.wiring.boards.size())),
        reference(robot, motions, configuration),
        gate(robot, configuration),
        shadow(robot, configuration),
        freshness(robot.wiring, configuration),
        obedience(robot.wiring, configuration) {
    if (!configuration.control.gains.empty() || configuration.control.live) {
      control.emplace(robot, motions.front(), configuration, controllers);
    }
  }

  [[nodiscard]] std::int64_t advance_time(const CycleInput& in, EventList& events) noexcept;
  void take_inputs(const CycleInput& in, EventList& events) noexcept;
  void take_tuning(const CycleInput& in, EventList& events) noexcept;
  [[nodiscard]] ControlDemand step_control(const CycleInput& in, double dt, const CycleOutput& out,
                                           EventList& events) noexcept;
  [[nodiscard]] JointArray<double> choose_target(const CycleInput& in, double dt,
                                                 const ControlDemand& demand,
                                                 EventList& events) noexcept;
  void pass_gate(const CycleInput& in, const JointArray<double>& target,
                 EventList& events) noexcept;
  [[nodiscard]] bool read_positions(const drivers::ServoSample& sample) const noexcept;
  void write_reference(CycleOutput& out) const noexcept;
  void write_control(CycleOutput& out) const noexcept;
  [[nodiscard]] bool confirms(const drivers::ServoTargets& targets,
                              const drivers::ServoSample& sample,
                              std::int64_t at_ns) const noexcept;
  void supervise(const CycleInput& in, CycleOutput& out, EventList& events) noexcept;

  CycleConfig config;
  int num_joints = 0;
  int num_boards = 0;
  RunReference reference;
  TargetGate gate;
  Shadow shadow;
  Freshness freshness;
  Obedience obedience;
  std::optional<ControlStage> control;
  StopConfirmation confirmation;
  StoredStart stored_start;
  CommandGap gap;

  std::int64_t now_ns = 0;
  std::uint64_t steps = 0;
  std::uint64_t tuning_version = 0;  // taken
  std::uint64_t tuning_seen = 0;     // taken or refused
  std::int64_t tuning_tick = -1;
  std::uint32_t plays = 0;  // of the tuning taken last, like all below
  std::uint32_t tests = 0;
  std::uint32_t stepped_ms = 0;
  bool loop = false;
  std::uint64_t events_lost = 0;
  StateHash hash;
};

CycleCore::CycleCore(const models::RobotDescription& robot, const motions::Motion& motion,
                     const CycleConfig& config, const control::ControllerFactory& controllers,
                     std::span<const motions::Motion> further) {
  std::vector<motions::Motion> motions{motion};
  motions.insert(motions.end(), further.begin(), further.end());
  check(robot, motions, config);
  state_ = std::make_unique<State>(robot, motions, config, controllers);
  state_->loop = config.play.loop;
}
CycleCore::~CycleCore() = default;
CycleCore::CycleCore(CycleCore&&) noexcept = default;

void CycleCore::hand_over(std::unique_ptr<ControllerInstance> unit) noexcept {
  if (state_->control) state_->control->hand_over(std::move(unit));
}

std::unique_ptr<ControllerInstance> CycleCore::take_back() noexcept {
  return state_->control ? state_->control->take_back() : nullptr;
}

bool CycleCore::has_control() const noexcept {
  return state_->control.has_value();
}

std::vector<ControllerDescription> CycleCore::controllers() const {
  return state_->control ? state_->control->describe_all() : std::vector<ControllerDescription>{};
}

const Obedience& CycleCore::obedience() const noexcept {
  return state_->obedience;
}

bool CycleCore::confirms(const drivers::ServoTargets& targets, const drivers::ServoSample& sample,
                         std::int64_t now_ns) const noexcept {
  return state_->confirms(targets, sample, now_ns);
}

int CycleCore::board_without_start() const noexcept {
  return state_->stored_start.failed_board();
}

bool CycleCore::was_late() const noexcept {
  return state_->freshness.was_late();
}

int CycleCore::num_joints() const noexcept {
  return state_->num_joints;
}

double CycleCore::total_duration() const noexcept {
  return state_->reference.total_duration();
}

void CycleCore::step(const CycleInput& in, CycleOutput& out) noexcept {
  step(in, out, CycleProbe{});
}

void CycleCore::step(const CycleInput& in, CycleOutput& out, const CycleProbe& probe) noexcept {
  State& s = *state_;
  out = CycleOutput{};
  EventList events(out, in.tick, s.events_lost);

  // newest sample, tuning, stop; the first complete reading starts everything
  const std::int64_t dt_ns = s.advance_time(in, events);
  const double dt = seconds(std::min(dt_ns, s.config.dt_max_ns));
  s.take_inputs(in, events);
  probe(CyclePart::kInputs);

  // where the robot shall be
  s.reference.step(dt, in.sample, events);
  probe(CyclePart::kPlayer);

  // the shadow model of the commands that the boards acknowledged, compared with the readings
  if (s.shadow.is_running()) {
    s.shadow.follow(in.sample);
    s.shadow.advance(in.now_ns, in.sample, events);
  }
  probe(CyclePart::kShadow);
  s.shadow.compare(in.now_ns, in.sample, out);
  if (s.obedience.check_readings(in, out, {s.shadow.commanded(), s.gate.sent()}, events)) {
    s.reference.fault(events);
  }
  if (s.stored_start.has_failed(s.gate.targets(), in.sample, s.num_boards, in.now_ns, events)) {
    s.reference.fault(events);
  }
  probe(CyclePart::kAlignment);

  // what the controller makes of it
  const ControlDemand demand = s.step_control(in, dt, out, events);
  if (demand.failed) s.reference.fault(events);
  const JointArray<double> target = s.choose_target(in, dt, demand, events);
  s.write_control(out);
  probe(CyclePart::kControl);

  // what may go to the boards
  s.pass_gate(in, target, events);
  s.obedience.check_standing(is_at_rest(phase_of(s.reference.state())), out.fell, events);
  probe(CyclePart::kSafety);

  s.write_reference(out);
  s.supervise(in, out, events);
  out.targets.read_positions = s.read_positions(in.sample);
  out.steps = s.steps;
  out.tuning_version = s.tuning_version;
  out.tuning_tick = s.tuning_tick;
  out.tuning_seen = s.tuning_seen;
  out.motion = s.reference.motion();
  out.paused = s.reference.is_paused();
  out.reverse = s.reference.is_reversed();
  out.test = s.reference.test_stage();
  out.events_lost = s.events_lost;
  add_to_hash(out, s.num_joints, s.hash);
  out.state_hash = s.hash.value();
  probe(CyclePart::kOutputs);
}

std::int64_t CycleCore::State::advance_time(const CycleInput& in, EventList& events) noexcept {
  const bool first = steps == 0;
  if (first) {
    shadow.disturb_from(in.now_ns);
    if (control) control->disturb_from(in.now_ns);
  }
  // a stopped clock gives no time to play; it never runs back
  const std::int64_t dt_ns =
      first ? config.period_ns : std::max<std::int64_t>(1, in.now_ns - now_ns);
  if (!first && dt_ns > config.stall_ns) events.add(EventCode::kStall, seconds(dt_ns));
  now_ns = in.now_ns;
  ++steps;
  return dt_ns;
}

void CycleCore::State::take_inputs(const CycleInput& in, EventList& events) noexcept {
  if (in.stop == StopLevel::kNone) reference.rearm();
  if (in.tuning_is_new && in.tuning.version != tuning_version) take_tuning(in, events);
  freshness.take(in);

  const bool may_start = reference.state() == RunState::kWaiting && in.stop == StopLevel::kNone;
  if (may_start && freshness.is_complete(in)) {
    shadow.start(in.sample, in.now_ns);
    reference.start(in.sample.angle, events);
    freshness.start(in);
    if (control) control->start(in.sample, in.now_ns);
  }
  reference.request_stop(in.stop, events);
  if (freshness.watch(in, events)) reference.fault(events);
}

// all of it or nothing
void CycleCore::State::take_tuning(const CycleInput& in, EventList& events) noexcept {
  const Tuning& t = in.tuning;
  if (control && t.num_values > 0) {
    if (t.layout != control->layout()) return;  // it was made before a controller came
    RefusedValue refused;
    if (!control->tune(t, refused)) {
      tuning_seen = t.version;
      events.add(EventCode::kTuningRefused, refused.value, refused.place);
      return;
    }
  }
  tuning_version = tuning_seen = t.version;
  tuning_tick = in.tick;
  events.add(EventCode::kTuningApplied, static_cast<double>(t.version));

  if (std::isfinite(t.speed)) reference.set_speed(std::clamp(t.speed, 0.1, 2.0));
  if (control) control->choose(t.controller);
  if (t.loop != loop) reference.set_loop(t.loop);
  reference.set_paused(t.paused, events);
  reference.set_reversed(t.reverse, events);
  if (t.plays != plays) reference.play(t.motion, in.stop, events);
  if (t.tests != tests) reference.begin_test(t.test, in.stop, events);
  const std::uint32_t ms = t.stepped_ms - stepped_ms;  // also beyond 2^32
  if (ms > 0 && ms <= kMaxStepMs) reference.advance_paused(ms * 1e-3);
  loop = t.loop;
  plays = t.plays;
  tests = t.tests;
  stepped_ms = t.stepped_ms;
}

ControlDemand CycleCore::State::step_control(const CycleInput& in, double dt,
                                             const CycleOutput& out, EventList& events) noexcept {
  if (!control) return {};
  return control->step({.in = in,
                        .dt = dt,
                        .out = out,
                        .reference = reference.command(),
                        .sent = gate.sent(),
                        .has_begun = gate.has_begun(),
                        .streams = reference.streams(),
                        .state = reference.state(),
                        .test = reference.test_stage(),
                        .test_drives = reference.test_drives()},
                       events);
}

// arbitration: a relay before the controller, the controller before the motion; a stop for a fault
// is effective in the tick that finds it
JointArray<double> CycleCore::State::choose_target(const CycleInput& in, double dt,
                                                   const ControlDemand& demand,
                                                   EventList& events) noexcept {
  if (reference.state() == RunState::kFaultStopping && reference.streams()) return gate.sent();
  JointArray<double> target = reference.command().target;
  if (demand.target && follows_reference(reference.state())) target = *demand.target;
  reference.apply_relay(dt, in.sample, target, events);
  return target;
}

void CycleCore::State::pass_gate(const CycleInput& in, const JointArray<double>& target,
                                 EventList& events) noexcept {
  const motions::PlayCommand& command = reference.command();
  const bool passed = gate.pass({.state = reference.state(),
                                 .target = target,
                                 .measured = reference.measured(),
                                 .is_new = command.target_is_new,
                                 .streams = reference.streams(),
                                 .speed_code = command.speed_code,
                                 .dt = reference.dt(),
                                 .plays_stored = command.plays_stored},
                                in.tick, events);
  reference.finish_tick({.sent = gate.sent(),
                         .has_begun = gate.has_begun(),
                         .has_released = gate.has_released(),
                         .is_refused = !passed},
                        events);
  obedience.check_gate({.pass = gate.has_begun() && follows_reference(reference.state()),
                        .reference = command.q_ref,
                        .requested = target,
                        .passed = gate.sent()},
                       events);
}

bool CycleCore::State::read_positions(const drivers::ServoSample& sample) const noexcept {
  // an answer is what confirms a stop, also where readings are off
  if (!shadow.is_running() || has_stopped(reference.state())) return true;
  if (config.read_every == 0) return false;
  // the round that starts next takes these targets
  return (sample.round + 1) % static_cast<std::uint64_t>(config.read_every) == 0;
}

void CycleCore::State::write_reference(CycleOutput& out) const noexcept {
  const motions::PlayCommand& command = reference.command();
  out.targets = gate.targets();
  std::copy_n(command.q_ref.begin(), num_joints, out.q_ref.begin());
  std::copy_n(command.qd_ref.begin(), num_joints, out.qd_ref.begin());
  out.phase = phase_of(reference.state());
  out.state = group_of(reference.state());
  out.motion_time = command.motion_time;
  out.progress = command.progress;
}

bool CycleCore::State::confirms(const drivers::ServoTargets& targets,
                                const drivers::ServoSample& sample,
                                std::int64_t at_ns) const noexcept {
  if (!all_boards_confirm(targets, sample, num_boards, at_ns)) return false;
  // boards that acknowledge a position may go on with their stored motion
  return config.stored.is_empty() || readings_confirm(targets, sample, num_boards, num_joints);
}

void CycleCore::State::supervise(const CycleInput& in, CycleOutput& out,
                                 EventList& events) noexcept {
  out.confirmed = confirms(out.targets, in.sample, in.now_ns);
  gap.step(out.targets, in.sample, num_boards, in.now_ns, events);
  out.longest_command_gap = seconds(gap.longest_ns());
  confirmation.step(has_stopped(reference.state()), out.targets.sequence, out.confirmed, in.now_ns,
                    events);
}

void CycleCore::State::write_control(CycleOutput& out) const noexcept {
  if (control) return control->write(out);
  out.q_loop = unknown_joints(num_joints);
  out.control = out.q_loop;
}

}  // namespace kagami::runtime
