#include "drivers/virtual/pty_server.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <optional>

namespace kagami::drivers::virtual_robot {
namespace {

constexpr std::int64_t kIdleNs = 5'000'000;     // longest sleep: the plant keeps real time
constexpr std::int64_t kSpinNs = 60'000;        // before the end of an answer
constexpr std::int64_t kPlantTimeNs = 150'000;  // what catching up may cost
constexpr std::int64_t kRestoreAfterNs = 1'000'000'000;
constexpr std::int64_t kMostLateNs = 1'000'000'000;  // of the plant

void poll_until(int fd, bool for_input, std::int64_t wait_ns, bool& has_input) noexcept {
  pollfd item{fd, static_cast<short>(for_input ? POLLIN : 0), 0};
  const timespec time{wait_ns / 1'000'000'000, wait_ns % 1'000'000'000};
  has_input = ::ppoll(&item, 1, &time, nullptr) > 0 && (item.revents & POLLIN) != 0;
}

}  // namespace

PtyServer::PtyServer(VirtualRobot& robot, Clock& clock, const std::filesystem::path& link)
    : robot_(robot), clock_(clock), terminal_(link) {
  last_input_ns_ = now_ns();
  robot_.begin_at(last_input_ns_);
}

void PtyServer::serve(const std::atomic<bool>& stop) noexcept {
  while (!stop.load(std::memory_order_relaxed)) {
    begin_turn();
    if (listener_.turn) listener_.turn(clock_.now_ns());
    read_host();
    send_due();
    step_plant();
    restore_when_idle();
    wait();
  }
}

// A computer that is too slow would otherwise need longer for each round than for the one before.
void PtyServer::begin_turn() noexcept {
  const std::int64_t limit_ns = robot_.plant_time_ns() + kMostLateNs;
  turn_ns_ = now_ns();
  if (turn_ns_ <= limit_ns) return;
  counters_.lost_ns += turn_ns_ - limit_ns;
  turn_ns_ = limit_ns;
}

// Bytes are on the wire from the moment they are seen here; the wire, not this loop, then
// determines when they are through.
void PtyServer::read_host() noexcept {
  std::array<std::uint8_t, 1024> bytes{};
  const std::size_t room = std::min(bytes.size(), robot_.input_room());
  if (room == 0) return;
  const ssize_t count = ::read(terminal_.master(), bytes.data(), room);
  if (count <= 0) return;  // nothing there: the held slave keeps a closing host from showing up
  const auto size = static_cast<std::size_t>(count);
  last_input_ns_ = turn_ns_;
  is_restored_ = false;
  counters_.bytes_in += size;
  robot_.receive(std::span(bytes).first(size), last_input_ns_);
  if (listener_.bytes) listener_.bytes(clock_.now_ns(), true, std::span(bytes).first(size));
}

void PtyServer::send_due() noexcept {
  std::array<std::uint8_t, 256> bytes{};
  robot_.advance_line_to(turn_ns_);
  if (robot_.pending_output() == 0) return;
  const std::size_t count = robot_.take_output(bytes);
  std::size_t sent = 0;
  while (sent < count) {
    const ssize_t n = ::write(terminal_.master(), bytes.data() + sent, count - sent);
    if (n > 0) {
      sent += static_cast<std::size_t>(n);
    } else if (n == 0 || errno != EINTR) {
      break;  // buffer full: a UART does not wait for its reader either
    }
  }
  counters_.bytes_out += sent;
  if (sent > 0 && listener_.bytes) {
    listener_.bytes(clock_.now_ns(), false, std::span(bytes).first(sent));
  }
  if (count == 0 || robot_.pending_output() > 0) return;
  ++counters_.answers;
}

// only while nothing is due: an answer must not wait for the plant
void PtyServer::step_plant() noexcept {
  const std::optional<std::int64_t> next_ns = robot_.next_output_ns();
  if (next_ns && *next_ns - now_ns() < kPlantTimeNs) return;
  robot_.advance_to(turn_ns_);
}

void PtyServer::wait() noexcept {
  const std::int64_t now = now_ns();
  std::int64_t wake_ns = now + kIdleNs;
  bool is_end = false;
  if (const std::optional<std::int64_t> next_ns = robot_.next_output_ns()) {
    wake_ns = std::min(wake_ns, *next_ns);
    const std::size_t pending = robot_.pending_output();
    is_end = pending > 0 && robot_.next_output_ns(pending) == next_ns;
  }
  bool has_input = false;
  const std::int64_t sleep_ns = wake_ns - now - (is_end ? kSpinNs : 0);
  if (sleep_ns > 0) poll_until(terminal_.master(), robot_.input_room() > 0, sleep_ns, has_input);
  if (has_input) return;
  while (is_end && now_ns() < wake_ns) {
  }
}

// A host may leave the terminal cooked or locked for others (TIOCEXCL), which would outlive it as
// the slave stays open here. After a second of silence both are undone.
void PtyServer::restore_when_idle() noexcept {
  if (is_restored_ || now_ns() - last_input_ns_ < kRestoreAfterNs) return;
  terminal_.restore();
  is_restored_ = true;
}

}  // namespace kagami::drivers::virtual_robot
