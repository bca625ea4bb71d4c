#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "tools/cli/console.hpp"
#include "tools/cli/stop_signals.hpp"
#include "tools/commands/run_cli.hpp"

namespace {

int terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

kagami::tools::ConsoleSettings settings_of_this_process() {
  kagami::tools::ConsoleSettings settings;
  settings.in_is_terminal = isatty(STDIN_FILENO) == 1;
  settings.out_is_terminal = isatty(STDOUT_FILENO) == 1;
  settings.err_is_terminal = isatty(STDERR_FILENO) == 1;
  settings.width = terminal_width();
  settings.environment = [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
  std::error_code unreadable;
  settings.program = std::filesystem::read_symlink("/proc/self/exe", unreadable).string();
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

}  // namespace

int main(int argc, char** argv) {
  fill_closed_streams();
  kagami::tools::ignore_output_signals();
  const std::vector<std::string> args(argv + 1, argv + argc);
  kagami::tools::Console io(std::cin, std::cout, std::cerr, settings_of_this_process());
  return kagami::tools::run_cli(args, io);
}
