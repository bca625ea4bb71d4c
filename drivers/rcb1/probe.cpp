#include "drivers/rcb1/probe.hpp"

#include <set>
#include <utility>

#include "drivers/rcb1/probe_verdict.hpp"
#include "models/base/errors.hpp"

namespace kagami::drivers {
namespace {

using rcb1::BoardTally;
using rcb1::Command;
using rcb1::Reply;
using rcb1::Request;

constexpr int kLearned = 4;                    // answers of each kind from which the link learns
constexpr std::int64_t kSettleNs = 5'000'000;  // a second answer follows at once

Deadline soon(Khr1Link& link, std::int64_t ns) {
  return {link.line().clock().now_ns() + ns + link.board(0).patience_ns()};
}

/// The link, and whether anything may still be sent.
struct Probe {
  Khr1Link& link;
  const std::string& name;
  const ProbeOptions& options;

  [[nodiscard]] bool is_stopped() const {
    return options.stop_requested && options.stop_requested();
  }
  void require_port() const {
    if (link.line().gone())
      throw PortError(name + ": the port disappeared while the boards were queried");
  }
  [[nodiscard]] BoardTally ask(int board, Command command) const {
    BoardTally result{link.board(board).id(), {}};
    result.tally = rcb1::ask_board(link, board, command, [this] { return !is_stopped(); });
    require_port();
    return result;
  }
};

/// Ids that answer the broadcast request; with two boards either of them may.
std::set<int> ask_ids(Khr1Link& link) {
  std::set<int> ids;
  for (int i = 0; i < kAskTries; ++i) {
    Reply reply;
    rcb1::ExchangeStamps stamps;
    const IoStatus s =
        link.line().run({.command = Command::kGetId}, reply, soon(link, kAskNs / 2), stamps);
    static_cast<void>(link.line().settle({link.line().clock().now_ns() + kSettleNs}));
    if (s == IoStatus::kOk) ids.insert(reply.board);
  }
  return ids;
}

/// What all boards answered; throws when they cannot be used.
std::vector<BoardTally> ask_all(const Probe& p) {
  std::vector<BoardTally> boards;
  for (int b = 0; b < p.link.num_boards() && !p.is_stopped(); ++b) {
    boards.push_back(p.ask(b, Command::kGetSwitches));
  }
  if (p.is_stopped()) return boards;
  const std::string verdict = rcb1::verdict_on_boards(boards, [&p] { return ask_ids(p.link); });
  p.require_port();
  if (!verdict.empty()) throw LinkError(p.name + ": " + verdict);
  return boards;
}

void add_remark(std::string remark, std::vector<std::string>& warnings) {
  if (!remark.empty()) warnings.push_back(std::move(remark));
}

/// Why a board's positions cannot be used: an error where its servos are to be woken, else a
/// warning.
void refuse_positions(const Probe& p, const std::string& verdict,
                      std::vector<std::string>& warnings) {
  if (p.options.wake) throw LinkError(p.name + ": " + verdict + "; its servos were not woken");
  warnings.push_back(verdict);
}

void read_positions(const Probe& p, int b, BoardReport& report,
                    std::vector<std::string>& warnings) {
  const BoardTally board = p.ask(b, Command::kGetPositions);
  if (p.is_stopped()) return;
  const std::string verdict = rcb1::verdict_on_positions(board);
  if (!verdict.empty()) return refuse_positions(p, verdict, warnings);
  add_remark(rcb1::remark_on_answers(board, "position readings"), warnings);
  report.has_positions = true;
  report.positions = board.tally.reply.counts;
}

/// An answer that is overdue may still come: it must not answer the next question.
void await_late_answer(const Probe& p, IoStatus status) {
  if (status != IoStatus::kTimedOut) return;
  const Deadline end = soon(p.link, rcb1::kProbePatienceNs);
  while (!p.link.line().gone() && p.link.line().clock().now_ns() < end.at_ns && !p.is_stopped()) {
    static_cast<void>(p.link.line().settle(end));
  }
}

/// The link learns how long this board takes from answers in time.
void learn(const Probe& p, int b, BoardReport& report, std::vector<std::string>& warnings) {
  rcb1::Rcb1& board = p.link.board(b);
  for (int i = 0; i < 2 * kLearned && !p.is_stopped(); ++i) {
    if (i % 2 == 0) {
      await_late_answer(p, board.get_switches(report.switches, soon(p.link, kAskNs)));
    } else if (report.has_positions) {
      ChannelCounts counts = report.positions;
      rcb1::EffectTime sampled;
      await_late_answer(p, board.get_positions(counts, soon(p.link, kAskNs), sampled));
    }
  }
  p.require_port();
  report.acknowledge_ns = board.acknowledge_turnaround().min_ns();
  report.reading_ns = board.reading_turnaround().min_ns();
  if (p.is_stopped() || !report.has_positions || board.reading_turnaround().known()) return;
  if (board.patience_ns() > 0) return;  // what is late is this computer
  report.has_positions = false;
  refuse_positions(p,
                   "board " + std::to_string(report.id) + ": its position readings take about " +
                       "30 ms, the board's limit: none of " + std::to_string(kLearned) +
                       " more came within it",
                   warnings);
}

bool is_same(const Reply& a, const Reply& b) {
  return a.counts == b.counts && a.trim_deg == b.trim_deg;
}

/// A read-back: two answers in a row that agree, within four. One alone may be a late answer to
/// something else of the same length.
bool read_back(const Probe& p, int board, Command command, Reply& reply) {
  Reply before;
  bool has_before = false;
  for (int i = 0; i < kAskTries + 1 && !p.is_stopped(); ++i) {
    const IoStatus s = p.link.board(board).ask({.command = command}, reply, soon(p.link, kAskNs));
    await_late_answer(p, s);
    p.require_port();
    if (s == IoStatus::kOk && has_before && is_same(before, reply)) return true;
    has_before = s == IoStatus::kOk;
    before = reply;
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
                         " deg, robot.json states " + std::to_string(joint.home_deg) + " deg");
    }
    if (report.has_trim && report.trim_deg[slot] != joint.trim_deg) {
      warnings.push_back(where + "the board's trim is " + std::to_string(report.trim_deg[slot]) +
                         " deg, robot.json states " + std::to_string(joint.trim_deg) + " deg");
    }
  }
}

