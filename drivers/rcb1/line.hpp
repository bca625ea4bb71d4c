/// One request and its answer on the shared line, with every byte accounted for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "drivers/port/byte_port.hpp"
#include "drivers/port/clock.hpp"
#include "drivers/rcb1/protocol.hpp"

namespace kagami::drivers::rcb1 {

/// When an exchange took place, ns on the link's clock.
struct ExchangeStamps {
  std::int64_t written_ns = -1;   ///< just before the request was handed over, t_w0
  std::int64_t received_ns = -1;  ///< last byte of the answer read, t_rN
};

/// The line both boards hang on. Strictly one command outstanding. Counts everything; no call
/// throws or allocates; one thread.
class Line {
 public:
  /// Borrows port and clock.
  Line(BytePort& port, const Clock& clock) : port_(port), clock_(clock) {}

  /// Drains the input, writes the request, reads and checks the answer. `reply` and `stamps` are
  /// untouched unless kOk. Returns by `deadline`; kGone once means kGone for ever.
  [[nodiscard]] IoStatus run(const Request& request, Reply& reply, Deadline deadline,
                             ExchangeStamps& stamps) noexcept;

  /// The answer of the last run() was damaged after all (an implausible value): counts it over
  /// again as a bad reply.
  void disbelieve() noexcept;
  /// Reads and discards until the line was quiet for 1 ms, at most until `deadline`; returns how
  /// many bytes that were.
  std::size_t settle(Deadline deadline) noexcept;

  [[nodiscard]] const Clock& clock() const noexcept { return clock_; }
  [[nodiscard]] bool gone() const noexcept { return gone_; }
  [[nodiscard]] LineCounters& counters() noexcept { return counters_; }
  /// What came in answer to the last request, accepted or not.
  [[nodiscard]] std::span<const std::uint8_t> last_answer() const noexcept {
    return {answer_.data(), received_};
  }
  /// The last request as it was sent.
  [[nodiscard]] std::span<const std::uint8_t> last_request() const noexcept { return sent_.view(); }

 private:
  void drain() noexcept;
  void count_discarded(std::size_t bytes) noexcept;
  IoStatus read_answer(std::uint8_t board, std::size_t size, Deadline deadline) noexcept;
  IoStatus skip_late_answer(std::size_t size, Deadline deadline) noexcept;
  IoStatus count_failure(IoStatus status, std::size_t size) noexcept;

  BytePort& port_;
  const Clock& clock_;
  LineCounters counters_{};
  Frame sent_{};
  std::array<std::uint8_t, kMaxFrame> answer_{};
  std::size_t received_ = 0;
  std::size_t pending_bytes_ = 0;   // bytes of a timed-out answer that may still come
  std::uint8_t pending_board_ = 0;  // its board
  bool gone_ = false;
};

}  // namespace kagami::drivers::rcb1
