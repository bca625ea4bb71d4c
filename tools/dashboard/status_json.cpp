#include "tools/dashboard/status_json.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tools/dashboard/stamp.hpp"

namespace kagami::tools {
namespace {

using nlohmann::json;
using runtime::LiveStatus;
using runtime::Phase;
using runtime::Progress;
using runtime::StopLevel;

json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  return value;
}

json text_or_null(const std::string& text) {
  if (text.empty()) return nullptr;
  return text;
}

const char* level_name(StopLevel level) noexcept {
  // in the order of StopLevel
  constexpr const char* kNames[] = {"none", "slow", "hold", "release"};
  return kNames[static_cast<std::size_t>(level)];
}

json stop_json(const Progress& p) {
  const bool stopped = p.stop != StopLevel::kNone;
  return {{"level", level_name(p.stop)},
          {"confirmed", stopped && p.confirmed},
          {"tick", p.stop_tick >= 0 ? json(p.stop_tick) : json(nullptr)}};
}

json line_json(const runtime::LineStatistics& line) {
  return {{"cycle_hz", number(line.cycle_hz)},
          {"utilisation", number(line.utilisation)},
          {"sent", line.counters.sent},
          {"answered", line.counters.answered},
          {"late", line.counters.late},
          {"bad_sum", line.counters.bad_sum},
          {"silent", line.counters.silent},
          {"age_ms", number(line.age_ms)},
          {"short_reply", line.counters.short_reply},
          {"retried", line.counters.retried}};
}

json motion_json(const Progress& p, const LiveStatus& live, const StatusFacts& facts) {
  const auto found =
      std::find_if(facts.motions.begin(), facts.motions.end(),
                   [&](const runtime::MotionSummary& m) { return m.name == live.motion; });
  if (found == facts.motions.end()) return nullptr;
  const double share = found->duration > 0.0 ? p.motion_time / found->duration : 0.0;
  return {{"name", found->name},
          {"time_s", number(p.motion_time)},
          {"duration_s", found->duration},
          {"progress", std::clamp(share, 0.0, 1.0)},
          {"speed", live.speed},
          {"paused", live.paused},
          {"loop", live.loop},
          {"reverse", live.reverse},
          {"keyframes", found->keyframes}};
}

json gains_json(const LiveStatus& live) {
  json set = nullptr;
  if (live.set) set = *live.set == runtime::GainSet::kA ? "A" : "B";
  return {{"version", live.version},   {"written", live.written},
          {"dirty", live.dirty},       {"set", set},
          {"can_undo", live.can_undo}, {"can_redo", live.can_redo}};
}

json rollback_json(const std::optional<RollbackView>& rollback) {
  if (!rollback) return nullptr;
  return {{"joint", rollback->joint},
          {"reason", rollback->reason},
          {"tick", rollback->tick},
          {"timestamp", stamp_json(rollback->time_ns)}};
}

// how many times faster than the robot's time a cycle with its twin is computed
json realtime_factor(const Progress& p) {
  const double busy = p.rate_hz * p.loop.step_p50_us * 1e-6;
  if (!(busy > 0.0)) return nullptr;
  return number(1.0 / busy);
}

}  // namespace

const char* phase_name(Phase phase) noexcept {
  // in the order of Phase
  constexpr const char* kNames[] = {"waiting",   "lead-in",  "playing", "settling",
                                    "done",      "stopping", "held",    "released",
                                    "releasing", "sitting",  "refused", "testing"};
  return kNames[static_cast<std::size_t>(phase)];
}

json status_json(const Progress& p, const LiveStatus& live, const StatusFacts& facts,
                 std::uint64_t time_ns) {
  return {{"timestamp", stamp_json(time_ns)},
          {"tick", p.ticks},
          {"state", runtime::name(p.state)},
          {"phase", phase_name(p.phase)},
          {"confirmed", p.confirmed},
          {"reason", text_or_null(live.reason)},
          {"stop", stop_json(p)},
          {"loop",
           {{"rate_hz", number(p.rate_hz)},
            {"late_ticks", p.loop.late_ticks},
            {"skipped_ticks", p.loop.skipped_ticks},
            {"p99_us", number(p.loop.step_p99_us)},
            {"wake_p99_us", number(p.loop.wake_p99_us)}}},
          {"line", line_json(p.line)},
          {"twin_realtime_factor", realtime_factor(p)},
          {"rms_deg", number(p.rms_deg)},
          {"recording",
           {{"file", facts.record},
            {"bytes", p.recording.bytes},
            {"seconds", number(p.time_s)},
            {"lost", p.recording.lost},
            {"writing", p.recording.is_writing}}},
          {"motion", motion_json(p, live, facts)},
          {"controller", text_or_null(live.controller)},
          {"controllers", live.controllers},
          {"gains", gains_json(live)},
          {"rollback", rollback_json(facts.rollback)}};
}

}  // namespace kagami::tools
