#include "drivers/port/tty_io.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

namespace kagami::drivers::tty {
namespace {

constexpr std::int64_t kNsPerS = 1'000'000'000;

/// One poll until `deadline`; `revents` is 0 when it expired.
bool poll_once(int fd, short events, Deadline deadline, const Clock& clock,
               short& revents) noexcept {
  for (;;) {
    const std::int64_t left = std::max<std::int64_t>(deadline.at_ns - clock.now_ns(), 0);
    const timespec wait{left / kNsPerS, left % kNsPerS};
    pollfd p{fd, events, 0};
    const int n = ::ppoll(&p, 1, &wait, nullptr);
    if (n < 0 && errno == EINTR) continue;
    revents = p.revents;
    return n >= 0;
  }
}

}  // namespace

Wait wait_readable(int fd, Deadline deadline, const Clock& clock) noexcept {
  short revents = 0;
  if (!poll_once(fd, POLLIN, deadline, clock, revents)) return Wait::kGone;
  if (revents == 0) return Wait::kExpired;
  const bool hung_up = (revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
  if (hung_up && available(fd) <= 0) return Wait::kGone;
  return Wait::kReady;
}

Wait wait_writable(int fd, Deadline deadline, const Clock& clock) noexcept {
  if (clock.now_ns() > deadline.at_ns) return Wait::kExpired;
  short revents = 0;
  if (!poll_once(fd, POLLOUT, deadline, clock, revents)) return Wait::kGone;
  if ((revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) return Wait::kGone;
  return revents == 0 ? Wait::kExpired : Wait::kReady;
}

int available(int fd) noexcept {
  int count = 0;
  return ::ioctl(fd, FIONREAD, &count) == 0 ? count : -1;
}

std::size_t discard(int fd) noexcept {
  std::array<std::uint8_t, 256> waste;
  std::size_t total = 0;
  // bounded: the kernel's buffer is below 16 KiB, more than 64 KiB is a line that never stops
  while (total < (64u << 10)) {
    const ssize_t n = ::read(fd, waste.data(), waste.size());
    if (n <= 0) break;
    total += static_cast<std::size_t>(n);
    if (static_cast<std::size_t>(n) < waste.size()) break;
  }
  return total;
}

}  // namespace kagami::drivers::tty
