/// What the probe concludes from its questions: one sentence for each fault, with what was
/// measured.
#pragma once

#include <set>
#include <span>
#include <string>

#include "drivers/rcb1/probe_tally.hpp"

namespace kagami::drivers::rcb1 {

/// One board and what it answered.
struct BoardTally {
  int id = 0;
  ProbeTally tally;
};

/// Why the boards cannot be used, by their switch bits; empty: they can. One damaged, late or
/// missing answer is no reason; kProbeEvidence equal ones of kProbeQuestions are. `found_ids` gives
/// the ids that answer the question to every board; it is called for a silent board only.
std::string verdict_on_boards(std::span<const BoardTally> boards,
                              const std::function<std::set<int>()>& found_ids);

/// Why the positions of a board cannot be used; empty: they can.
std::string verdict_on_positions(const BoardTally& board);

/// A sentence about answers that were late, lost or damaged where most were good; empty: none was.
std::string remark_on_answers(const BoardTally& board, const char* kind);

/// Duration of a round of commands and readings on boards with these turnarounds, ns.
struct BoardDelay {
  std::int64_t acknowledge_ns = 0;
  std::int64_t reading_ns = 0;
};
std::int64_t round_duration_ns(std::span<const BoardDelay> boards);
/// A sentence for a line whose rounds take longer than 25 ms: what that means for a motion, and
/// what to do; empty: it is fast enough.
std::string remark_on_round(std::span<const BoardDelay> boards);

}  // namespace kagami::drivers::rcb1
