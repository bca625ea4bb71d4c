#include "runtime/app/run_result.hpp"

#include <array>
#include <nlohmann/json.hpp>

namespace kagami::runtime {
namespace {

using nlohmann::json;

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json durations(const std::optional<Durations>& d) {
  if (!d) return {{"p50", nullptr}, {"p99", nullptr}, {"max", nullptr}};
  json object = {{"p50", d->p50}, {"p99", d->p99}, {"max", d->max}};
  if (!d->histogram.empty()) object["histogram"] = d->histogram;
  return object;
}

json base(const BaseResult& b) {
  return {
      {"x_m", or_null(b.x_m)}, {"y_m", or_null(b.y_m)}, {"heading_deg", or_null(b.heading_deg)}};
}

json line(const LineResult& l) {
  const drivers::LineCounters& c = l.counters;
  return {{"cycles", l.cycles},
          {"cycle_hz", l.cycle_hz},
          {"limit_hz", l.limit_hz},
          {"bytes_limit_hz", l.bytes_limit_hz},
          {"utilisation", l.utilisation},
          {"shares",
           {{"bytes", l.shares.bytes},
            {"boards", or_null(l.shares.boards)},
            {"library", l.shares.library},
            {"waking", l.shares.waking}}},
          {"sent", c.sent},
          {"answered", c.answered},
          {"late", c.late},
          {"bad_sum", c.bad_sum},
          {"bad_reply", c.bad_reply},
          {"silent", c.silent},
          {"short", c.short_reply},
          {"retried", c.retried},
          {"unexpected_bytes", c.unexpected_bytes},
          {"longest_command_gap_ms", l.longest_command_gap_s * 1e3},
          {"lost_frames", l.lost_frames}};
}

json control(const std::optional<ControlResult>& c) {
  if (!c) return nullptr;
  return {{"name", c->controller}, {"gains", c->gains}, {"gains_hash", c->gains_hash},
          {"status", c->status},   {"led_s", c->led_s}, {"saturation", c->saturation}};
}

json parts(const RunResult& r) {
  constexpr std::array<const char*, kNumCycleParts> kNames = {
      "inputs", "player", "shadow", "alignment", "control", "safety", "outputs"};
  json result = json::object();
  for (std::size_t i = 0; i < kNames.size(); ++i) result[kNames[i]] = durations(r.part_us[i]);
  return result;
}

const char* end_name(RunEnd end) {
  // in the order of RunEnd
  constexpr const char* kNames[] = {"completed", "interrupted", "link lost", "safety stop"};
  return kNames[static_cast<std::size_t>(end)];
}

}  // namespace

json run_result_json(const RunResult& r) {
  return {{"schema", "kagami.run/1"},
          {"motion", r.motion},
          {"robot", r.robot},
          {"clock", r.clock},
          {"on", r.on},
          {"dynamics", r.dynamics},
          {"end", end_name(r.end)},
          {"end_text", r.end_text},
          {"outcome", name(outcome_of(r))},
          {"faults", robot_faults_json(r.faults)},
          {"duration_s", r.duration_s},
          {"ticks", r.ticks},
          {"late_ticks", r.late_ticks},
          {"skipped_ticks", r.skipped_ticks},
          {"state_hash", r.state_hash},
          {"fell", {{"shadow", or_null(r.fell_shadow)}, {"robot", or_null(r.fell_robot)}}},
          {"base", {{"shadow", base(r.base_shadow)}, {"robot", base(r.base_robot)}}},
          {"cycle_us", durations(r.cycle_us)},
          {"cycle_parts_us", parts(r)},
          {"wake_us", durations(r.wake_us)},
          {"line", line(r.line)},
          {"running_rms_deg", or_null(r.running_rms_deg)},
          {"lost_records", r.lost_records},
          {"lost_events", r.lost_events},
          {"realtime", {{"granted", r.realtime_granted}, {"why", r.realtime_why}}},
          {"start_to_motion_s", or_null(r.start_to_motion_s)},
          {"memory_mib", or_null(r.memory_mib)},
          {"controller", control(r.control)},
          {"sleep_confirmed", or_null(r.sleep_confirmed)},
          {"stop_confirmed", or_null(r.stop_confirmed)},
          {"wall_s", r.wall_s},
          {"record", r.record.string()},
          {"longest_record_delay_ms", r.longest_record_delay_s * 1e3},
          {"refused", r.refused},
          {"record_complete", r.record_complete},
          {"record_cause", r.record_cause.empty() ? json(nullptr) : json(r.record_cause)}};
}

}  // namespace kagami::runtime
