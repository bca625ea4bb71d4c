/// A host on the in-memory line of a virtual KHR-1, with a clock that moves by sleeping alone.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "drivers/rcb1/protocol.hpp"
#include "drivers/virtual/in_memory_port.hpp"
#include "drivers/virtual/virtual_robot.hpp"
#include "models/base/wiring.hpp"

namespace kagami::test {

using Bytes = std::vector<std::uint8_t>;

/// Time passes only while a thread sleeps.
class SleepingClock final : public drivers::Clock {
 public:
  [[nodiscard]] std::int64_t now_ns() const noexcept override { return now_ns_; }
  void sleep_until(std::int64_t at_ns) noexcept override { now_ns_ = std::max(now_ns_, at_ns); }

 private:
  std::int64_t now_ns_ = 0;
};

inline std::filesystem::path khr1_folder() {
  return std::filesystem::path(KAGAMI_SOURCE_DIR) / "models/data/khr1";
}

inline SpeedTable khr1_speeds(bool scaled = true) {
  SpeedTable table;
  table.seconds_per_degree = {0.0028, 0.0030, 0.0032, 0.0034, 0.0036, 0.0038, 0.0086, 0.0178};
  table.scaled = scaled;
  return table;
}

/// Servos that follow their pulse within a degree: no delay, no filters, stiff.
inline ServoSet quick_servos() {
  ServoParameters servo;
  servo.delay = servo.filter_1 = servo.filter_2 = 0.0;
  servo.kp = 200.0;
  servo.kde = 0.0;
  ServoSet set;
  set.joints.assign(17, servo);
  return set;
}

inline drivers::virtual_robot::VirtualRobotConfig quick_config() {
  drivers::virtual_robot::VirtualRobotConfig config;
  config.robot = models::read_robot_folder(khr1_folder(), models::BaseKind::kFixed);
  config.servos = quick_servos();
  return config;
}

/// "FE 7E" as bytes.
inline Bytes from_hex(const std::string& text) {
  Bytes bytes;
  for (std::size_t k = 0; k < text.size(); k += 3) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(text.substr(k, 2), nullptr, 16)));
  }
  return bytes;
}

/// A request with its check sum.
inline Bytes with_sum(Bytes bytes) {
  bytes.push_back(drivers::rcb1::check_sum(bytes));
  return bytes;
}

struct VirtualHost {
  explicit VirtualHost(const drivers::virtual_robot::VirtualRobotConfig& config = quick_config())
      : robot(config), port(robot, clock) {}

  void send(std::span<const std::uint8_t> request) {
    sent_ns = clock.now_ns();
    EXPECT_EQ(port.write(request, {sent_ns + 1'000'000'000}), drivers::IoStatus::kOk);
  }
  /// Writes, then reads `count` bytes for at most `patience_ns`; what came, perhaps less.
  Bytes exchange(const Bytes& request, std::size_t count, std::int64_t patience_ns = 100'000'000) {
    send(request);
    return read(count, patience_ns);
  }
  Bytes read(std::size_t count, std::int64_t patience_ns = 100'000'000) {
    Bytes reply(count);
    std::size_t received = 0;
    status = port.read(reply, received, {clock.now_ns() + patience_ns});
    reply.resize(received);
    return reply;
  }
  /// From the last write to now.
  [[nodiscard]] std::int64_t elapsed_ns() const { return clock.now_ns() - sent_ns; }
  void wait(double seconds) {
    clock.sleep_until(clock.now_ns() + static_cast<std::int64_t>(seconds * 1e9));
    robot.advance_to(clock.now_ns());
  }
  /// All servos of a board to these counts at a speed code.
  Bytes set(int board, const std::vector<int>& counts, int speed = 0) {
    Bytes request = {0xFD, static_cast<std::uint8_t>(board), static_cast<std::uint8_t>(speed)};
    for (const int count : counts) request.push_back(static_cast<std::uint8_t>(count));
    return exchange(with_sum(request), 2);
  }
  /// The twelve counts of an FC answer.
  Bytes counts(int board) {
    const Bytes reply = exchange(with_sum({0xFC, static_cast<std::uint8_t>(board)}), 14);
    if (reply.size() != 14) return {};
    return {reply.begin() + 1, reply.end() - 1};
  }

  SleepingClock clock;
  drivers::virtual_robot::VirtualRobot robot;
  drivers::virtual_robot::InMemoryPort port;
  drivers::IoStatus status = drivers::IoStatus::kOk;
  std::int64_t sent_ns = 0;
};

}  // namespace kagami::test