BoardReport examine(const Probe& p, int b, const BoardTally& tally,
                    std::vector<std::string>& warnings) {
  BoardReport report;
  report.id = tally.id;
  report.switches = tally.tally.reply.bits;
  const std::string board = "board " + std::to_string(report.id) + ": ";
  add_remark(rcb1::remark_on_answers(tally, "answers"), warnings);
  if ((report.switches & rcb1::kSwitchSleep) != 0) {
    warnings.push_back(board + "its servos were asleep");
  }
  read_positions(p, b, report, warnings);
  learn(p, b, report, warnings);
  Reply reply;
  report.has_home = read_back(p, b, Command::kGetHome, reply);
  if (report.has_home) report.home = reply.counts;
  report.has_trim = read_back(p, b, Command::kGetTrim, reply);
  if (report.has_trim) report.trim_deg = reply.trim_deg;
  if (p.is_stopped()) return report;
  if (!report.has_home || !report.has_trim) {
    warnings.push_back(board + "does not report its home or trim");
  }
  compare_with_wiring(p.link, b, report, warnings);
  return report;
}

/// False: a stop was requested before the board acknowledged.
bool wake_board(const Probe& p, int b, std::uint8_t switches) {
  for (int i = 0; i < kAskTries; ++i) {
    if (p.is_stopped()) return false;
    // the motion bit stays: boards may play stored motions with it alone
    const Request awake{.command = Command::kSetSwitches,
                        .board = p.link.board(b).id(),
                        .bits = static_cast<std::uint8_t>(switches & rcb1::kSwitchMotion)};
    Reply reply;
    rcb1::ExchangeStamps stamps;
    const IoStatus s =
        p.link.line().run(awake, reply, soon(p.link, rcb1::kProbePatienceNs), stamps);
    p.require_port();
    if (s == IoStatus::kOk) return true;
  }
  throw LinkError(p.name + ": board " + std::to_string(p.link.board(b).id()) +
                  " rejects its switch bits, so that its servos cannot be woken");
}

void remark_on_line(ProbeReport& report) {
  std::vector<rcb1::BoardDelay> delays;
  for (const BoardReport& board : report.boards) {
    if (!board.has_positions) return;
    delays.push_back({board.acknowledge_ns, board.reading_ns});
  }
  add_remark(rcb1::remark_on_round(delays), report.warnings);
}

}  // namespace

ProbeReport probe(Khr1Link& link, const std::string& name, const ProbeOptions& options) {
  const Probe p{link, name, options};
  ProbeReport report;
  const std::vector<BoardTally> tallies = ask_all(p);
  for (int b = 0; b < link.num_boards() && !p.is_stopped(); ++b) {
    report.boards.push_back(examine(p, b, tallies[static_cast<std::size_t>(b)], report.warnings));
  }
  if (!p.is_stopped()) remark_on_line(report);
  bool is_awake = options.wake && !p.is_stopped();
  for (int b = 0; is_awake && b < link.num_boards(); ++b) {
    is_awake = wake_board(p, b, report.boards[static_cast<std::size_t>(b)].switches);
  }
  if (is_awake) link.note_awake();
  report.interrupted = options.wake ? !is_awake : p.is_stopped();
  return report;
}

}  // namespace kagami::drivers
