/// The probe's questions to one board, and what they brought. Set-up.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include "drivers/rcb1/khr1_link.hpp"

namespace kagami::drivers::rcb1 {

/// Questions of one kind to one board.
inline constexpr int kProbeQuestions = 5;
/// As many of them have to agree before anything is concluded from them.
inline constexpr int kProbeEvidence = 3;
/// How long the probe listens for one answer: what comes after the 30 ms of the command reference
/// is measured, instead of being taken for the answer to the next question. ns
inline constexpr std::int64_t kProbePatienceNs = 100'000'000;

/// Every question is counted in one of the numbers.
struct ProbeTally {
  int good = 0;         ///< in time, or after a silent one, where the time cannot be known
  int late = 0;         ///< whole, after more than kReplyLimitNs and the link's patience
  int doubled = 0;      ///< a second answer followed at once
  int silent = 0;       ///< not a byte within kProbePatienceNs
  int short_reply = 0;  ///< fewer bytes than expected
  int bad_sum = 0;
  int extra = 0;     ///< the same foreign bytes in front, every time
  int noise = 0;     ///< other foreign bytes around it
  int wrong_id = 0;  ///< whole, from another id
  int echo = 0;      ///< begins with the question

  int other_id = -1;            ///< of the last wrong_id
  std::size_t extra_bytes = 0;  ///< how many foreign bytes are in front
  std::uint8_t extra_byte = 0;  ///< and which
  std::int64_t fastest_late_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t slowest_late_ns = 0;  ///< turnarounds of the late ones
  int zeros = 0;                     ///< of the whole answers: every position was 0
  Reply reply{};                     ///< the newest whole answer that is not all zero

  [[nodiscard]] int answered() const noexcept { return good + late + doubled; }
  [[nodiscard]] int damaged() const noexcept { return short_reply + bad_sum + extra + noise; }
};

/// Asks one board kProbeQuestions times. `keep_asking` is called before each question; false ends
/// it with fewer. Stops early when the port goes away.
ProbeTally ask_board(Khr1Link& link, int board, Command command,
                     const std::function<bool()>& keep_asking);

}  // namespace kagami::drivers::rcb1
