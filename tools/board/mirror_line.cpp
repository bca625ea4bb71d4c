#include "tools/board/mirror_line.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "drivers/port/tty.hpp"
#include "drivers/port/tty_io.hpp"
#include "drivers/rcb1/calibration.hpp"
#include "drivers/rcb1/rcb1.hpp"
#include "models/base/idx.hpp"

namespace kagami::tools {
namespace {

namespace tty = drivers::tty;
using drivers::IoStatus;

constexpr std::size_t kBuffer = 4096;
constexpr int kWaitMs = 10;
constexpr std::int64_t kRestoreAfterNs = 1'000'000'000;
constexpr int kTries = 3;
constexpr std::int64_t kAnswerNs = 60'000'000;

}  // namespace

MirrorPort::MirrorPort(const std::string& path, const drivers::Clock& clock)
    : clock_(clock), fd_(tty::open_checked(path)) {
  tty::claim(fd_.get(), path);
  try {
    tty::configure(fd_.get(), path);
    for (const std::string& note : {tty::request_low_latency(fd_.get(), path),
                                    tty::discard_until_quiet(fd_.get(), path, clock)}) {
      if (!note.empty()) notes_.push_back(note);
    }
  } catch (...) {
    tty::unclaim(fd_.get());
    throw;
  }
}

MirrorPort::~MirrorPort() {
  tty::unclaim(fd_.get());
}

IoStatus MirrorPort::write(std::span<const std::uint8_t> bytes,
                           drivers::Deadline deadline) noexcept {
  while (!bytes.empty()) {
    const tty::Wait wait = tty::wait_writable(fd(), deadline, clock_);
    if (wait == tty::Wait::kExpired) return IoStatus::kTimedOut;
    if (wait == tty::Wait::kGone) return IoStatus::kGone;
    const ssize_t n = ::write(fd(), bytes.data(), bytes.size());
    if (n < 0 && errno != EAGAIN && errno != EINTR) return IoStatus::kGone;
    if (n > 0) bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return IoStatus::kOk;
}

IoStatus MirrorPort::read(std::span<std::uint8_t> bytes, std::size_t& received,
                          drivers::Deadline deadline) noexcept {
  return tty::read_all(fd(), bytes, received, deadline, clock_,
                       [this](std::span<std::uint8_t> part, std::size_t& got) {
                         const ssize_t n = ::read(fd(), part.data(), part.size());
                         if (n > 0) got = static_cast<std::size_t>(n);
                         return n > 0 || errno == EAGAIN ? IoStatus::kOk : IoStatus::kGone;
                       });
}

std::size_t MirrorPort::drop_input() noexcept {
  return tty::discard(fd());
}

std::optional<JointArray<double>> read_pose(MirrorPort& port, const drivers::Clock& clock,
                                            const RobotWiring& wiring) {
  const drivers::rcb1::Calibration calibration(wiring);
  drivers::rcb1::Line line(port, clock);
  JointArray<double> angle{};
  for (int b = 0; b < calibration.num_boards(); ++b) {
    drivers::rcb1::Rcb1 board(line, wiring.boards[idx(b)], {});
    drivers::ChannelCounts counts{};
    IoStatus status = IoStatus::kTimedOut;
    for (int k = 0; k < kTries && status != IoStatus::kOk && status != IoStatus::kGone; ++k) {
      drivers::rcb1::EffectTime sampled;
      status = board.get_positions(counts, {clock.now_ns() + kAnswerNs}, sampled);
    }
    if (status != IoStatus::kOk) return std::nullopt;
    calibration.to_angles(b, counts, angle);
  }
  return angle;
}

MirrorLine::MirrorLine(MirrorPort& port, drivers::Clock& clock, const std::filesystem::path& link)
    : port_(port), clock_(clock), terminal_(link) {
  to_boards_.reserve(kBuffer);
  to_host_.reserve(kBuffer);
}

bool MirrorLine::read_into(int fd, Buffer& buffer, bool from_host) noexcept {
  std::array<std::uint8_t, 512> bytes{};
  const std::size_t room = std::min(bytes.size(), kBuffer - buffer.size());
  if (room == 0) return true;
  const ssize_t n = ::read(fd, bytes.data(), room);
  if (n == 0) return from_host;
  if (n < 0) return errno == EAGAIN || errno == EINTR || (from_host && errno == EIO);
  const auto some = std::span(bytes).first(static_cast<std::size_t>(n));
  const std::int64_t now_ns = clock_.now_ns();
  buffer.insert(buffer.end(), some.begin(), some.end());  // within what is reserved
  if (listener_.bytes) listener_.bytes(now_ns, from_host, some);
  if (!from_host) return true;
  last_input_ns_ = now_ns;
  is_restored_ = false;
  return true;
}

bool MirrorLine::write_from(int fd, Buffer& buffer) noexcept {
  if (buffer.empty()) return true;
  const ssize_t n = ::write(fd, buffer.data(), buffer.size());
  if (n > 0) buffer.erase(buffer.begin(), buffer.begin() + n);
  return n >= 0 || errno == EAGAIN || errno == EINTR;
}

void MirrorLine::serve(const std::atomic<bool>& stop) noexcept {
  while (!stop.load(std::memory_order_relaxed) && !is_gone()) {
    const auto events = [](const Buffer& in, const Buffer& out) {
      return static_cast<short>((in.size() < kBuffer ? POLLIN : 0) | (out.empty() ? 0 : POLLOUT));
    };
    std::array<pollfd, 2> ends{pollfd{terminal_.master(), events(to_boards_, to_host_), 0},
                               pollfd{port_.fd(), events(to_host_, to_boards_), 0}};
    static_cast<void>(::poll(ends.data(), ends.size(), kWaitMs));
    if (listener_.turn) listener_.turn(clock_.now_ns());
    bool port_is_there = true;
    if ((ends[0].revents & POLLIN) != 0) {
      static_cast<void>(read_into(terminal_.master(), to_boards_, true));
    }
    port_is_there = write_from(port_.fd(), to_boards_);
    if ((ends[1].revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
      port_is_there = port_is_there && read_into(port_.fd(), to_host_, false);
    }
    static_cast<void>(write_from(terminal_.master(), to_host_));
    const bool hung_up =
        (ends[1].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0 && (ends[1].revents & POLLIN) == 0;
    if (!port_is_there || hung_up) is_gone_ = true;
    restore_when_idle(clock_.now_ns());
  }
}

void MirrorLine::restore_when_idle(std::int64_t now_ns) noexcept {
  if (is_restored_ || now_ns - last_input_ns_ < kRestoreAfterNs) return;
  terminal_.restore();
  is_restored_ = true;
}

}  // namespace kagami::tools
