#include "drivers/virtual/pseudo_terminal.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "drivers/port/list_ports.hpp"
#include "models/base/errors.hpp"

namespace kagami::drivers::virtual_robot {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_terminal(const std::string& what, int error) {
  throw PortError(what + ": " + std::strerror(error));
}

bool make_raw(int fd) noexcept {
  termios settings{};
  if (::tcgetattr(fd, &settings) != 0) return false;
  ::cfmakeraw(&settings);
  ::cfsetspeed(&settings, B115200);
  settings.c_cflag |= CLOCAL | CREAD;
  return ::tcsetattr(fd, TCSANOW, &settings) == 0;
}

// A terminal goes with the process that made it, so a link to one that exists is in use. The number
// of a process that was killed may be ours by now.
void check_replaceable(const fs::path& link, const std::string& own_terminal) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(link, error);
  if (!fs::exists(status)) return;
  if (!fs::is_symlink(status)) {
    throw PortError(link.string() + ": exists and is not a symbolic link, expected a free path");
  }
  const std::string target = fs::read_symlink(link, error).string();
  if (target == own_terminal) return;
  if (target.rfind("/dev/pts/", 0) != 0) {
    throw PortError(link.string() + ": is a link to " + target + ", expected a free path");
  }
  if (!fs::exists(link, error)) return;
  const std::string holder = holder_text(target);
  throw PortError(link.string() + ": leads to " + target + ", which " +
                  (holder.empty() ? "another process" : holder) +
                  " has open; expected another path, or end that program first");
}

void put_link(const fs::path& link, const std::string& target) {
  check_replaceable(link, target);
  std::error_code error;
  fs::path fresh = link;
  fresh += "." + std::to_string(::getpid()) + ".new";  // a name of our own; taken: an error
  fs::create_symlink(target, fresh, error);
  if (!error) {
    fs::rename(fresh, link, error);
    std::error_code ignored;
    if (error) fs::remove(fresh, ignored);
  }
  if (error) throw PortError(link.string() + ": cannot be created: " + error.message());
}

}  // namespace

PseudoTerminal::PseudoTerminal(const fs::path& link) {
  master_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (master_ < 0) fail_terminal("pseudo-terminal", errno);
  std::array<char, 64> name{};
  if (::grantpt(master_) != 0 || ::unlockpt(master_) != 0 ||
      ::ptsname_r(master_, name.data(), name.size()) != 0) {
    const int error = errno;
    ::close(master_);
    fail_terminal("pseudo-terminal", error);
  }
  path_ = name.data();
  slave_ = ::open(path_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (slave_ < 0 || !make_raw(slave_)) {
    const int error = errno;
    if (slave_ >= 0) ::close(slave_);
    ::close(master_);
    fail_terminal(path_, error);
  }
  try {
    if (!link.empty()) put_link(link, path_);
  } catch (...) {
    ::close(slave_);
    ::close(master_);
    throw;
  }
  link_ = link;
}

PseudoTerminal::~PseudoTerminal() {
  std::error_code error;
  if (!link_.empty() && fs::read_symlink(link_, error) == path_) fs::remove(link_, error);
  ::close(master_);
  ::close(slave_);
}

void PseudoTerminal::restore() noexcept {
  static_cast<void>(::ioctl(slave_, TIOCNXCL));
  static_cast<void>(make_raw(slave_));
}

}  // namespace kagami::drivers::virtual_robot
