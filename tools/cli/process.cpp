// run_process: what the arguments, streams and files of this process are to run_cli.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <vector>

#include "tools/cli/run_cli.hpp"
#include "tools/cli/stop_signals.hpp"
#include "tools/cli/subprogram.hpp"

namespace kagami::tools {
namespace {

int terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

ConsoleSettings settings_of_this_process() {
  ConsoleSettings settings;
  settings.in_is_terminal = isatty(STDIN_FILENO) == 1;
  settings.out_is_terminal = isatty(STDOUT_FILENO) == 1;
  settings.err_is_terminal = isatty(STDERR_FILENO) == 1;
  settings.width = terminal_width();
  settings.environment = [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
  std::error_code unreadable;
  settings.program =
      main_program(std::filesystem::read_symlink("/proc/self/exe", unreadable)).string();
  return settings;
}

// a standard stream that is closed gets a place of its own, so that no file of the run takes its
// number; nothing can be written to it
void fill_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    const int place = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (place >= 0 && place != stream) {
      dup2(place, stream);
      close(place);
    }
  }
}

// replaces this process; returns only when that fails
int start_subprogram(std::string file, char** argv, Console& io) {
  argv[1] = file.data();  // the place of the command's name is that of the program's
  execv(file.c_str(), argv + 1);
  io.error("'" + file + "' cannot be started: " + std::strerror(errno));
  return static_cast<int>(ExitCode::kFailure);
}

std::string description(const std::string& command, AddCommands* add_commands, Console& io) {
  Program program;
  add_commands(program.command(), io);
  return described(command_help(program.command().find_command(command).value()));
}

}  // namespace

int run_process(int argc, char** argv, AddCommands* add_commands, const char* subprogram) {
  fill_closed_streams();
  ignore_output_signals();
  std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  Console io(std::cin, std::cout, std::cerr, settings_of_this_process());
  if (subprogram != nullptr) {
    if (args == std::vector<std::string>{kDescribe}) {
      io.print(description(subprogram, add_commands, io));
      return static_cast<int>(ExitCode::kOk);
    }
    args.insert(args.begin(), subprogram);
  } else if (const std::string needed = needed_subprogram(args); !needed.empty()) {
    const std::filesystem::path file = subprogram_file(io.program(), needed);
    if (!file.empty()) return start_subprogram(file, argv, io);
  }
  return run_cli(args, io, add_commands);
}

}  // namespace kagami::tools
