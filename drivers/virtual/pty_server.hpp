/// The virtual robot at the end of a pseudo-terminal: for `--clock real`, `kagami board` and
/// programs that are not ours.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "drivers/port/clock.hpp"
#include "drivers/virtual/line_listener.hpp"
#include "drivers/virtual/pseudo_terminal.hpp"
#include "drivers/virtual/virtual_robot.hpp"

namespace kagami::drivers::virtual_robot {

/// Counted by serve(); read them after it returned.
struct PtyCounters {
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t answers = 0;
  std::int64_t lost_ns = 0;  ///< by which the robot's time is behind the clock's: see serve()
};

/// Opens a pseudo-terminal in raw mode, so that no byte is ever echoed or changed, and answers on
/// it. Borrows robot and clock, which must outlive it.
class PtyServer {
 public:
  /// `link`: see PseudoTerminal. Switches the robot on at the clock's present time. Throws
  /// PortError.
  PtyServer(VirtualRobot& robot, Clock& clock, const std::filesystem::path& link = {});
  PtyServer(const PtyServer&) = delete;
  PtyServer& operator=(const PtyServer&) = delete;

  /// "/dev/pts/7": what the host opens.
  [[nodiscard]] const std::string& path() const noexcept { return terminal_.path(); }
  /// Before serve().
  void listen(LineListener listener) { listener_ = std::move(listener); }

  /// Answers until `stop` is set; notices it within 10 ms. Runs on a thread of the caller, who
  /// gives that thread its priority and a timer slack of 1 ns (prctl) if it shall be punctual.
  /// Sleeps while nothing is due, spins for at most 60 us before the end of an answer. If the plant
  /// is more than a second late (a slow or busy computer, a stopped process), the robot's time
  /// loses the rest.
  void serve(const std::atomic<bool>& stop) noexcept;

  [[nodiscard]] const PtyCounters& counters() const noexcept { return counters_; }

 private:
  /// The robot's time.
  [[nodiscard]] std::int64_t now_ns() const noexcept { return clock_.now_ns() - counters_.lost_ns; }
  void begin_turn() noexcept;
  void read_host() noexcept;
  void send_due() noexcept;
  void step_plant() noexcept;
  void wait() noexcept;
  void restore_when_idle() noexcept;

  VirtualRobot& robot_;
  Clock& clock_;
  PseudoTerminal terminal_;
  LineListener listener_;
  std::int64_t turn_ns_ = 0;  // the robot's time in this turn of serve()
  std::int64_t last_input_ns_ = 0;
  bool is_restored_ = true;  // raw and open to all users, no input since
  PtyCounters counters_;
};

}  // namespace kagami::drivers::virtual_robot
