#include "drivers/virtual/pty_server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <optional>

#include "models/base/errors.hpp"

namespace kagami::drivers::virtual_robot {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kIdleNs = 5'000'000;     // longest sleep: the plant keeps real time
constexpr std::int64_t kSpinNs = 60'000;        // before the end of an answer
constexpr std::int64_t kPlantTimeNs = 150'000;  // what catching up may cost
constexpr std::int64_t kRestoreAfterNs = 1'000'000'000;

[[noreturn]] void fail(const std::string& what, int error) {
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

// a link in the place of an old one, never in the place of anything else
void put_link(const fs::path& link, const std::string& target) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(link, error);
  if (fs::exists(status) && !fs::is_symlink(status)) {
    throw PortError(link.string() + ": exists and is not a symbolic link, expected a free path");
  }
  fs::path fresh = link;
  fresh += ".new";
  fs::remove(fresh, error);
  fs::create_symlink(target, fresh, error);
  if (!error) fs::rename(fresh, link, error);
  if (error) throw PortError(link.string() + ": cannot be created: " + error.message());
}

void poll_until(int fd, bool for_input, std::int64_t wait_ns, bool& has_input) noexcept {
  pollfd item{fd, static_cast<short>(for_input ? POLLIN : 0), 0};
  const timespec time{wait_ns / 1'000'000'000, wait_ns % 1'000'000'000};
  has_input = ::ppoll(&item, 1, &time, nullptr) > 0 && (item.revents & POLLIN) != 0;
}

}  // namespace

PtyServer::PtyServer(VirtualRobot& robot, Clock& clock, const fs::path& link)
    : robot_(robot), clock_(clock) {
  master_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (master_ < 0) fail("pseudo-terminal", errno);
  std::array<char, 64> name{};
  if (::grantpt(master_) != 0 || ::unlockpt(master_) != 0 ||
      ::ptsname_r(master_, name.data(), name.size()) != 0) {
    const int error = errno;
    ::close(master_);
    fail("pseudo-terminal", error);
  }
  path_ = name.data();
  slave_ = ::open(path_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (slave_ < 0 || !make_raw(slave_)) {
    const int error = errno;
    if (slave_ >= 0) ::close(slave_);
    ::close(master_);
    fail(path_, error);
  }
  try {
    if (!link.empty()) put_link(link, path_);
  } catch (...) {
    ::close(slave_);
    ::close(master_);
    throw;
  }
  link_ = link;
  last_input_ns_ = clock_.now_ns();
  robot_.begin_at(last_input_ns_);
}

PtyServer::~PtyServer() {
  std::error_code error;
  if (!link_.empty() && fs::read_symlink(link_, error) == path_) fs::remove(link_, error);
  ::close(master_);
  ::close(slave_);
}

void PtyServer::serve(const std::atomic<bool>& stop) noexcept {
  while (!stop.load(std::memory_order_relaxed)) {
    read_host();
    send_due();
    step_plant();
    restore_when_idle();
    wait();
  }
}

// Bytes are on the wire from the moment they are seen here; the wire, not this loop, then
// determines when they are through.
void PtyServer::read_host() noexcept {
  std::array<std::uint8_t, 1024> bytes{};
  const std::size_t room = std::min(bytes.size(), robot_.input_room());
  if (room == 0) return;
  const ssize_t count = ::read(master_, bytes.data(), room);
  if (count <= 0) return;  // nothing there: the held slave keeps a closing host from showing up
  const auto size = static_cast<std::size_t>(count);
  last_input_ns_ = clock_.now_ns();
  is_restored_ = false;
  counters_.bytes_in += size;
  robot_.receive(std::span(bytes).first(size), last_input_ns_);
}

void PtyServer::send_due() noexcept {
  std::array<std::uint8_t, 256> bytes{};
  robot_.advance_line_to(clock_.now_ns());
  if (robot_.pending_output() == 0) return;
  const std::size_t count = robot_.take_output(bytes);
  std::size_t sent = 0;
  while (sent < count) {
    const ssize_t n = ::write(master_, bytes.data() + sent, count - sent);
    if (n > 0) {
      sent += static_cast<std::size_t>(n);
    } else if (n == 0 || errno != EINTR) {
      break;  // buffer full: a UART does not wait for its reader either
    }
  }
  counters_.bytes_out += sent;
  if (count == 0 || robot_.pending_output() > 0) return;
  ++counters_.answers;
}

// only while nothing is due: an answer must not wait for the plant
void PtyServer::step_plant() noexcept {
  const std::int64_t now_ns = clock_.now_ns();
  const std::optional<std::int64_t> next_ns = robot_.next_output_ns();
  if (next_ns && *next_ns - now_ns < kPlantTimeNs) return;
  robot_.advance_to(now_ns);
}

void PtyServer::wait() noexcept {
  const std::int64_t now_ns = clock_.now_ns();
  std::int64_t wake_ns = now_ns + kIdleNs;
  bool is_end = false;
  if (const std::optional<std::int64_t> next_ns = robot_.next_output_ns()) {
    wake_ns = std::min(wake_ns, *next_ns);
    const std::size_t pending = robot_.pending_output();
    is_end = pending > 0 && robot_.next_output_ns(pending) == next_ns;
  }
  bool has_input = false;
  const std::int64_t sleep_ns = wake_ns - now_ns - (is_end ? kSpinNs : 0);
  if (sleep_ns > 0) poll_until(master_, robot_.input_room() > 0, sleep_ns, has_input);
  if (has_input) return;
  while (is_end && clock_.now_ns() < wake_ns) {
  }
}

// A host may leave the terminal cooked or locked for others (TIOCEXCL), which would outlive it as
// the slave stays open here. After a second of silence both are undone.
void PtyServer::restore_when_idle() noexcept {
  if (is_restored_ || clock_.now_ns() - last_input_ns_ < kRestoreAfterNs) return;
  static_cast<void>(::ioctl(slave_, TIOCNXCL));
  static_cast<void>(make_raw(slave_));
  is_restored_ = true;
}

}  // namespace kagami::drivers::virtual_robot
