// Events and the end of a run against what its record shows on the line.
#include <algorithm>
#include <cmath>
#include <set>

#include "models/base/time.hpp"
#include "runtime/test/support/line_audit.hpp"

namespace kagami::test {
namespace {

using runtime::CycleRecord;
using runtime::EventCode;
using runtime::RunEnd;
using runtime::StopLevel;

constexpr std::int64_t kStallNs = 15'000'000;  // CycleConfig::stall_ns
constexpr std::int64_t kStaleNs = 300'000'000;
constexpr std::int64_t kHeardNs = 200'000'000;

std::string at(std::int64_t ns) {
  return " at " + std::to_string(seconds(ns)) + " s";
}

/// Codes that a healthy robot and motion bring up by themselves, and those that are judged below
/// or in check_gaps.
bool is_expected(EventCode code) {
  static const std::set<EventCode> kCodes{EventCode::kStarted,
                                          EventCode::kMotionBegan,
                                          EventCode::kMotionEnded,
                                          EventCode::kStopRequested,
                                          EventCode::kHeld,
                                          EventCode::kReleased,
                                          EventCode::kSampleStale,
                                          EventCode::kSampleBack,
                                          EventCode::kStall,
                                          EventCode::kStopConfirmed,
                                          EventCode::kStopUnconfirmed,
                                          EventCode::kCommandGap,
                                          EventCode::kCommandGapEnded,
                                          EventCode::kComputerLate,
                                          EventCode::kComputerBack};
  return kCodes.count(code) > 0;
}

/// Time within [from_ns, to_ns] in which no cycle ran.
std::int64_t stalled_ns(const AuditedRun& run, std::int64_t from_ns, std::int64_t to_ns) {
  std::int64_t sum_ns = 0;
  for (std::size_t k = 1; k < run.rows.size(); ++k) {
    const std::int64_t begin_ns = run.rows[k - 1].in.now_ns;
    const std::int64_t end_ns = run.rows[k].in.now_ns;
    if (end_ns - begin_ns <= kStallNs) continue;
    sum_ns += std::max<std::int64_t>(0, std::min(end_ns, to_ns) - std::max(begin_ns, from_ns));
  }
  return sum_ns;
}

void check_stalls(const AuditedRun& run, Findings& findings) {
  std::size_t stalls = 0;
  for (std::size_t k = 1; k < run.rows.size(); ++k) {
    const std::int64_t gap_ns = run.rows[k].in.now_ns - run.rows[k - 1].in.now_ns;
    if (gap_ns > kStallNs) ++stalls;
  }
  const std::size_t events = events_of(run, EventCode::kStall).size();
  if (events != stalls) {
    findings.push_back(std::to_string(stalls) + " stalls and " + std::to_string(events) +
                       " events of them");
  }
}

/// Times of a board's readings: surely good, or perhaps.
std::vector<std::int64_t> readings(const AuditedRun& run, int board, bool surely) {
  std::vector<std::int64_t> times;
  for (const Exchange& e : run.exchanges) {
    if (e.board != board || e.command != 0xFC) continue;
    if (surely ? e.is_reading() : e.answer.size() >= 14) times.push_back(e.at_ns);
  }
  return times;
}

std::int64_t last_before(const std::vector<std::int64_t>& times, std::int64_t at_ns) {
  const auto next = std::upper_bound(times.begin(), times.end(), at_ns);
  return next == times.begin() ? 0 : *(next - 1);
}

int polled(const AuditedRun& run, int board, std::int64_t from_ns, std::int64_t to_ns) {
  return static_cast<int>(std::count_if(
      run.exchanges.begin(), run.exchanges.end(),
      [&](const Exchange& e) { return e.board == board && e.at_ns > from_ns && e.at_ns < to_ns; }));
}

/// A stale reading is a board's that was polled and did not answer, and the other way round.
void check_silence(const AuditedRun& run, const AuditLimits& limits, Findings& findings) {
  const std::vector<TimedEvent> stale = events_of(run, EventCode::kSampleStale);
  const std::vector<TimedEvent> started = events_of(run, EventCode::kStarted);
  if (started.empty()) return;
  const std::int64_t end_ns = run.rows.back().in.now_ns;
  for (const TimedEvent& e : stale) {
    bool has_cause = false;
    for (int b = 0; b < run.calibration.num_boards(); ++b) {
      // what the round under way has read is not known yet
      const std::int64_t last_ns = last_before(readings(run, b, true), e.at_ns - limits.slack_ns);
      const std::int64_t silent_ns = e.at_ns - last_ns - stalled_ns(run, last_ns, e.at_ns);
      has_cause |= silent_ns > kStaleNs - limits.slack_ns && polled(run, b, last_ns, e.at_ns) >= 3;
    }
    if (!has_cause) findings.push_back("sample_stale without a silent board" + at(e.at_ns));
  }
  for (int b = 0; b < run.calibration.num_boards(); ++b) {
    std::vector<std::int64_t> times = readings(run, b, false);
    times.push_back(end_ns);
    std::int64_t before_ns = started.front().at_ns;
    for (const std::int64_t t : times) {
      const std::int64_t silent_ns = t - before_ns - stalled_ns(run, before_ns, t);
      const bool noticed = std::any_of(stale.begin(), stale.end(), [&](const TimedEvent& e) {
        return e.at_ns <= t + limits.slack_ns;
      });
      if (silent_ns > kStaleNs + 3 * limits.slack_ns && polled(run, b, before_ns, t) > 6 &&
          !noticed) {
        findings.push_back("board " + std::to_string(b) + " was silent for " +
                           std::to_string(silent_ns / 1'000'000) + " ms without an event" +
                           at(before_ns));
      }
      before_ns = std::max(before_ns, t);
    }
  }
}

/// The line of a computer that is late carries no questions, and the other way round.
void check_lateness(const AuditedRun& run, const AuditLimits& limits, Findings& findings) {
  const std::vector<TimedEvent> late = events_of(run, EventCode::kComputerLate);
  const std::vector<TimedEvent> started = events_of(run, EventCode::kStarted);
  if (started.empty()) return;
  for (const TimedEvent& e : late) {
    bool has_cause = false;
    for (int b = 0; b < run.calibration.num_boards(); ++b) {
      has_cause |= polled(run, b, e.at_ns - kHeardNs, e.at_ns - limits.slack_ns) < 3;
    }
    if (!has_cause)
      findings.push_back("computer_late although the boards were polled" + at(e.at_ns));
  }
  std::int64_t before_ns = started.front().at_ns;
  for (const Exchange& e : run.exchanges) {
    if (e.at_ns < before_ns) continue;
    const std::int64_t quiet_ns = e.at_ns - before_ns - stalled_ns(run, before_ns, e.at_ns);
    const auto is_inside = [&](const TimedEvent& event) {
      return event.at_ns > before_ns && event.at_ns <= e.at_ns + limits.slack_ns;
    };
    const std::vector<TimedEvent> stale = events_of(run, EventCode::kSampleStale);
    if (quiet_ns > kStaleNs + 3 * limits.slack_ns && stale.empty() &&
        std::none_of(late.begin(), late.end(), is_inside)) {
      findings.push_back("no question for " + std::to_string(quiet_ns / 1'000'000) +
                         " ms without an event" + at(before_ns));
    }
    before_ns = e.at_ns;
  }
}

bool is_heard(const AuditedRun& run, int board, std::int64_t from_ns, std::int64_t to_ns) {
  return std::any_of(run.exchanges.begin(), run.exchanges.end(), [&](const Exchange& e) {
    return e.board == board && e.at_ns >= from_ns && e.at_ns <= to_ns &&
           (e.is_acknowledged() || e.is_reading() || e.says_asleep());
  });
}

/// It left questions unanswered lately: what it was sent meanwhile, it may have done or forgotten.
bool was_silent(const AuditedRun& run, int board, std::int64_t at_ns) {
  constexpr std::int64_t kLatelyNs = 1'000'000'000;
  int unanswered = 0;
  for (const Exchange& e : run.exchanges) {
    if (e.board != board || e.at_ns < at_ns - kLatelyNs || e.at_ns > at_ns) continue;
    unanswered = e.answer.empty() ? unanswered + 1 : 0;
    if (unanswered >= 3) return true;
  }
  return false;
}

bool is_restart(EventCode code) {
  return code == EventCode::kBoardRestarted || code == EventCode::kBoardRestartEnded;
}

void check_confirmation(const AuditedRun& run, const AuditLimits& limits, Findings& findings) {
  if (!run.result.stop_confirmed.value_or(false)) return;
  const std::int64_t end_ns = run.rows.back().in.now_ns;
  const bool sleeps = run.rows.back().out.targets.mode == drivers::TargetMode::kSleep;
  for (int b = 0; b < run.calibration.num_boards(); ++b) {
    const std::string board = "confirmed, but board " + std::to_string(b);
    const std::int64_t since_ns = end_ns - kHeardNs - limits.slack_ns;
    if (!is_heard(run, b, since_ns - stalled_ns(run, since_ns, end_ns), end_ns + kHeardNs)) {
      findings.push_back(board + " was not heard");
    }
    bool good = false;
    for (const Exchange& e : run.exchanges) {
      if (e.board != b) continue;
      if (sleeps) good |= e.says_asleep() && e.at_ns > since_ns;
      if (!sleeps && e.sets_positions()) good = !e.answer.empty();
    }
    if (!good) findings.push_back(board + " did not acknowledge");
  }
}

void check_end(const AuditedRun& run, Findings& findings) {
  const StopLevel stop = run.rows.back().in.stop;
  const bool silent = !events_of(run, EventCode::kSampleStale).empty();
  const bool faulty = run.rows.back().out.state == runtime::SupervisorState::kFault;
  const RunEnd end = run.result.end;
  bool fits = end == RunEnd::kCompleted;
  if (stop != StopLevel::kNone) {
    fits = end == RunEnd::kInterrupted;
  } else if (faulty) {
    // over at the end: the cause is in the events
    fits = end == RunEnd::kSafetyStop || (silent && end == RunEnd::kLinkLost);
  }
  if (!fits)
    findings.push_back("end " + std::to_string(static_cast<int>(end)) + ": " + run.result.end_text);
  const bool causes_hold = silent || !events_of(run, EventCode::kComputerLate).empty() ||
                           !events_of(run, EventCode::kBoardRestarted).empty();
  if (faulty && !causes_hold) findings.push_back("a fault without its event");
  std::set<StopLevel> levels;
  for (const CycleRecord& row : run.rows) levels.insert(row.in.stop);
  levels.erase(StopLevel::kNone);
  if (events_of(run, EventCode::kStopRequested).size() != levels.size()) {
    findings.push_back("stop_requested does not fit the stops");
  }
}

}  // namespace

void check_events(const AuditedRun& run, const AuditLimits& limits, Findings& findings) {
  for (const CycleRecord& row : run.rows) {
    for (int k = 0; k < row.out.num_events; ++k) {
      const runtime::Event& event = row.out.events[static_cast<std::size_t>(k)];
      if (is_expected(event.code)) continue;
      if (is_restart(event.code) && was_silent(run, event.joint, row.in.now_ns)) continue;
      findings.push_back(std::string(runtime::event_name(event.code)) + " of " +
                         std::to_string(event.joint) + " without a cause" + at(row.in.now_ns));
    }
  }
  check_stalls(run, findings);
  check_silence(run, limits, findings);
  check_lateness(run, limits, findings);
  check_confirmation(run, limits, findings);
  check_end(run, findings);
}

}  // namespace kagami::test
