#include "tools/cli/open_page.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

extern char** environ;

namespace kagami::tools {
namespace {

bool write_for_the_user_alone(const std::string& file, const std::string& text) {
  unlink(file.c_str());
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (descriptor < 0) return false;
  const bool whole =
      write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(descriptor);
  return whole;
}

}  // namespace

std::string leading_page(const std::string& url) {
  std::string safe;
  for (const char c : url) {
    if (c == '&') {
      safe += "&amp;";
    } else if (c == '"') {
      safe += "&quot;";
    } else if (c == '<') {
      safe += "&lt;";
    } else {
      safe += c;
    }
  }
  return "<!doctype html><meta charset=\"utf-8\"><title>Kagami</title>"
         "<meta http-equiv=\"refresh\" content=\"0;url=" +
         safe + "\"><a href=\"" + safe + "\">Kagami</a>\n";
}

bool open_page(const Console& io, const std::string& url) {
  const bool has_desktop = io.environment("DISPLAY") || io.environment("WAYLAND_DISPLAY");
  const auto folder = io.environment("XDG_RUNTIME_DIR");
  if (io.out_width() == 0 || !has_desktop || !folder) return false;
  std::string file = *folder + "/kagami-dashboard.html";
  if (!write_for_the_user_alone(file, leading_page(url))) return false;
  std::string program = "xdg-open";
  std::array<char*, 3> arguments{program.data(), file.data(), nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments.data(), environ) != 0) {
    return false;
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace kagami::tools
