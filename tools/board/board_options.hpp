/// The options of `kagami board`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/cli/command.hpp"
#include "tools/cli/console.hpp"
#include "tools/cli/robot_choice.hpp"

namespace kagami::tools {

struct BoardOptions {
  RobotChoice robot;
  std::string pty;
  std::string preset = "fast";
  std::optional<double> latency_ms;
  std::string plant;
  std::string memory;
  bool dtr_high = false;
  std::vector<std::string> faults;
  std::string on = "stand";
  double friction = 0.5;
  std::string start = "home";
  std::string mirror;  ///< serial port of real boards; empty = the virtual robot answers
  std::string record;
  bool force = false;  ///< an existing record is replaced
  std::string twin;
  bool exec = false;
  std::vector<std::string> program;  ///< of --exec, with its arguments
  bool obey_dtr = false;
  bool view = false;
  std::uint16_t view_port = 0;  ///< 0: any that is free
  bool no_open = false;
  std::optional<double> seconds;

  /// The line is watched: shadow model, comparison, limits.
  [[nodiscard]] bool is_watched() const { return !record.empty() || !mirror.empty() || view; }
};

}  // namespace kagami::tools
