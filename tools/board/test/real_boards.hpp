/// What stands for real boards in tests of --mirror, and a program that talks to them.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "drivers/port/open_port.hpp"
#include "drivers/rcb1/line.hpp"
#include "drivers/rcb1/rcb1.hpp"
#include "drivers/virtual/faults.hpp"
#include "drivers/virtual/pty_server.hpp"
#include "models/robot/robot_folder.hpp"
#include "runtime/clock/clock.hpp"

namespace kagami::test {

inline std::filesystem::path khr1_folder() {
  return std::filesystem::path(KAGAMI_SOURCE_DIR) / "models/data/khr1";
}

/// A virtual robot on a terminal of its own; `plant` as of `kagami board`.
class RealBoards {
 public:
  explicit RealBoards(const std::string& plant = "", const std::string& faults = "")
      : robot_(config(plant)), server_(robot_, clock_) {
    if (!faults.empty()) {
      for (const auto& [board, what] : drivers::virtual_robot::parse_placed_faults(faults)) {
        robot_.add_faults(board, what);
      }
    }
    thread_ = std::thread([this] { server_.serve(stop_); });
  }
  ~RealBoards() {
    stop_ = true;
    thread_.join();
  }
  RealBoards(const RealBoards&) = delete;
  RealBoards& operator=(const RealBoards&) = delete;

  [[nodiscard]] const std::string& path() const { return server_.path(); }
  /// After the end of the program that used them.
  [[nodiscard]] drivers::virtual_robot::RobotCounters counters() const { return robot_.counters(); }

 private:
  static drivers::virtual_robot::VirtualRobotConfig config(const std::string& plant) {
    drivers::virtual_robot::VirtualRobotConfig config;
    config.robot = models::read_robot_folder(khr1_folder(), models::BaseKind::kFixed);
    config.servos = drivers::virtual_robot::read_plant_servos(config.robot, khr1_folder(), plant);
    return config;
  }

  drivers::virtual_robot::VirtualRobot robot_;
  runtime::SteadyClock clock_;
  drivers::virtual_robot::PtyServer server_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

/// A program with a port of its own. What the boards do not answer, it gives up after a second.
class OtherProgram {
 public:
  explicit OtherProgram(const std::string& path)
      : opened_(drivers::open_port(path, drivers::PortLibrary::kLibserial, clock_)),
        line_(*opened_.port, clock_) {}

  /// Returns whether the board answered.
  bool ask(drivers::rcb1::Request request, double patience_s = 1.0) {
    drivers::rcb1::ExchangeStamps stamps;
    const auto limit = clock_.now_ns() + static_cast<std::int64_t>(1e9 * patience_s);
    return line_.run(request, reply, {limit}, stamps) == drivers::IoStatus::kOk;
  }
  /// All channels at this count.
  bool set(std::uint8_t board, std::uint8_t count, double patience_s = 1.0) {
    drivers::rcb1::Request request{
        .command = drivers::rcb1::Command::kSetPositions, .board = board, .speed = 0};
    request.counts.fill(count);
    return ask(request, patience_s);
  }
  bool read(std::uint8_t board) {
    return ask({.command = drivers::rcb1::Command::kGetPositions, .board = board});
  }
  drivers::BytePort& port() { return *opened_.port; }
  [[nodiscard]] std::int64_t now_ns() const { return clock_.now_ns(); }

  drivers::rcb1::Reply reply;

 private:
  runtime::SteadyClock clock_;
  drivers::OpenedPort opened_;
  drivers::rcb1::Line line_;
};

}  // namespace kagami::test
