#include "runtime/test/support/line_audit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <utility>

#include "models/base/angle.hpp"
#include "models/base/time.hpp"

namespace kagami::test {
namespace {

using drivers::ChannelCounts;
using runtime::CycleRecord;
using runtime::EventCode;

constexpr std::int64_t kPulseNs = 20'000'000;
constexpr std::int64_t kGapNs = 100'000'000;
constexpr std::int64_t kSleepAgainNs = 250'000'000;  // two rounds

std::string ms(std::int64_t ns) {
  return std::to_string(static_cast<double>(ns) * 1e-6) + " ms";
}

std::vector<Exchange> exchanges_of(const std::vector<Frame>& frames, const RobotWiring& wiring) {
  std::vector<Exchange> exchanges;
  for (const Frame& f : frames) {
    if (!f.outgoing) {
      if (exchanges.empty()) continue;
      std::vector<std::uint8_t>& answer = exchanges.back().answer;
      answer.insert(answer.end(), f.bytes.begin(), f.bytes.end());
      continue;
    }
    Exchange e{.at_ns = f.at_ns, .command = f.bytes.at(0), .request = f.bytes, .answer = {}};
    for (std::size_t b = 0; b < wiring.boards.size() && f.bytes.size() > 1; ++b) {
      if (wiring.boards[b].id == f.bytes[1]) e.board = static_cast<int>(b);
    }
    exchanges.push_back(std::move(e));
  }
  return exchanges;
}

ChannelCounts counts_of(const Exchange& e) {
  ChannelCounts counts{};
  std::copy_n(e.request.begin() + 3, counts.size(), counts.begin());
  return counts;
}

/// A frame that the board has, or may have, acknowledged.
struct Sent {
  ChannelCounts counts{};
  std::int64_t at_ns = 0;
};

bool is_within(const AuditedRun& run, int board, const Sent& from, const Sent& to,
               std::int64_t usual_ns) {
  const std::int64_t since_ns = to.at_ns - from.at_ns;
  const double dt = seconds(std::min(since_ns, std::max(kPulseNs, usual_ns)));
  for (int slot = 0; slot < kChannelsPerBoard; ++slot) {
    const int joint = run.calibration.joint_at(board, slot);
    if (joint < 0) continue;
    const auto i = static_cast<std::size_t>(slot);
    const double rate = to_deg(run.rate_max[static_cast<std::size_t>(joint)]);
    const int step = std::abs(to.counts[i] - from.counts[i]);
    if (step > std::floor(rate * dt + 1.0 + 1e-6)) return false;
  }
  return true;
}

int largest_step(const ChannelCounts& a, const ChannelCounts& b) {
  int most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

void check_steps_of(const AuditedRun& run, int board, Findings& findings) {
  std::vector<Sent> before;  // the last that was surely acknowledged, and what may have been since
  std::deque<std::int64_t> intervals;
  for (const Exchange& e : run.exchanges) {
    if (!e.sets_positions() || e.board != board) continue;
    const Sent sent{counts_of(e), e.at_ns};
    const std::int64_t usual_ns =
        intervals.empty() ? 0 : *std::min_element(intervals.begin(), intervals.end());
    const auto fits = [&](const Sent& from) { return is_within(run, board, from, sent, usual_ns); };
    if (!before.empty() && std::none_of(before.begin(), before.end(), fits)) {
      findings.push_back("board " + std::to_string(board) + ": a step of " +
                         std::to_string(largest_step(before.front().counts, sent.counts)) +
                         " counts at " + ms(e.at_ns) + ", " + ms(e.at_ns - before.front().at_ns) +
                         " after the last acknowledged frame");
    }
    if (!e.is_acknowledged()) {
      if (!e.answer.empty() || before.empty()) before.push_back(sent);
      continue;
    }
    if (!before.empty()) intervals.push_back(e.at_ns - before.front().at_ns);
    if (intervals.size() > 8) intervals.pop_front();
    before.assign(1, sent);
  }
}

/// Times at which the board was commanded: surely, or perhaps.
std::vector<std::int64_t> commanded_at(const AuditedRun& run, int board, bool surely) {
  std::vector<std::int64_t> times;
  for (const Exchange& e : run.exchanges) {
    if (e.board != board) continue;
    const bool positions = e.sets_positions() && (surely ? e.is_acknowledged() : !e.answer.empty());
    const bool sleep = surely ? e.says_asleep() : e.asks_for_sleep() && !e.answer.empty();
    if (positions || sleep) times.push_back(e.at_ns);
  }
  times.push_back(run.rows.back().in.now_ns);
  return times;
}

/// Begin and end of a time without a command for a board whose targets change.
struct Gap {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  [[nodiscard]] std::int64_t length_ns() const { return end_ns - begin_ns; }
};

/// Gaps that must be noticed, long or short.
std::vector<Gap> sure_gaps(const AuditedRun& run, int board) {
  const std::vector<std::int64_t> times = commanded_at(run, board, false);
  std::vector<Gap> gaps;
  std::size_t next = 0;
  for (std::size_t k = 1; k < run.rows.size(); ++k) {
    const CycleRecord& row = run.rows[k];
    if (row.out.targets.sequence == run.rows[k - 1].out.targets.sequence) continue;
    while (next < times.size() && times[next] < row.in.now_ns) ++next;
    if (next == times.size()) break;
    if (!gaps.empty() && gaps.back().end_ns == times[next]) continue;
    gaps.push_back({row.in.now_ns, times[next]});
  }
  return gaps;
}

/// The episode may have begun at the last sure command already.
bool has_gap_event(const std::vector<TimedEvent>& events, int board, const Gap& gap,
                   const std::vector<std::int64_t>& sure, std::int64_t slack_ns) {
  const auto next = std::upper_bound(sure.begin(), sure.end(), gap.begin_ns);
  const std::int64_t begin_ns = next == sure.begin() ? 0 : *(next - 1);
  return std::any_of(events.begin(), events.end(), [&](const TimedEvent& e) {
    return e.event.joint == board && e.at_ns > begin_ns && e.at_ns <= gap.end_ns + slack_ns;
  });
}

/// Longest time between sure commands that has `at_ns` in it, as far as the event could know.
std::int64_t waited_ns(const std::vector<std::int64_t>& times, std::int64_t at_ns,
                       std::int64_t slack_ns) {
  std::int64_t longest_ns = 0;
  std::int64_t before_ns = 0;
  for (const std::int64_t t : times) {
    if (at_ns > before_ns && at_ns <= t + slack_ns) {
      longest_ns = std::max(longest_ns, std::min(t, at_ns) - before_ns);
    }
    before_ns = t;
  }
  return longest_ns;
}

}  // namespace

bool Exchange::is_acknowledged() const {
  return answer.size() == 2 && answer[0] == request.at(1) && answer[1] == 0x06;
}

bool Exchange::says_asleep() const {
  return command == 0xF0 && answer.size() == 3 && (answer[1] & 1) != 0;
}

AuditedRun::AuditedRun(runtime::RunResult run_result, const RobotWiring& wiring,
                       const JointArray<double>& rates)
    : result(std::move(run_result)),
      rows(rows_of(result.record)),
      exchanges(exchanges_of(frames_of(result.record), wiring)),
      calibration(wiring),
      rate_max(rates) {}

std::vector<TimedEvent> events_of(const AuditedRun& run, EventCode code) {
  std::vector<TimedEvent> found;
  for (const CycleRecord& row : run.rows) {
    for (int k = 0; k < row.out.num_events; ++k) {
      const runtime::Event& event = row.out.events[static_cast<std::size_t>(k)];
      if (event.code == code) found.push_back({row.in.now_ns, event});
    }
  }
  return found;
}

void check_steps(const AuditedRun& run, Findings& findings) {
  for (int b = 0; b < run.calibration.num_boards(); ++b) check_steps_of(run, b, findings);
}

void check_gaps(const AuditedRun& run, const AuditLimits& limits, Findings& findings) {
  const std::vector<TimedEvent> events = events_of(run, EventCode::kCommandGap);
  const auto counted_ns = static_cast<std::int64_t>(run.result.line.longest_command_gap_s * 1e9);
  std::int64_t most_ns = 0;
  for (int b = 0; b < run.calibration.num_boards(); ++b) {
    const std::string board = "board " + std::to_string(b);
    const std::vector<std::int64_t> times = commanded_at(run, b, true);
    for (const Gap& gap : sure_gaps(run, b)) {
      const std::int64_t length_ns = gap.length_ns();
      if (length_ns > counted_ns + limits.slack_ns) {
        findings.push_back(board + ": gap of " + ms(length_ns) + ", longer than the counted " +
                           ms(counted_ns));
      }
      if (length_ns <= kGapNs + limits.slack_ns) continue;
      if (!has_gap_event(events, b, gap, times, limits.slack_ns + limits.stalled_ns)) {
        findings.push_back(board + ": no event for the gap of " + ms(length_ns) + " at " +
                           ms(gap.begin_ns));
      }
    }
    for (std::size_t k = 1; k < times.size(); ++k) {
      most_ns = std::max(most_ns, times[k] - times[k - 1]);
    }
    most_ns = std::max(most_ns, times.front());
    for (const TimedEvent& e : events) {
      if (e.event.joint != b) continue;
      if (waited_ns(times, e.at_ns, limits.slack_ns) > kGapNs - limits.slack_ns) continue;
      findings.push_back(board + ": command_gap without a gap at " + ms(e.at_ns));
    }
  }
  // the cycle learns of an acknowledgement after a stall that began behind it
  if (counted_ns > most_ns + limits.slack_ns + limits.stalled_ns) {
    findings.push_back("longest_command_gap is " + ms(counted_ns) + ", on the line it is " +
                       ms(most_ns));
  }
}

namespace {

/// The row with which a stop's command was published: nullptr = none.
const CycleRecord* first_row(const AuditedRun& run, bool (*is)(const CycleRecord&)) {
  const auto found = std::find_if(run.rows.begin(), run.rows.end(), is);
  return found == run.rows.end() ? nullptr : &*found;
}

bool is_held_at_once(const CycleRecord& row) {
  return row.out.targets.sequence != 0 && (row.in.stop >= runtime::StopLevel::kHoldNow ||
                                           row.out.state == runtime::SupervisorState::kFault);
}

bool is_held(const CycleRecord& row) {
  return row.out.targets.sequence != 0 && row.out.phase == runtime::Phase::kHeld;
}

bool is_asked_to_sleep(const CycleRecord& row) {
  return row.out.targets.mode == drivers::TargetMode::kSleep;
}

/// It left its last three questions unanswered: it is polled in every fourth round only.
bool is_resting(const AuditedRun& run, int board, std::int64_t at_ns) {
  int unanswered = 0;
  for (const Exchange& e : run.exchanges) {
    if (e.at_ns >= at_ns) break;
    if (e.board == board) unanswered = e.answer.empty() ? unanswered + 1 : 0;
  }
  return unanswered >= 3;
}

/// A board that is polled has not been sent the newest command at this row.
bool is_pending(const AuditedRun& run, const CycleRecord& row) {
  std::int64_t published_ns = row.in.now_ns;
  for (const CycleRecord& earlier : run.rows) {
    if (earlier.out.targets.sequence != row.out.targets.sequence) continue;
    published_ns = earlier.in.now_ns;
    break;
  }
  for (int b = 0; b < run.calibration.num_boards(); ++b) {
    const bool sent =
        std::any_of(run.exchanges.begin(), run.exchanges.end(), [&](const Exchange& e) {
          return e.board == b && e.sets_positions() && e.at_ns >= published_ns &&
                 e.at_ns < row.in.now_ns;
        });
    if (!sent && !is_resting(run, b, row.in.now_ns)) return true;
  }
  return false;
}

/// The first request after the row's tick is the stop's.
void check_first(const AuditedRun& run, const AuditLimits& limits, const CycleRecord& row,
                 bool sleep, Findings& findings) {
  if (!sleep && !is_pending(run, row)) return;
  int passed = 0;
  for (const Exchange& e : run.exchanges) {
    if (e.at_ns < row.in.now_ns) continue;
    if (sleep ? e.asks_for_sleep() : e.sets_positions() || e.asks_for_sleep()) return;
    if (limits.may_race && passed++ == 0) continue;
    findings.push_back("the first request after the " + std::string(sleep ? "release" : "hold") +
                       " at " + ms(row.in.now_ns) + " has command " + std::to_string(e.command) +
                       " at " + ms(e.at_ns));
    return;
  }
  if (!run.result.line.counters.gone) findings.push_back("no request after the stop");
}

/// After a release only sleep, bits and readings; sleep again until the board sleeps.
void check_released(const AuditedRun& run, const AuditLimits& limits, const CycleRecord& row,
                    Findings& findings) {
  int passed = 0;
  for (int b = 0; b < run.calibration.num_boards(); ++b) {
    std::int64_t asked_ns = row.in.now_ns;
    bool sleeps = false;
    const auto check_pause = [&](std::int64_t now_ns) {
      if (sleeps || now_ns - asked_ns <= kSleepAgainNs + limits.stalled_ns) return;
      findings.push_back("board " + std::to_string(b) + " was not commanded to sleep for " +
                         ms(now_ns - asked_ns));
    };
    for (const Exchange& e : run.exchanges) {
      if (e.at_ns < row.in.now_ns || e.board != b) continue;
      const bool moves = e.sets_positions() || e.wakes() || e.command == 0xEF;
      if (moves && !(limits.may_race && passed++ == 0)) {
        findings.push_back("command " + std::to_string(e.command) + " after the release, at " +
                           ms(e.at_ns));
      }
      if (e.command != 0xF0 && !e.asks_for_sleep()) continue;
      check_pause(e.at_ns);
      asked_ns = e.at_ns;
      if (e.command == 0xF0 && !e.answer.empty()) sleeps = e.says_asleep();
    }
    check_pause(run.rows.back().in.now_ns);
  }
}

/// What is sent to a robot that holds comes nearer to the held pose with each frame.
void check_holding(const AuditedRun& run, const AuditLimits& limits, const CycleRecord& row,
                   Findings& findings) {
  for (int b = 0; b < run.calibration.num_boards(); ++b) {
    ChannelCounts held{};
    int refused = -1;
    if (run.calibration.to_counts(b, row.out.targets.angle, held, refused) !=
        drivers::IoStatus::kOk) {
      continue;
    }
    ChannelCounts before{};
    bool is_known = false;
    int passed = 0;
    for (const Exchange& e : run.exchanges) {
      if (!e.sets_positions() || e.board != b) continue;
      const ChannelCounts counts = counts_of(e);
      if (e.at_ns >= row.in.now_ns && is_known &&
          largest_step(counts, held) > largest_step(before, held) &&
          !(limits.may_race && passed++ == 0)) {
        findings.push_back("board " + std::to_string(b) + " moves away from the held pose at " +
                           ms(e.at_ns));
        return;
      }
      before = counts;
      is_known = true;
    }
  }
}

}  // namespace

void check_stops(const AuditedRun& run, const AuditLimits& limits, Findings& findings) {
  const CycleRecord* sleep = first_row(run, is_asked_to_sleep);
  const CycleRecord* hold = first_row(run, is_held_at_once);
  const CycleRecord* held = first_row(run, is_held);
  if (sleep != nullptr) {
    check_first(run, limits, *sleep, true, findings);
    check_released(run, limits, *sleep, findings);
  }
  if (hold != nullptr && (sleep == nullptr || hold->in.now_ns < sleep->in.now_ns)) {
    check_first(run, limits, *hold, false, findings);
  }
  if (held != nullptr && held->out.targets.mode == drivers::TargetMode::kPositions) {
    check_holding(run, limits, *held, findings);
  }
  if (limits.stopped_at_ns < 0) return;
  for (const Exchange& e : run.exchanges) {
    if (e.wakes() && e.at_ns > limits.stopped_at_ns) {
      findings.push_back("the servos are woken at " + ms(e.at_ns) + ", after the stop");
    }
  }
}

Findings audit(const AuditedRun& run, const AuditLimits& limits) {
  Findings findings;
  check_steps(run, findings);
  check_gaps(run, limits, findings);
  check_stops(run, limits, findings);
  check_events(run, limits, findings);
  return findings;
}

}  // namespace kagami::test
