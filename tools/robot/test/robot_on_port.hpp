/// A virtual robot on a pseudo-terminal, whose requests a test sees before the boards do.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "drivers/rcb1/protocol.hpp"
#include "runtime/clock/clock.hpp"
#include "tools/robot/test/board_case.hpp"

namespace kagami::test {

/// Served by a thread until it is unplugged.
class RobotOnPort {
 public:
  using Alter = std::function<void(std::vector<std::uint8_t>& bytes)>;

  /// `alter` gets every request, on the thread; what it leaves is sent, with a new check sum.
  explicit RobotOnPort(Alter alter = {}, const BoardCase::Config& config = BoardCase::config())
      : alter_(std::move(alter)), robot_(config) {
    master_ = posix_openpt(O_RDWR | O_NOCTTY);
    EXPECT_GE(master_, 0);
    EXPECT_EQ(grantpt(master_), 0);
    EXPECT_EQ(unlockpt(master_), 0);
    path_ = ptsname(master_);
    slave_ = open(path_.c_str(), O_RDWR | O_NOCTTY);  // held: it outlives the host's closing
    termios raw{};
    EXPECT_EQ(tcgetattr(slave_, &raw), 0);
    cfmakeraw(&raw);
    EXPECT_EQ(tcsetattr(slave_, TCSANOW, &raw), 0);
    robot_.begin_at(clock_.now_ns());
    thread_ = std::thread([this] { serve(); });
  }
  ~RobotOnPort() { unplug(); }
  RobotOnPort(const RobotOnPort&) = delete;
  RobotOnPort& operator=(const RobotOnPort&) = delete;

  void unplug() {
    stop_ = true;
    if (!thread_.joinable()) return;
    thread_.join();
    close(slave_);
    close(master_);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void serve() {
    std::array<std::uint8_t, 256> buffer{};
    while (!stop_) {
      pollfd waiting{master_, POLLIN, 0};
      if (poll(&waiting, 1, 1) > 0 && (waiting.revents & POLLIN) != 0) {
        const ssize_t n = read(master_, buffer.data(), buffer.size());
        if (n > 0) receive({buffer.begin(), buffer.begin() + n});
      }
      robot_.advance_to(clock_.now_ns());
      const std::size_t out = robot_.take_output(buffer);
      if (out == 0) continue;
      EXPECT_EQ(write(master_, buffer.data(), out), static_cast<ssize_t>(out));
    }
  }
  void receive(std::vector<std::uint8_t> bytes) {
    if (alter_ && bytes.size() > 1) {
      alter_(bytes);
      bytes.back() = drivers::rcb1::check_sum({bytes.data(), bytes.size() - 1});
    }
    static_cast<void>(robot_.receive(bytes, clock_.now_ns()));
  }

  Alter alter_;
  runtime::SteadyClock clock_;
  drivers::virtual_robot::VirtualRobot robot_;
  std::string path_;
  int master_ = -1;
  int slave_ = -1;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace kagami::test
