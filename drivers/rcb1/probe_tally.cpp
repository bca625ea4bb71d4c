#include "drivers/rcb1/probe_tally.hpp"

#include <algorithm>

namespace kagami::drivers::rcb1 {
namespace {

constexpr std::int64_t kSettleNs = 5'000'000;  // a second answer follows at once

bool is_echo(const Line& line) {
  const auto answer = line.last_answer();
  const auto request = line.last_request();
  const std::size_t n = std::min(answer.size(), request.size());
  return n >= 2 && std::equal(answer.begin(), answer.begin() + static_cast<std::ptrdiff_t>(n),
                              request.begin());
}

// The answer was pushed back by `surplus` equal bytes, as many and the same as before.
bool has_same_bytes_in_front(const Line& line, std::uint8_t id, std::size_t surplus,
                             const ProbeTally& tally) {
  const auto answer = line.last_answer();
  const std::size_t front = std::min(surplus, answer.size());
  const auto is_same = [&](std::uint8_t byte) { return byte == answer[0]; };
  const auto end = answer.begin() + static_cast<std::ptrdiff_t>(front);
  if (front == 0 || !std::all_of(answer.begin(), end, is_same)) return false;
  if (front < answer.size() && answer[front] != id) return false;
  return tally.extra == 0 || (tally.extra_bytes == surplus && tally.extra_byte == answer[0]);
}

void count_whole(const Reply& reply, Command command, std::int64_t turnaround_ns,
                 std::int64_t limit_ns, bool is_doubled, bool after_silence, ProbeTally& tally) {
  // after a silence it cannot be known which question was answered
  if (is_doubled && !after_silence) {
    ++tally.doubled;
  } else if (turnaround_ns > limit_ns && !after_silence) {
    ++tally.late;
    tally.fastest_late_ns = std::min(tally.fastest_late_ns, turnaround_ns);
    tally.slowest_late_ns = std::max(tally.slowest_late_ns, turnaround_ns);
  } else {
    ++tally.good;
  }
  const auto is_zero = [](std::uint8_t count) { return count == 0; };
  if (command == Command::kGetPositions &&
      std::all_of(reply.counts.begin(), reply.counts.end(), is_zero)) {
    ++tally.zeros;
  } else {
    tally.reply = reply;
  }
}

void count_damaged(const Line& line, IoStatus status, std::uint8_t id, std::size_t surplus,
                   ProbeTally& tally) {
  const auto answer = line.last_answer();
  if (status == IoStatus::kTimedOut) {
    ++(answer.empty() ? tally.silent : tally.short_reply);
  } else if (has_same_bytes_in_front(line, id, surplus, tally)) {
    ++tally.extra;
    tally.extra_bytes = surplus;
    tally.extra_byte = answer[0];
  } else if (surplus > 0) {
    ++tally.noise;
  } else if (status == IoStatus::kBadSum) {
    ++tally.bad_sum;
  } else {
    ++tally.wrong_id;
    tally.other_id = answer.empty() ? -1 : answer[0];
  }
}

}  // namespace

ProbeTally ask_board(Khr1Link& link, int board, Command command,
                     const std::function<bool()>& keep_asking) {
  Line& line = link.line();
  const auto surplus_bytes = [&line] {
    return line.counters().unexpected_bytes + line.counters().late;
  };
  const std::uint8_t id = link.board(board).id();
  const std::int64_t patience_ns = link.board(board).patience_ns();
  ProbeTally tally;
  bool after_silence = false;
  for (int i = 0; i < kProbeQuestions && keep_asking() && !line.gone(); ++i) {
    const std::uint64_t before = surplus_bytes();
    Reply reply;
    ExchangeStamps stamps;
    const Deadline patience{line.clock().now_ns() + kProbePatienceNs + patience_ns};
    const IoStatus status = line.run({.command = command, .board = id}, reply, patience, stamps);
    static_cast<void>(line.settle({line.clock().now_ns() + kSettleNs}));
    const auto surplus = static_cast<std::size_t>(surplus_bytes() - before);

    if (is_echo(line)) {
      ++tally.echo;
    } else if (status == IoStatus::kOk) {
      const std::int64_t turnaround_ns =
          stamps.received_ns - stamps.written_ns - Rcb1::wire_ns(command);
      count_whole(reply, command, turnaround_ns, kReplyLimitNs + patience_ns,
                  surplus >= line.last_answer().size(), after_silence, tally);
    } else {
      count_damaged(line, status, id, surplus, tally);
    }
    after_silence = status == IoStatus::kTimedOut;
  }
  return tally;
}

}  // namespace kagami::drivers::rcb1
