#include "drivers/virtual/in_memory_port.hpp"

#include <algorithm>
#include <array>

namespace kagami::drivers::virtual_robot {

InMemoryPort::InMemoryPort(VirtualRobot& robot, Clock& clock) : robot_(robot), clock_(clock) {
  robot_.begin_at(clock_.now_ns());
}

IoStatus InMemoryPort::write(std::span<const std::uint8_t> bytes, Deadline deadline) noexcept {
  while (!gone_) {
    const std::int64_t now_ns = clock_.now_ns();
    robot_.advance_to(now_ns);
    const std::size_t fits = std::min(bytes.size(), robot_.input_room());
    bytes = bytes.subspan(robot_.receive(bytes.first(fits), now_ns));
    if (bytes.empty()) return IoStatus::kOk;
    if (now_ns >= deadline.at_ns) return IoStatus::kTimedOut;
    // room comes as bytes leave, one each 87 us
    constexpr std::int64_t kPauseNs = 1'000'000;
    clock_.sleep_until(std::min(deadline.at_ns, now_ns + kPauseNs));
  }
  return IoStatus::kGone;
}

IoStatus InMemoryPort::read(std::span<std::uint8_t> bytes, std::size_t& received,
                            Deadline deadline) noexcept {
  received = 0;
  while (!gone_) {
    const std::int64_t now_ns = clock_.now_ns();
    robot_.advance_to(now_ns);
    received += robot_.take_output(bytes.subspan(received));
    if (received == bytes.size()) return IoStatus::kOk;
    if (now_ns >= deadline.at_ns) return IoStatus::kTimedOut;
    const auto next_ns = robot_.next_output_ns(bytes.size() - received);
    clock_.sleep_until(std::min(deadline.at_ns, next_ns.value_or(deadline.at_ns)));
  }
  return IoStatus::kGone;
}

std::size_t InMemoryPort::drop_input() noexcept {
  if (gone_) return 0;
  robot_.advance_to(clock_.now_ns());
  std::array<std::uint8_t, 64> waste{};
  std::size_t dropped = 0;
  while (const std::size_t count = robot_.take_output(waste)) dropped += count;
  return dropped;
}

void InMemoryPort::set_dtr(bool high) noexcept {
  robot_.advance_to(clock_.now_ns());
  robot_.set_dtr(high);
}

void InMemoryPort::unplug() noexcept {
  gone_ = true;
}

}  // namespace kagami::drivers::virtual_robot
