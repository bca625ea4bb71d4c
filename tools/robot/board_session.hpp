/// The line to the boards of one robot, opened once for a command: a real port, or a virtual robot.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "drivers/rcb1/khr1_link.hpp"
#include "drivers/virtual/virtual_robot.hpp"
#include "runtime/clock/clock.hpp"

namespace kagami::tools {

/// One owner, one thread. The functions of tools/robot/ ask over it.
class BoardSession {
 public:
  /// Borrows port and clock, which must outlive it. `name` is the port as the user entered it.
  BoardSession(drivers::BytePort& port, drivers::Clock& clock, const RobotWiring& wiring,
               std::string name);
  /// Opens a serial port or a pseudo-terminal. Throws PortError.
  static std::unique_ptr<BoardSession> open(const std::string& path, const std::string& library,
                                            const RobotWiring& wiring);
  /// Switches a virtual robot on, in simulated time: nothing waits. Throws ConfigError.
  static std::unique_ptr<BoardSession> simulate(
      const drivers::virtual_robot::VirtualRobotConfig& config,
      const std::vector<std::string>& faults, const RobotWiring& wiring);
  ~BoardSession();
  BoardSession(const BoardSession&) = delete;
  BoardSession& operator=(const BoardSession&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] bool is_virtual() const noexcept { return robot_ != nullptr; }
  [[nodiscard]] const RobotWiring& wiring() const noexcept { return link_.wiring(); }
  [[nodiscard]] const drivers::rcb1::Calibration& calibration() const noexcept {
    return link_.calibration();
  }
  [[nodiscard]] int num_boards() const noexcept { return link_.num_boards(); }
  /// On the line, 0..31.
  [[nodiscard]] int board_id(int board) const {
    return wiring().boards[static_cast<std::size_t>(board)].id;
  }
  [[nodiscard]] drivers::Khr1Link& link() noexcept { return link_; }
  [[nodiscard]] drivers::rcb1::Line& line() noexcept { return link_.line(); }
  /// Sentences of the port for the user.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

  [[nodiscard]] std::int64_t now_ns() const noexcept { return clock_.now_ns(); }
  void wait(double seconds) noexcept;
  /// Stores the memory of a virtual robot. Throws RecordError when its file cannot be written.
  void finish();

 private:
  /// What a session owns that it opened itself.
  struct Owned;
  BoardSession(std::unique_ptr<Owned> owned, const RobotWiring& wiring, std::string name);

  std::unique_ptr<Owned> owned_;
  drivers::virtual_robot::VirtualRobot* robot_ = nullptr;
  drivers::Clock& clock_;
  std::string name_;
  std::vector<std::string> notes_;
  drivers::Khr1Link link_;
};

}  // namespace kagami::tools
