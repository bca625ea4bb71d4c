/// The virtual robot at the end of a pseudo-terminal: for `--clock real`, `kagami board` and
/// programs that are not ours.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>

#include "drivers/port/clock.hpp"
#include "drivers/virtual/virtual_robot.hpp"

namespace kagami::drivers::virtual_robot {

/// Counted by serve(); read them after it returned.
struct PtyCounters {
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t answers = 0;
};

/// Opens a pseudo-terminal in raw mode, so that no byte is ever echoed or changed, and answers on
/// it. Borrows robot and clock, which must outlive it.
class PtyServer {
 public:
  /// `link`: where a symbolic link to the terminal shall be put; an old link is replaced, anything
  /// else refused; empty = no link. Switches the robot on at the clock's present time.
  /// Throws PortError.
  PtyServer(VirtualRobot& robot, Clock& clock, const std::filesystem::path& link = {});
  /// Closes the terminal (for the host it is unplugged) and removes the link.
  ~PtyServer();
  PtyServer(const PtyServer&) = delete;
  PtyServer& operator=(const PtyServer&) = delete;

  /// "/dev/pts/7": what the host opens.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// Answers until `stop` is set; notices it within 10 ms. Runs on a thread of the caller, who
  /// gives that thread its priority and a timer slack of 1 ns (prctl) if it shall be punctual.
  /// Sleeps while nothing is due, spins for at most 60 us before the end of an answer.
  void serve(const std::atomic<bool>& stop) noexcept;

  [[nodiscard]] const PtyCounters& counters() const noexcept { return counters_; }

 private:
  void read_host() noexcept;
  void send_due() noexcept;
  void step_plant() noexcept;
  void wait() noexcept;
  void restore_when_idle() noexcept;

  VirtualRobot& robot_;
  Clock& clock_;
  int master_ = -1;
  int slave_ = -1;  // held open: the terminal survives the host's closing and opening again
  std::string path_;
  std::filesystem::path link_;
  std::int64_t last_input_ns_ = 0;
  bool is_restored_ = true;  // raw and open to all users, no input since
  PtyCounters counters_;
};

}  // namespace kagami::drivers::virtual_robot
