/// What `kagami board` prints at its end.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "drivers/virtual/pty_server.hpp"
#include "drivers/virtual/virtual_robot.hpp"
#include "tools/board/board_options.hpp"
#include "tools/board/board_watch.hpp"
#include "tools/cli/console.hpp"

namespace kagami::tools {

struct BoardEnd {
  std::string pty;                   ///< "/dev/pts/7"
  std::string path;                  ///< that, or the link to it
  std::string text;                  ///< how it ended, a sentence
  std::optional<int> program_code;   ///< of --exec
  std::uint32_t modem_requests = 0;  ///< that the preload library answered
  bool dtr_was_high = false;         ///< while requests were sent
  bool port_gone = false;            ///< of --mirror
  std::string memory_error;          ///< why --memory is not complete; empty = it is
  // of the virtual robot
  std::optional<drivers::virtual_robot::PlantBase> base;
  drivers::virtual_robot::RobotCounters robot;
  drivers::virtual_robot::PtyCounters line;
  std::optional<BoardWatchResult> watch;
};

/// Text to standard error and the table of the joints to standard output; under --json one object.
void print_board_end(const BoardOptions& opt, const BoardEnd& end, Console& io);

}  // namespace kagami::tools
