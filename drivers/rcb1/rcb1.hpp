/// One RCB-1 board: its commands, each with a deadline learned from its own answers.
#pragma once

#include <cstdint>

#include "drivers/rcb1/line.hpp"
#include "drivers/rcb1/turnaround.hpp"
#include "models/base/wiring.hpp"

namespace kagami::drivers::rcb1 {

/// When a command took effect or a reading was taken: docs/rcb1.md, "Time".
struct EffectTime {
  std::int64_t at_ns = 0;           ///< t_e of a command, t_s of a reading
  std::int64_t uncertainty_ns = 0;  ///< sigma
  ExchangeStamps stamps{};
};

/// Borrows the line. One thread; no call throws or allocates. Every call returns by `limit`, and
/// sooner when the board is overdue: wire time + slowest recent answer + margin, at most 30 ms (and
/// the patience of LinkTiming).
class Rcb1 {
 public:
  Rcb1(Line& line, const BoardWiring& board, const LinkTiming& timing)
      : line_(line), board_(board), timing_(timing) {}

  [[nodiscard]] std::uint8_t id() const noexcept { return static_cast<std::uint8_t>(board_.id); }

  /// FD. kRefused (and nothing sent) for a count that this board must not get: 181..220, 222..224,
  /// 226 and above, or 221 to a board that does not know it.
  [[nodiscard]] IoStatus set_positions(std::uint8_t speed, const ChannelCounts& counts,
                                       Deadline limit, EffectTime& effect) noexcept;
  /// FC: the answer as it came; ReadingGate decides whether it is accepted.
  [[nodiscard]] IoStatus get_positions(ChannelCounts& counts, Deadline limit,
                                       EffectTime& sampled) noexcept;
  /// F1.
  [[nodiscard]] IoStatus set_switches(std::uint8_t bits, Deadline limit,
                                      EffectTime& effect) noexcept;
  /// F0.
  [[nodiscard]] IoStatus get_switches(std::uint8_t& bits, Deadline limit) noexcept;
  /// EF.
  [[nodiscard]] IoStatus play_motion(std::uint8_t motion, Deadline limit,
                                     EffectTime& effect) noexcept;
  /// Any other command, for set-up: waits the full 30 ms and the patience. `request.board` is
  /// filled in.
  [[nodiscard]] IoStatus ask(Request request, Reply& reply, Deadline limit) noexcept;

  /// Bytes of request and answer on the wire, ns.
  [[nodiscard]] static std::int64_t wire_ns(Command command) noexcept;
  /// How long the exchange takes at its usual slowest, ns.
  [[nodiscard]] std::int64_t expected_ns(Command command) const noexcept;

  /// LinkTiming::patience_ns.
  [[nodiscard]] std::int64_t patience_ns() const noexcept { return timing_.patience_ns; }
  /// Turnaround of acknowledgements and of position readings.
  [[nodiscard]] const Turnaround& acknowledge_turnaround() const noexcept { return acknowledge_; }
  [[nodiscard]] const Turnaround& reading_turnaround() const noexcept { return reading_; }
  /// Exchanges in a row without a single byte of answer.
  [[nodiscard]] int silent_in_a_row() const noexcept { return silent_in_a_row_; }

 private:
  [[nodiscard]] bool may_send(const ChannelCounts& counts) const noexcept;
  [[nodiscard]] IoStatus timed(const Request& request, Reply& reply, Turnaround& turnaround,
                               Deadline limit, EffectTime& effect) noexcept;

  Line& line_;
  BoardWiring board_;
  LinkTiming timing_;
  Turnaround acknowledge_{};
  Turnaround reading_{};
  int silent_in_a_row_ = 0;
};

}  // namespace kagami::drivers::rcb1
