#include "drivers/rcb1/probe.hpp"

#include <algorithm>
#include <set>

#include "models/base/errors.hpp"

namespace kagami::drivers {
namespace {

using rcb1::Command;
using rcb1::Reply;

constexpr int kAsks = 5;
constexpr int kNeeded = 3;
constexpr int kReadings = 8;
constexpr int kTries = 3;
constexpr std::int64_t kAskNs = 60'000'000;    // the board's own limit of 30 ms is shorter
constexpr std::int64_t kSettleNs = 5'000'000;  // a second answer follows at once

/// What five questions to one board brought.
struct Tally {
  int good = 0;
  int silent = 0;
  int short_reply = 0;
  int bad_sum = 0;
  int noise = 0;
  int wrong_id = 0;
  int echo = 0;
  int doubled = 0;
  int other_id = -1;
  std::uint8_t bits = 0;
};

Deadline soon(Khr1Link& link, std::int64_t ns) {
  return {link.line().clock().now_ns() + ns};
}

void require_port(Khr1Link& link, const std::string& name) {
  if (link.line().gone())
    throw PortError(name + ": the port went away while the boards were asked");
}

bool is_echo(Khr1Link& link) {
  const auto answer = link.line().last_answer();
  const auto request = link.line().last_request();
  const std::size_t n = std::min(answer.size(), request.size());
  return n >= 2 && std::equal(answer.begin(), answer.begin() + static_cast<std::ptrdiff_t>(n),
                              request.begin());
}

void judge_answer(Khr1Link& link, IoStatus status, std::size_t surplus, Tally& tally) {
  const auto answer = link.line().last_answer();
  if (is_echo(link)) {
    ++tally.echo;
  } else if (status == IoStatus::kOk) {
    ++(surplus >= answer.size() ? tally.doubled : tally.good);
  } else if (status == IoStatus::kTimedOut) {
    ++(answer.empty() ? tally.silent : tally.short_reply);
  } else if (surplus > 0) {
    ++tally.noise;
  } else if (status == IoStatus::kBadSum) {
    ++tally.bad_sum;
  } else {
    ++tally.wrong_id;
    tally.other_id = answer[0];
  }
}

Tally ask_switches(Khr1Link& link, const std::string& name, int board) {
  Tally tally;
  for (int i = 0; i < kAsks; ++i) {
    const std::uint64_t unexpected = link.line().counters().unexpected_bytes;
    const IoStatus s = link.board(board).get_switches(tally.bits, soon(link, kAskNs));
    static_cast<void>(link.line().settle(soon(link, kSettleNs)));
    require_port(link, name);
    judge_answer(link, s, link.line().counters().unexpected_bytes - unexpected, tally);
  }
  return tally;
}

/// Ids that answer the question to everybody; with two boards either of them may.
std::set<int> ask_ids(Khr1Link& link) {
  std::set<int> ids;
  for (int i = 0; i < kTries; ++i) {
    Reply reply;
    rcb1::ExchangeStamps stamps;
    const IoStatus s =
        link.line().run({.command = Command::kGetId}, reply, soon(link, kAskNs / 2), stamps);
    static_cast<void>(link.line().settle(soon(link, kSettleNs)));
    if (s == IoStatus::kOk) ids.insert(reply.board);
  }
  return ids;
}

std::string id_text(const std::set<int>& ids) {
  std::string text;
  for (const int id : ids) text += (text.empty() ? "" : " and ") + std::to_string(id);
  return text;
}

std::string count_text(int count) {
  return std::to_string(count) + " of " + std::to_string(kAsks);
}

[[noreturn]] void fail_silent(Khr1Link& link, const std::string& name, int id, bool all_silent) {
  const std::set<int> ids = ask_ids(link);
  std::string problem =
      all_silent ? "no board answers"
                 : "board " + std::to_string(id) + " does not answer, the other one does";
  if (!ids.empty()) {
    problem +=
        "; asked for its id, a board says " + id_text(ids) + ", expected the ids of robot.json";
  } else {
    problem += "; expected an answer within 30 ms: is it switched on and plugged in, is DTR low?";
  }
  throw LinkError(name + ": " + problem);
}

/// Throws for the fault that explains most of the answers.
[[noreturn]] void fail_board(const std::string& name, int id, const Tally& t) {
  const std::string board = name + ": board " + std::to_string(id) + ": ";
  if (t.wrong_id >= std::max({t.short_reply, t.bad_sum, t.noise, t.silent})) {
    throw LinkError(board + "board " + std::to_string(t.other_id) + " answered " +
                    count_text(t.wrong_id) + " questions in its place");
  }
  if (t.noise >= std::max({t.short_reply, t.bad_sum, t.silent})) {
    throw LinkError(
        board + count_text(t.noise) +
        " answers had foreign bytes around them: noise, or another program on the line");
  }
  if (t.bad_sum >= std::max(t.short_reply, t.silent)) {
    throw LinkError(board + count_text(t.bad_sum) + " answers had a bad check sum");
  }
  if (t.short_reply >= t.silent) {
    throw LinkError(board + count_text(t.short_reply) + " answers were too short");
  }
  throw LinkError(board + count_text(t.silent) + " questions stayed without an answer");
}

std::vector<Tally> ask_all(Khr1Link& link, const std::string& name) {
  std::vector<Tally> tallies;
  for (int b = 0; b < link.num_boards(); ++b) tallies.push_back(ask_switches(link, name, b));

  const auto id = [&](std::size_t b) { return link.board(static_cast<int>(b)).id(); };
  const auto silent = [](const Tally& t) { return t.silent == kAsks; };
  const bool all_silent = std::all_of(tallies.begin(), tallies.end(), silent);
  for (std::size_t b = 0; b < tallies.size(); ++b) {
    const Tally& t = tallies[b];
    if (t.echo > 0) {
      throw LinkError(name +
                      ": the line echoes our own bytes, expected the boards' answers: "
                      "are its two data wires joined?");
    }
    if (t.doubled > 0) {
      throw LinkError(name + ": two boards answer as " + std::to_string(id(b)) +
                      "; give each its own id with only one plugged in");
    }
  }
  for (std::size_t b = 0; b < tallies.size(); ++b) {
    if (silent(tallies[b])) fail_silent(link, name, id(b), all_silent);
    if (tallies[b].good < kNeeded) fail_board(name, id(b), tallies[b]);
  }
  return tallies;
}

void read_positions(Khr1Link& link, const std::string& name, int board, BoardReport& report) {
  for (int i = 0; i < kReadings; ++i) {
    ChannelCounts counts;
    rcb1::EffectTime sampled;
    const IoStatus s = link.board(board).get_positions(counts, soon(link, kAskNs), sampled);
    require_port(link, name);
    const bool zero = std::all_of(counts.begin(), counts.end(), [](auto c) { return c == 0; });
    if (s != IoStatus::kOk || zero) continue;
    report.has_positions = true;
    report.positions = counts;
  }
}

/// A read-back that may fail three times before it is given up.
bool ask_again(Khr1Link& link, const std::string& name, int board, Command command, Reply& reply) {
  for (int i = 0; i < kTries; ++i) {
    const IoStatus s = link.board(board).ask({.command = command}, reply, soon(link, kAskNs));
    require_port(link, name);
    if (s == IoStatus::kOk) return true;
  }
  return false;
}

void compare_with_wiring(const Khr1Link& link, int board, const BoardReport& report,
                         std::vector<std::string>& warnings) {
  for (const JointWiring& joint : link.wiring().joints) {
    if (joint.board() != board) continue;
    const auto slot = static_cast<std::size_t>(joint.slot());
    const std::string where = joint.joint + " (channel " + std::to_string(joint.channel) + "): ";
    if (report.has_home && report.home[slot] != joint.home_deg) {
      warnings.push_back(where + "the board's home is " + std::to_string(report.home[slot]) +
                         " deg, robot.json says " + std::to_string(joint.home_deg) + " deg");
    }
    if (report.has_trim && report.trim_deg[slot] != joint.trim_deg) {
      warnings.push_back(where + "the board's trim is " + std::to_string(report.trim_deg[slot]) +
                         " deg, robot.json says " + std::to_string(joint.trim_deg) + " deg");
    }
  }
}

BoardReport examine(Khr1Link& link, const std::string& name, int b, const Tally& tally,
                    std::vector<std::string>& warnings) {
  BoardReport report;
  report.id = link.board(b).id();
  report.switches = tally.bits;
  const std::string board = "board " + std::to_string(report.id) + ": ";
  if (tally.good < kAsks) {
    warnings.push_back(board + count_text(kAsks - tally.good) + " answers were lost or damaged");
  }
  if ((tally.bits & rcb1::kSwitchSleep) != 0) warnings.push_back(board + "its servos were asleep");

  read_positions(link, name, b, report);
  if (!report.has_positions) {
    warnings.push_back(board + "gives no positions; only servos of the ICS kind can be read");
  }
  Reply reply;
  report.has_home = ask_again(link, name, b, Command::kGetHome, reply);
  if (report.has_home) report.home = reply.counts;
  report.has_trim = ask_again(link, name, b, Command::kGetTrim, reply);
  if (report.has_trim) report.trim_deg = reply.trim_deg;
  if (!report.has_home || !report.has_trim) {
    warnings.push_back(board + "does not tell its home or trim");
  }
  compare_with_wiring(link, b, report, warnings);
  report.acknowledge_ns = link.board(b).acknowledge_turnaround().min_ns();
  report.reading_ns = link.board(b).reading_turnaround().min_ns();
  return report;
}

void wake_board(Khr1Link& link, const std::string& name, int b) {
  for (int i = 0; i < kTries; ++i) {
    rcb1::EffectTime effect;
    const IoStatus s = link.board(b).set_switches(0, soon(link, kAskNs), effect);
    require_port(link, name);
    if (s == IoStatus::kOk) return;
  }
  throw LinkError(name + ": board " + std::to_string(link.board(b).id()) +
                  " does not take its switch bits, expected it to wake its servos");
}

}  // namespace

ProbeReport probe(Khr1Link& link, const std::string& name, bool wake) {
  ProbeReport report;
  const std::vector<Tally> tallies = ask_all(link, name);
  for (int b = 0; b < link.num_boards(); ++b) {
    report.boards.push_back(
        examine(link, name, b, tallies[static_cast<std::size_t>(b)], report.warnings));
  }
  for (int b = 0; wake && b < link.num_boards(); ++b) wake_board(link, name, b);
  if (wake) link.note_awake();
  return report;
}

}  // namespace kagami::drivers
