/// A BytePort for tests: expected bytes, scripted answers with times, and an N-th operation that
/// fails.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "drivers/port/byte_port.hpp"
#include "drivers/port/clock.hpp"

namespace kagami::drivers {

/// Lives on a simulated clock: waiting is Clock::sleep_until, so tests never sleep. Bytes
/// take 86.806 us each on the wire, both ways. Allocates.
class ScriptedPort final : public BytePort {
 public:
  /// One byte on its way to the host.
  struct TimedByte {
    std::int64_t at_ns = 0;
    std::uint8_t value = 0;
  };
  /// Answers a request that was complete on the wire at `complete_ns`, by calling send().
  using Responder =
      std::function<void(ScriptedPort&, std::span<const std::uint8_t>, std::int64_t complete_ns)>;

  /// Borrows the clock.
  explicit ScriptedPort(Clock& clock) : clock_(clock) {}

  /// The next write must be `request`; `answer` begins `delay_ns` after its last byte is on the
  /// wire.
  void expect(std::vector<std::uint8_t> request, std::vector<std::uint8_t> answer,
              std::int64_t delay_ns);
  /// Answers everything that expect() does not foresee.
  void respond(Responder responder) { responder_ = std::move(responder); }
  /// Bytes that leave the far end from `from_ns` on, one byte time each, after what is already on
  /// its way.
  void send(std::span<const std::uint8_t> bytes, std::int64_t from_ns);
  /// The N-th write, read or drop from now on (1 = the next) fails: kTimedOut lets the deadline
  /// pass, kGone unplugs.
  void fail_operation(int n, IoStatus status);
  /// From now on the device is gone.
  void unplug() { gone_ = true; }

  [[nodiscard]] IoStatus write(std::span<const std::uint8_t> bytes,
                               Deadline deadline) noexcept override;
  [[nodiscard]] IoStatus read(std::span<std::uint8_t> bytes, std::size_t& received,
                              Deadline deadline) noexcept override;
  std::size_t drop_input() noexcept override;

  /// Every write so far.
  [[nodiscard]] const std::vector<std::vector<std::uint8_t>>& written() const { return written_; }
  /// Writes that differed from what was expected.
  [[nodiscard]] int mismatches() const { return mismatches_; }
  /// Answers of expect() not requested yet.
  [[nodiscard]] std::size_t unused() const { return script_.size(); }
  /// Bytes handed to the host or dropped by it.
  [[nodiscard]] std::uint64_t delivered() const { return delivered_; }
  /// Bytes still on their way or waiting.
  [[nodiscard]] std::size_t waiting() const { return input_.size(); }
  [[nodiscard]] int operations() const { return operations_; }

 private:
  struct Entry {
    std::vector<std::uint8_t> request;
    std::vector<std::uint8_t> answer;
    std::int64_t delay_ns = 0;
  };
  /// True when this operation is the one that fails.
  bool fails() noexcept;

  Clock& clock_;
  Responder responder_;
  std::deque<Entry> script_;
  std::deque<TimedByte> input_;
  std::vector<std::vector<std::uint8_t>> written_;
  std::int64_t wire_free_ns_ = 0;  // when the host's last byte has left
  std::uint64_t delivered_ = 0;
  int operations_ = 0;
  int failing_operation_ = 0;
  IoStatus failure_ = IoStatus::kTimedOut;
  int mismatches_ = 0;
  bool gone_ = false;
};

}  // namespace kagami::drivers
