#include "drivers/rcb1/probe_verdict.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "models/base/time.hpp"

namespace kagami::drivers::rcb1 {
namespace {

constexpr std::int64_t kSlowRoundNs = 25'000'000;
constexpr double kExampleSpeed = 100.0;  // deg/s, a brisk joint of the shipped walks
// FTDI adapters collect bytes for 16 ms unless they are set otherwise
constexpr std::int64_t kTimerFromNs = 14'000'000;
constexpr std::int64_t kTimerToNs = 18'000'000;

std::string text(const char* format, double value) {
  std::array<char, 32> out{};
  std::snprintf(out.data(), out.size(), format, value);
  return out.data();
}

std::string ms_text(std::int64_t ns) {
  return text("%.1f", static_cast<double>(ns) * 1e-6);
}

std::string count_text(int count) {
  return std::to_string(count) + " of " + std::to_string(kProbeQuestions);
}

std::string board_text(int id) {
  return "board " + std::to_string(id);
}

std::string late_text(const ProbeTally& t) {
  const std::string fastest = ms_text(t.fastest_late_ns);
  const std::string slowest = ms_text(t.slowest_late_ns);
  return (fastest == slowest ? fastest : fastest + " to " + slowest) + " ms";
}

std::string id_text(const std::set<int>& ids) {
  std::string list;
  for (const int id : ids) list += (list.empty() ? "" : " and ") + std::to_string(id);
  return list;
}

bool is_silent(const BoardTally& b) {
  return b.tally.silent == kProbeQuestions;
}

std::string silent_verdict(std::span<const BoardTally> boards, int id,
                           const std::function<std::set<int>()>& found_ids) {
  const bool all_silent = std::all_of(boards.begin(), boards.end(), is_silent);
  std::string problem =
      all_silent ? "no board answers" : board_text(id) + " does not answer, the other one does";
  std::set<int> ids = found_ids();
  for (const BoardTally& b : boards) {
    if (!is_silent(b)) ids.erase(b.id);
  }
  if (!ids.empty()) {
    return problem + "; a board reports the id " + id_text(ids) +
           ", expected the ids of robot.json";
  }
  problem += ": " + count_text(kProbeQuestions) + " questions brought no byte within " +
             ms_text(kProbePatienceNs) + " ms (its limit is 30 ms)";
  return problem + (all_silent ? "; is it switched on and plugged in, is DTR low?"
                               : "; is it switched on and plugged in, or has it the other's id?");
}

// the fault that explains most of the answers
std::string damaged_verdict(const BoardTally& b) {
  const ProbeTally& t = b.tally;
  const std::string board = board_text(b.id) + ": ";
  const int most = std::max({t.wrong_id, t.noise, t.extra, t.bad_sum, t.short_reply, t.silent});
  if (t.wrong_id == most) {
    return board + board_text(t.other_id) + " answered " + count_text(t.wrong_id) +
           " questions in its place";
  }
  if (t.extra == most) {
    std::array<char, 3> hex{};
    std::snprintf(hex.data(), hex.size(), "%02X", unsigned{t.extra_byte});
    return board + count_text(t.extra) + " answers begin with " + std::to_string(t.extra_bytes) +
           (t.extra_bytes == 1 ? " foreign byte (" : " foreign bytes (") + hex.data() +
           ", the same each time), expected its id: an adapter or a program between this computer "
           "and the board adds to every answer";
  }
  if (t.noise == most) {
    return board + count_text(t.noise) +
           " answers had foreign bytes around them: noise, or another program on the line";
  }
  if (t.bad_sum == most) return board + count_text(t.bad_sum) + " answers had a bad check sum";
  if (t.short_reply == most) return board + count_text(t.short_reply) + " answers were too short";
  return board + count_text(t.silent) + " questions stayed without an answer";
}

bool are_swapped(std::span<const BoardTally> boards) {
  if (boards.size() != 2) return false;
  const auto names = [](const BoardTally& a, const BoardTally& b) {
    return a.tally.wrong_id >= kProbeEvidence && a.tally.other_id == b.id;
  };
  return names(boards[0], boards[1]) && names(boards[1], boards[0]);
}

}  // namespace

std::string verdict_on_boards(std::span<const BoardTally> boards,
                              const std::function<std::set<int>()>& found_ids) {
  for (const BoardTally& b : boards) {
    if (b.tally.echo >= kProbeEvidence) {
      return "the line echoes our own bytes (" + count_text(b.tally.echo) +
             " requests came back), expected the boards' answers: are its two data wires joined?";
    }
    if (b.tally.doubled >= kProbeEvidence) {
      return "two boards answer as " + std::to_string(b.id) + " (" + count_text(b.tally.doubled) +
             " questions were answered twice); give each its own id with only one plugged in";
    }
  }
  if (are_swapped(boards)) {
    return "the boards' ids are swapped: " + board_text(boards[1].id) + " answered " +
           count_text(boards[0].tally.wrong_id) + " questions to " + board_text(boards[0].id) +
           ", and " + board_text(boards[0].id) + " " + count_text(boards[1].tally.wrong_id) +
           " to " + board_text(boards[1].id) +
           "; is a program between this computer and the boards?";
  }
  for (const BoardTally& b : boards) {
    if (is_silent(b)) return silent_verdict(boards, b.id, found_ids);
    if (b.tally.late >= kProbeEvidence) {
      return board_text(b.id) + " answers too late: " + late_text(b.tally) +
             " after the request in " + count_text(b.tally.late) +
             " answers, the board's limit is 30 ms; is an adapter or a network between this "
             "computer and the board slow?";
    }
    if (b.tally.answered() < kProbeEvidence) return damaged_verdict(b);
  }
  return {};
}

std::string verdict_on_positions(const BoardTally& b) {
  const ProbeTally& t = b.tally;
  const std::string board = board_text(b.id) + ": ";
  if (t.zeros >= kProbeEvidence && t.zeros == t.answered()) {
    return board + "every position reads 0 in " + count_text(t.zeros) +
           " readings, so where its joints are is not known: only servos of the ICS kind can be "
           "read; are they plugged in and supplied?";
  }
  if (t.late >= kProbeEvidence) {
    return board + "position readings come too late: " + late_text(t) + " after the request in " +
           count_text(t.late) + ", the board's limit is 30 ms";
  }
  if (t.silent >= kProbeEvidence) {
    return board + "it answers other questions, but " + count_text(t.silent) +
           " position readings brought no byte within " + ms_text(kProbePatienceNs) + " ms";
  }
  if (t.answered() - t.zeros < 1) {
    return board + "no usable position in " + std::to_string(kProbeQuestions) +
           " readings: " + std::to_string(t.zeros) + " all zero, " + std::to_string(t.silent) +
           " silent, " + std::to_string(t.damaged() + t.wrong_id) + " damaged";
  }
  return {};
}

std::string remark_on_answers(const BoardTally& b, const char* kind) {
  const ProbeTally& t = b.tally;
  const int lost = t.silent + t.damaged() + t.wrong_id + t.echo;
  std::string remark;
  if (t.late > 0) {
    remark = count_text(t.late) + " " + kind + " were late: " + late_text(t) +
             " after the request, the board's limit is 30 ms";
  }
  if (lost > 0) {
    remark +=
        (remark.empty() ? "" : "; ") + count_text(lost) + " " + kind + " were lost or damaged";
  }
  return remark.empty() ? remark : board_text(b.id) + ": " + remark;
}

std::int64_t round_duration_ns(std::span<const BoardDelay> boards) {
  std::int64_t ns = 0;
  for (const BoardDelay& b : boards) {
    ns += Rcb1::wire_ns(Command::kSetPositions) + b.acknowledge_ns;
    ns += Rcb1::wire_ns(Command::kGetPositions) + b.reading_ns;
  }
  return ns;
}

std::string remark_on_round(std::span<const BoardDelay> boards) {
  const std::int64_t round_ns = round_duration_ns(boards);
  if (round_ns <= kSlowRoundNs) return {};
  BoardDelay slowest;
  bool is_timer = true;
  for (const BoardDelay& b : boards) {
    slowest.acknowledge_ns = std::max(slowest.acknowledge_ns, b.acknowledge_ns);
    slowest.reading_ns = std::max(slowest.reading_ns, b.reading_ns);
    for (const std::int64_t ns : {b.acknowledge_ns, b.reading_ns}) {
      is_timer = is_timer && ns >= kTimerFromNs && ns <= kTimerToNs;
    }
  }
  const double round_s = seconds(round_ns);
  const std::string steps = text("%.0f", kExampleSpeed) + " deg/s is streamed in steps of " +
                            text("%.1f", kExampleSpeed * round_s) + " deg";
  return "the line is slow: acknowledgements take " + ms_text(slowest.acknowledge_ns) +
         " ms and position readings " + ms_text(slowest.reading_ns) +
         " ms, so a round of commands and readings takes " + ms_text(round_ns) + " ms (" +
         text("%.1f", 1.0 / round_s) + " Hz): a joint that moves at " + steps +
         ". A slower --speed, --mode keyframe or --read every:4 makes it smoother" +
         (is_timer ? "; answers after 16 ms point to an adapter's latency timer, which 'kagami "
                     "ports' shows: set it to 1 ms"
                   : "");
}

}  // namespace kagami::drivers::rcb1
