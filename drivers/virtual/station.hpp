/// A board at its place on the line: its input, when it acts, its output, what its servos
/// get, and the faults that change each of these.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "drivers/virtual/fault_schedule.hpp"
#include "drivers/virtual/frame_receiver.hpp"
#include "drivers/virtual/rcb1_board.hpp"
#include "drivers/virtual/wire.hpp"

namespace kagami::drivers::virtual_robot {

/// Bytes of one answer as they leave the board, faults included.
struct Answer {
  std::array<std::uint8_t, rcb1::kMaxFrame + kMaxExtraBytes> bytes{};
  std::size_t size = 0;
  void add(std::uint8_t byte) noexcept { bytes[size++] = byte; }
  [[nodiscard]] std::span<const std::uint8_t> view() const noexcept { return {bytes.data(), size}; }
};

/// What one servo gets from its board.
struct ServoPulse {
  double degrees = 0.0;    ///< of the shaft, trim included
  bool is_driven = false;  ///< false: no torque
};

/// One request at a time: from its last byte to the last byte of its answer the board receives
/// nothing.
class Station {
 public:
  Station(Rcb1Board rcb1, const BoardBehaviour& behaviour);

  /// A byte of the host. kRequest: request() is a good one, perhaps for another board.
  FrameReceiver::Reception receive_byte(std::uint8_t byte, Ninths end) noexcept;
  [[nodiscard]] const rcb1::Request& request() const noexcept { return receiver_.request(); }
  /// The host's byte comes back from here.
  [[nodiscard]] bool echoes(Ninths end) const noexcept;
  /// The received request names this board, or every board.
  [[nodiscard]] bool is_addressed() const noexcept;
  /// Accepts the received request, complete at `end`.
  void accept(Ninths end) noexcept;

  /// The request that waits for its time to act.
  [[nodiscard]] const std::optional<rcb1::Request>& task() const noexcept { return task_; }
  [[nodiscard]] Ninths act_at() const noexcept { return act_at_; }
  [[nodiscard]] Ninths answer_at() const noexcept { return answer_at_; }
  /// The task as the board acts on it; nothing: it is off, or it restarts.
  [[nodiscard]] std::optional<rcb1::Request> executed() const noexcept;
  /// Ends the task: its answer, empty when the board stays silent.
  Answer finish(const rcb1::Reply& reply) noexcept;
  /// The answer is on the line until `end`.
  void talks_until(Ninths end) noexcept;

  /// Bytes until the request that was begun is complete; 0 = none was begun.
  [[nodiscard]] std::size_t missing() const noexcept { return receiver_.missing(); }
  /// Switches a board that restarts off and on again by this time.
  void follow_restart(std::int64_t at_ns) noexcept;
  /// The pulse of a channel at a time, whose shaft is at `shaft_deg` then. `since_on_ns`: the same
  /// time since the robot was switched on. Times must not run back.
  [[nodiscard]] ServoPulse pulse(int slot, std::int64_t at_ns, std::int64_t since_on_ns,
                                 double shaft_deg) noexcept;

  Rcb1Board board;
  FaultSchedule faults;

 private:
  void falsify(const BoardFaults& f, ChannelCounts& counts) noexcept;
  [[nodiscard]] double latency(rcb1::Command command) const noexcept;

  BoardBehaviour behaviour_;
  FrameReceiver receiver_;
  std::optional<rcb1::Request> task_;
  Ninths act_at_ = 0;
  Ninths answer_at_ = 0;
  Ninths busy_until_ = 0;
  bool is_restarting_ = false;
  // what a fault keeps from its beginning, by channel
  std::array<std::optional<double>, kChannelsPerBoard> kept_pulse_{};
  std::array<std::optional<std::uint8_t>, kChannelsPerBoard> kept_reading_{};
};

}  // namespace kagami::drivers::virtual_robot
