#include "drivers/port/tty.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/serial.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "drivers/port/list_ports.hpp"
#include "drivers/port/tty_io.hpp"
#include "models/base/errors.hpp"

namespace kagami::drivers::tty {
namespace {

constexpr std::int64_t kQuietNs = 50'000'000;
constexpr std::int64_t kMaxNoiseNs = 1'000'000'000;

std::string system_text(int error) {
  return std::strerror(error);
}

std::string owner_text(const struct stat& st) {
  const passwd* user = ::getpwuid(st.st_uid);
  const group* grp = ::getgrgid(st.st_gid);
  const std::string user_name = user != nullptr ? user->pw_name : std::to_string(st.st_uid);
  const std::string group_name = grp != nullptr ? grp->gr_name : std::to_string(st.st_gid);
  return "it belongs to user " + user_name + ", group " + group_name + "; 'sudo usermod -aG " +
         group_name + " $USER' and a new login let you in";
}

std::string found_text() {
  const std::vector<PortInfo> ports = list_ports();
  if (ports.empty()) return "no serial port found on this machine";
  std::string text = "found:";
  for (const PortInfo& port : ports) text += " " + (port.by_id.empty() ? port.path : port.by_id);
  return text;
}

[[noreturn]] void fail(const std::string& path, const std::string& problem) {
  throw PortError(path + ": " + problem);
}

[[noreturn]] void fail_busy(const std::string& path) {
  const std::string holder = holder_text(path);
  fail(path, "in use by " + (holder.empty() ? "another program" : holder) +
                 ", expected a free serial port");
}

bool is_pty(int fd) {
  struct stat st {};
  if (::fstat(fd, &st) != 0) return false;
  const unsigned number = major(st.st_rdev);
  return number >= 136 && number <= 143;  // Unix98 pseudo-terminals
}

}  // namespace

FileDescriptor open_checked(const std::string& path) {
  FileDescriptor fd(::open(path.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
  if (fd.get() < 0) {
    const int error = errno;
    struct stat st {};
    const bool exists = ::stat(path.c_str(), &st) == 0;
    if (error == ENOENT) fail(path, "no such port; " + found_text());
    if (error == EBUSY) fail_busy(path);
    if (error == EACCES && exists) fail(path, "permission denied: " + owner_text(st));
    fail(path, "cannot be opened: " + system_text(error));
  }
  if (::isatty(fd.get()) == 0) fail(path, "not a serial port; " + found_text());
  return fd;
}

void claim(int fd, const std::string& path) {
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) fail_busy(path);
    fail(path, "cannot be locked: " + system_text(errno));
  }
  if (::ioctl(fd, TIOCEXCL) != 0) fail(path, "cannot be reserved: " + system_text(errno));
}

void unclaim(int fd) noexcept {
  // the mode outlives our descriptor while another end is open, as on a pseudo-terminal
  ::ioctl(fd, TIOCNXCL);
  ::flock(fd, LOCK_UN);
}

void configure(int fd, const std::string& path) {
  lower_dtr(fd, path);
  termios settings{};
  if (::tcgetattr(fd, &settings) != 0) fail(path, "has no settings: " + system_text(errno));
  ::cfmakeraw(&settings);
  settings.c_cflag |= CLOCAL | CREAD;
  settings.c_cflag &= ~static_cast<tcflag_t>(CSTOPB | CRTSCTS | HUPCL | PARENB);
  settings.c_iflag &= ~static_cast<tcflag_t>(IXON | IXOFF | IXANY);
  settings.c_cc[VMIN] = 1;
  settings.c_cc[VTIME] = 0;
  ::cfsetispeed(&settings, B115200);
  ::cfsetospeed(&settings, B115200);
  if (::tcsetattr(fd, TCSANOW, &settings) != 0)
    fail(path, "cannot be set up: " + system_text(errno));

  termios got{};  // tcsetattr succeeds when any part was set
  if (::tcgetattr(fd, &got) != 0 || ::cfgetospeed(&got) != B115200 ||
      (got.c_lflag & (ICANON | ECHO)) != 0 || (got.c_cflag & CSIZE) != CS8) {
    fail(path, "does not support 115200 baud 8N1 raw");
  }
  lower_dtr(fd, path);  // some drivers raise it with the speed
}

void lower_dtr(int fd, const std::string& path) {
  const int dtr = TIOCM_DTR;
  if (::ioctl(fd, TIOCMBIC, &dtr) == 0 || (errno == ENOTTY && is_pty(fd))) return;
  fail(path, "DTR cannot be set low (" + system_text(errno) +
                 "); with DTR high the boards do not answer");
}

std::string request_low_latency(int fd, const std::string& path) {
  serial_struct serial{};
  if (::ioctl(fd, TIOCGSERIAL, &serial) == 0) {
    serial.flags |= ASYNC_LOW_LATENCY;
    ::ioctl(fd, TIOCSSERIAL, &serial);  // the timer below shows whether it helped
  }
  const int timer_ms = latency_timer_ms(path);
  if (timer_ms <= 1) return {};
  return path + ": answers wait up to " + std::to_string(timer_ms) +
         " ms in the adapter; the udev rule ACTION==\"add\", SUBSYSTEM==\"usb-serial\", "
         "DRIVER==\"ftdi_sio\", ATTR{latency_timer}=\"1\" corrects it";
}

std::string discard_until_quiet(int fd, const std::string& path, const Clock& clock) {
  const std::int64_t give_up = clock.now_ns() + kMaxNoiseNs;
  std::size_t bytes = 0;
  bool modem_manager = false;
  for (;;) {
    const Wait wait = wait_readable(fd, {clock.now_ns() + kQuietNs}, clock);
    if (wait == Wait::kGone) fail(path, "hung up: the device or the other end was disconnected");
    if (wait == Wait::kExpired) break;
    std::array<char, 256> waste{};
    const ssize_t n = ::read(fd, waste.data(), waste.size());
    if (n > 0) {
      const std::string text(waste.data(), static_cast<std::size_t>(n));
      bytes += text.size();
      modem_manager |= text.find("AT") != std::string::npos;
    }
    if (clock.now_ns() > give_up) {
      fail(path, "the line is not quiet (" + std::to_string(bytes) +
                     " bytes received in a second), expected no input before the first request");
    }
  }
  if (bytes == 0) return {};
  std::string note = path + ": " + std::to_string(bytes) + " bytes were waiting and were dropped";
  if (modem_manager) {
    note +=
        "; they look like ModemManager's: the udev rule ENV{ID_MM_DEVICE_IGNORE}=\"1\" stops it";
  }
  return note;
}

}  // namespace kagami::drivers::tty
