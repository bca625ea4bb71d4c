// What a run measured, put together after its end.
#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "drivers/rcb1/turnaround.hpp"
#include "models/base/angle.hpp"
#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/hash.hpp"
#include "models/base/time.hpp"
#include "runtime/app/live_run.hpp"
#include "runtime/cycle/freshness.hpp"
#include "runtime/cycle/obedience.hpp"
#include "runtime/cycle/stop_confirmation.hpp"

namespace kagami::runtime {
namespace {

constexpr double kAcknowledgeBytes = 2.0;
constexpr double kReadingBytes = 14.0;

Durations durations(const Histogram& h) {
  constexpr double kMicro = 1e-3;  // ns to us
  return {.p50 = static_cast<double>(h.quantile_ns(0.50)) * kMicro,
          .p99 = static_cast<double>(h.quantile_ns(0.99)) * kMicro,
          .max = static_cast<double>(h.max_ns()) * kMicro,
          .histogram = {}};
}

Durations with_histogram(const Histogram& h) {
  Durations d = durations(h);
  for (const Histogram::Bar& bar : h.bars()) {
    d.histogram.emplace_back(static_cast<double>(bar.upper_ns) * 1e-3, bar.count);
  }
  return d;
}

double bytes_seconds(const LineUse& use) {
  const auto bytes = static_cast<double>(use.moved.bytes_out + use.moved.bytes_in);
  return bytes * static_cast<double>(drivers::rcb1::kByteTimeNs) * kSecondsPerNs;
}

// how long the virtual boards were configured to wait; the answers' bytes tell readings and
// acknowledgements apart
double boards_seconds(const LineUse& use, const RunPlace& place) {
  if (place.plant_text.empty()) return 0.0;
  const auto answered = static_cast<double>(use.moved.answered);
  const auto bytes_in = static_cast<double>(use.moved.bytes_in);
  const double readings =
      (bytes_in - kAcknowledgeBytes * answered) / (kReadingBytes - kAcknowledgeBytes);
  return readings * place.behaviour.read_latency +
         (answered - readings) * place.behaviour.acknowledge_latency;
}

LineResult line_result(const LiveRun& run, const RunPlace& place, double run_s, bool is_virtual) {
  LineResult r{};
  r.counters = run.serial.sample().counters;
  r.lost_frames = run.port.lost_frames();
  r.longest_command_gap_s = run.runner.last_output().longest_command_gap;
  const LineUse& busy = run.serial.busy();
  r.cycles = busy.rounds;
  if (run_s > 0.0) r.utilisation = bytes_seconds(busy) / run_s;

  // rates over complete rounds where there were any: a round that only reads is shorter
  const LineUse& use = run.serial.full().rounds > 0 ? run.serial.full() : busy;
  const double all_s = seconds(use.ns);
  if (use.rounds == 0 || all_s <= 0.0) return r;
  const auto rounds = static_cast<double>(use.rounds);
  const double bytes_s = bytes_seconds(use);
  const double boards_s = boards_seconds(use, place);
  // the thread also works while bytes are on the wire: only what exceeds their time is lost
  const double lost_s = std::max(0.0, all_s - bytes_s - boards_s);
  const double processor_s = seconds(use.processor_ns);
  const double library_s = is_virtual ? 0.0 : std::min(processor_s, lost_s);
  r.cycle_hz = rounds / all_s;
  r.limit_hz = rounds / (bytes_s + boards_s);
  r.bytes_limit_hz = rounds / bytes_s;
  r.shares = {
      .bytes = bytes_s / all_s,
      .boards = place.plant_text.empty() ? std::nullopt : std::optional<double>(boards_s / all_s),
      .library = library_s / all_s,
      .waking = (lost_s - library_s) / all_s};
  return r;
}

// "board 1", "boards 0 and 1": those for which `is` holds, by their ids; empty: none
std::string boards_text(const LiveRun& run, const std::function<bool(int)>& is) {
  std::string text;
  int count = 0;
  for (int b = 0; b < run.link.num_boards(); ++b) {
    if (!is(b)) continue;
    const int id = run.link.wiring().boards[static_cast<std::size_t>(b)].id;
    text += (count++ == 0 ? "" : " and ") + std::to_string(id);
  }
  return count == 0 ? "" : (count == 1 ? "board " : "boards ") + text;
}

std::string unconfirmed_boards(const LiveRun& run) {
  return boards_text(run, [&](int b) {
    return !board_confirms(b, run.runner.last_output().targets, run.serial.sample(),
                           run.runner.last_input().now_ns);
  });
}

std::string stop_text(const LiveRun& run, const RunResult& r) {
  if (!r.stop_confirmed.has_value()) return "stopped before anything was sent";
  const bool releases = r.sleep_confirmed.has_value();
  const bool confirmed = releases ? *r.sleep_confirmed : *r.stop_confirmed;
  if (confirmed) {
    return std::string("stopped; the servos ") + (releases ? "are released" : "hold") +
           ", all boards confirmed";
  }
  const std::string boards = unconfirmed_boards(run);
  return std::string("stopped; ") + (releases ? "release" : "hold") +
         " requested and NOT confirmed" + (boards.empty() ? "" : " by " + boards);
}

// the readings with which a motion begins did not come: what came in their place
std::string no_start_text(const LiveRun& run) {
  const drivers::LineCounters& now = run.serial.sample().counters;
  const drivers::LineCounters& start = run.serial.start();
  const auto damaged = [](const drivers::LineCounters& c) {
    return c.bad_sum + c.bad_reply + c.short_reply;
  };
  const bool is_late = now.late > start.late;
  const std::uint64_t num_damaged = damaged(now) - damaged(start);
  if (!is_late && num_damaged == 0 && now.answered == start.answered) {
    return "the boards never answered";
  }
  const std::string boards = boards_text(run, [&](int b) {
    return run.serial.sample().reading[static_cast<std::size_t>(b)].sampled_ns < 0;
  });
  std::string missing = "no usable reading came from " + boards;
  if (is_late) {
    return missing + ": answers came after the limit of 30 ms. Is an adapter or a network slow?";
  }
  if (num_damaged == 0) return missing;
  return missing + ": " + std::to_string(num_damaged) +
         " answers were damaged or incomplete. Check the cable";
}

std::string reason_to_hold(const LiveRun& run, bool is_silent) {
  const std::string unstarted =
      boards_text(run, [&](int b) { return b == run.core.board_without_start(); });
  if (!unstarted.empty()) {
    return unstarted +
           " did not acknowledge the start of the stored motion; the last command holds";
  }
  if (is_silent) return kBusyComputer;
  if (run.core.was_late()) {
    return "this computer did not ask the boards for more than a second; the last command holds";
  }
  return "a fault that is over made the robot hold; see the events";
}

// nothing was requested, and the run did not reach its end
void describe_silence(const LiveRun& run, const RunPlace& place, RunResult& r) {
  const drivers::ServoSample& sample = run.serial.sample();
  const std::string silent = boards_text(run, [&](int b) {
    const auto i = static_cast<std::size_t>(b);
    return sample.reading[i].failed + sample.command[i].failed >= Freshness::kFailed;
  });
  if (!silent.empty() && !place.serves_boards) {
    r.end = RunEnd::kLinkLost;
    r.end_text = silent + " fell silent; the last command holds. Check the cable and the supply";
    return;
  }
  r.end = RunEnd::kSafetyStop;
  r.end_text = reason_to_hold(run, !silent.empty());
}

void describe_end(const LiveRun& run, const RunPlace& place, RunResult& r) {
  const CycleOutput& out = run.runner.last_output();
  const StopLevel stop = run.runner.last_input().stop;
  const drivers::ServoSample& sample = run.serial.sample();
  const auto end = [&r](RunEnd kind, const char* text) {
    r.end = kind;
    r.end_text = text;
  };
  if (out.phase == Phase::kReleased || out.phase == Phase::kReleasing) {
    r.sleep_confirmed = sample.sleep_confirmed;
  }
  const bool stopped = out.phase == Phase::kHeld || r.sleep_confirmed.has_value();
  if (stopped && out.targets.sequence > 0) {
    // the last round may have come after the last tick
    r.stop_confirmed = run.core.confirms(out.targets, sample, run.runner.last_input().now_ns);
  }
  if (sample.port_gone) return end(RunEnd::kLinkLost, "the port is gone");
  if (out.phase == Phase::kRefused) {
    return end(RunEnd::kSafetyStop, "the start was refused; nothing was sent");
  }
  if (stop != StopLevel::kNone) {
    r.end = RunEnd::kInterrupted;
    r.end_text = stop_text(run, r);
    if (run.runner.stopped_itself()) {
      end(RunEnd::kSafetyStop, "a whole period was missed and the policy is stop; the servos hold");
    }
    return;
  }
  if (out.control_status != control::ControlStatus::kOk) {
    r.end = RunEnd::kSafetyStop;
    r.end_text = std::string("the controller gave up (") + control::name(out.control_status) +
                 "); the servos hold";
    return;
  }
  if (const auto fault = holding_fault(r.faults); fault && out.phase != Phase::kDone) {
    r.end = RunEnd::kSafetyStop;
    r.end_text = "the readings are not reliable (" + *fault + "); the servos hold";
    return;
  }
  if (out.phase == Phase::kDone) return end(RunEnd::kCompleted, "the motion was played to its end");
  if (out.phase == Phase::kWaiting) {
    if (place.serves_boards) return end(RunEnd::kSafetyStop, kBusyComputer);
    r.end = RunEnd::kLinkLost;
    r.end_text = no_start_text(run);
    return;
  }
  describe_silence(run, place, r);
}

std::optional<ControlResult> control_result(const LiveRun& run, const RunSetup& setup) {
  if (setup.gains_text.empty()) return std::nullopt;
  const ConfigDocument gains = ConfigDocument::parse(setup.gains_text, kGainsAttachment);
  const ControlStatistics& seen = run.recorder.control();
  return ControlResult{.controller = control::controller_of(gains),
                       .gains = gains.root().text_or("name", ""),
                       .gains_hash = hex_text(text_hash(setup.gains_text)),
                       .status = control::name(run.runner.last_output().control_status),
                       .led_s = static_cast<double>(seen.cycles()) *
                                static_cast<double>(setup.cycle.period_ns) * kSecondsPerNs,
                       .saturation = seen.saturation()};
}

void add_bases(const CycleOutput& out, const drivers::virtual_robot::VirtualRobot* robot,
               RunResult& r) {
  if (std::isfinite(out.base.x)) {
    r.fell_shadow = out.fell;
    r.base_shadow = {.x_m = out.base.x, .y_m = out.base.y, .heading_deg = to_deg(out.base.heading)};
  }
  if (robot == nullptr) return;
  const drivers::virtual_robot::PlantBase base = robot->plant_base();
  r.fell_robot = base.fell;
  r.base_robot = {.x_m = base.x, .y_m = base.y, .heading_deg = to_deg(base.heading)};
}

void add_faults(const Obedience& obedience, const std::vector<std::string>& joint_names,
                RunResult& r) {
  r.faults = robot_faults(obedience, joint_names);
  for (int j = 0; j < obedience.num_joints(); ++j) {
    r.gate_shortfall_deg.push_back(to_deg(obedience.worst_shortfall(j)));
  }
}

// ends the record; what it lacks is in the result
void close_record(LiveRun& run, RunResult& r) {
  r.refused = run.refused;
  r.longest_record_delay_s = seconds(run.recorder.longest_delay_ns());
  const bool is_closed =
      run.recorder.close(run_result_json(r).dump(1) + "\n", static_cast<std::uint64_t>(r.ticks));
  r.record = run.recorder.file();
  const std::uint64_t lost_in_queue = r.lost_records;
  const WriterCounters& written = run.recorder.counters();
  r.lost_records += written.lost_messages;
  r.record_complete =
      is_closed && r.lost_records == 0 && r.lost_events == 0 && written.lost_attachments == 0;
  if (r.record_complete) return;
  r.record_cause = run.recorder.cause();
  if (r.record_cause.empty()) {
    r.record_cause = r.record.string() + ": " + std::to_string(lost_in_queue) + " samples and " +
                     std::to_string(r.lost_events) +
                     " events are missing: the writer was late and the queue to it full";
  }
}

}  // namespace

RunResult finish(LiveRun& run, const RunSetup& setup, const RunPlace& place,
                 const drivers::virtual_robot::VirtualRobot* robot) {
  const bool is_virtual = setup.config.clock == ClockKind::kVirtual;
  const Runner& runner = run.runner;
  while (run.recorder.drain() > 0) {
  }

  RunResult r{};
  r.motion = setup.motion.name;
  r.robot = setup.config.robot;
  r.clock = is_virtual ? "virtual" : "real";
  r.on = setup.config.on == Scene::kStand ? "stand" : "floor";
  r.dynamics = models::name(setup.config.dynamics);
  add_faults(run.core.obedience(), setup.robot.joint_names, r);
  describe_end(run, place, r);
  r.duration_s =
      seconds(runner.last_input().now_ns - runner.first_tick_ns() + setup.cycle.period_ns);
  r.ticks = runner.ticker().ticks();
  r.late_ticks = runner.ticker().late();
  r.skipped_ticks = runner.ticker().skipped();
  r.state_hash = hex_text(runner.last_output().state_hash);
  add_bases(runner.last_output(), robot, r);
  if (r.fell_robot.value_or(false)) r.faults.push_back(robot_fell());
  r.cycle_us = with_histogram(runner.step_time());
  for (int i = 0; i < kNumCycleParts; ++i) {
    r.part_us[static_cast<std::size_t>(i)] = durations(runner.part_time(static_cast<CyclePart>(i)));
  }
  if (!is_virtual) r.wake_us = with_histogram(runner.wake_time());
  r.control = control_result(run, setup);
  r.line = line_result(run, place, r.duration_s, is_virtual);
  const double rms = run.recorder.residuals().rms();
  if (std::isfinite(rms)) r.running_rms_deg = to_deg(rms);
  r.lost_records = runner.counters().lost_records;
  r.lost_events = runner.counters().lost_events;
  r.realtime_granted = place.realtime_granted;
  r.realtime_why = place.realtime_why;
  if (runner.first_command_ns() >= 0) {
    r.start_to_motion_s = seconds(runner.first_command_ns());
  }
  const double memory = peak_memory_mib();
  if (memory >= 0.0) r.memory_mib = memory;
  r.record = run.recorder.file();
  close_record(run, r);
  return r;
}

}  // namespace kagami::runtime
