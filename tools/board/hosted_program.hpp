/// A program that a board runs at its terminal.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kagami::tools {

struct HostedProgramSettings {
  std::vector<std::string> words;  ///< program and arguments; "{port}" in them is the terminal
  std::string port;                ///< path of the terminal
  std::filesystem::path preload;   ///< library for LD_PRELOAD; empty = none
  std::string modem_file;          ///< ModemLines::file()
  bool output_to_errors = false;   ///< its standard output goes to our standard error
};

/// Runs from its construction on; ends with it. One thread.
class HostedProgram {
 public:
  /// Throws ConfigError for a program that cannot be started.
  explicit HostedProgram(const HostedProgramSettings& settings);
  ~HostedProgram();
  HostedProgram(const HostedProgram&) = delete;
  HostedProgram& operator=(const HostedProgram&) = delete;

  /// Its exit code, 128 + n after signal n; nothing while it runs.
  std::optional<int> poll();
  /// Waits `patience` for its end, then sends SIGTERM, and SIGKILL two seconds later. Calls
  /// `meanwhile` every few milliseconds. Returns as poll.
  int stop(std::chrono::milliseconds patience, const std::function<void()>& meanwhile);

 private:
  pid_t pid_ = -1;
  std::optional<int> code_;
};

}  // namespace kagami::tools
