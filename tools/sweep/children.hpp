/// Runs programs side by side, a process each, and hands over what they print.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kagami::tools {

/// One program to run.
struct ChildTask {
  std::uint64_t run = 0;  ///< number by which the end is known
  std::string program;
  std::vector<std::string> arguments;
  std::string folder;  ///< where it runs; empty: here
};

/// How it ended.
struct ChildEnd {
  std::uint64_t run = 0;
  std::string outcome;  ///< "ok", "exit 2", "signal SEGV", "timeout"
  std::string out;      ///< standard output
  std::string message;  ///< last line of standard error, UTF-8
};

struct ChildSettings {
  int jobs = 1;             ///< processes at a time
  double timeout_s = 3600;  ///< then a process is killed
  /// The next task; nothing at the end.
  std::function<std::optional<ChildTask>()> next;
  /// Called for each task that ended, in the order of the ends.
  std::function<void(const ChildEnd&)> ended;
  /// Whether to stop: called several times a second.
  std::function<bool()> is_stopped;
};

/// Until all tasks have ended, or a stop: then the processes that still run are killed and not
/// handed over. They are killed, too, when this process dies or a function above throws. Throws
/// Error when no process can be started. False after a stop. One thread.
bool run_children(const ChildSettings& settings);

/// Processors that this process may use.
int usable_cores();

}  // namespace kagami::tools
