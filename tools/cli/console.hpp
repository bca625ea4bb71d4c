/// Where a command reads and writes: injected streams, so that commands run in process in tests.
///
/// Results go to standard output, everything else to standard error; under --json one object is all
/// that standard output gets.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "tools/cli/exit_code.hpp"

namespace kagami::tools {

/// What the outside world is to one call of the program.
struct ConsoleSettings {
  bool in_is_terminal = false;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  int width = 100;  ///< columns of the terminal; used only where a stream is one
  /// Environment variable by name; empty function = no environment.
  std::function<std::optional<std::string>(const std::string&)> environment;
  /// Monotonic seconds for rate limits; empty = std::chrono::steady_clock.
  std::function<double()> seconds;
  std::string program;  ///< path of `kagami`, to find its data and its subprograms; may be empty
};

/// One thread. Borrows the streams.
class Console {
 public:
  Console(std::istream& in, std::ostream& out, std::ostream& err, ConsoleSettings settings);

  /// A result as text to standard output.
  void print(const std::string& text);
  /// The result for machines: one object, one line end, to standard output.
  void print_json(const nlohmann::json& object);
  /// Remarks to standard error, a line each: silent under -q; `detail` only under -v.
  void say(const std::string& text);
  void detail(const std::string& text);
  /// "warning: ..." also under -q.
  void warn(const std::string& text);
  /// "error: ..." always.
  void error(const std::string& text);
  /// Asks a yes/no question on a terminal; false when standard input is none or the answer is not
  /// yes.
  bool confirm(const std::string& question);
  /// The next line of standard input, terminal or not, after `prompt` on standard error; nothing at
  /// its end.
  std::optional<std::string> read_line(const std::string& prompt);

  /// Share done 0..1 and a short text: a bar on a terminal (10 times a second at most), else a line
  /// every tenth or every 5 s, whichever is later. Silent under -q.
  void progress(double share, const std::string& text);
  /// Ends the bar's line. Harmless without one.
  void end_progress();

  [[nodiscard]] std::optional<std::string> environment(const std::string& name) const;
  [[nodiscard]] double seconds() const;
  /// Columns for tables on standard output; 0 = no limit (not a terminal).
  [[nodiscard]] int out_width() const;
  /// Columns for the help: COLUMNS, else the width of the terminal, else 80; 100 at most.
  [[nodiscard]] int help_width() const;
  [[nodiscard]] const std::string& program() const { return settings_.program; }

  /// False when a result could not be written: standard output is closed or its disk full. What
  /// cannot be written to standard error is dropped.
  [[nodiscard]] bool results_are_written() const;

  void exit_with(ExitCode code) { exit_code_ = code; }
  [[nodiscard]] ExitCode exit_code() const { return exit_code_; }

  bool json = false;      ///< --json
  bool quiet = false;     ///< -q
  bool verbose = false;   ///< -v
  bool no_color = false;  ///< --no-color; NO_COLOR sets it too

 private:
  [[nodiscard]] std::string painted(const char* code, const std::string& text) const;

  std::istream& in_;
  std::ostream& out_;
  std::ostream& err_;
  ConsoleSettings settings_;
  ExitCode exit_code_ = ExitCode::kOk;
  double progress_at_ = -1e9;     // s, of the last bar or line
  double progress_share_ = -1.0;  // of the last plain line
  bool bar_is_open_ = false;
};

}  // namespace kagami::tools
