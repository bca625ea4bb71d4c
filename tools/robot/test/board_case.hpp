/// A virtual robot in simulated time, its line under the test's control, and a session on it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "drivers/virtual/in_memory_port.hpp"
#include "models/robot/robot_folder.hpp"
#include "runtime/clock/clock.hpp"
#include "tools/cli/robot_choice.hpp"
#include "tools/robot/board_session.hpp"

namespace kagami::test {

/// Passes everything on; a test may change requests and pull the plug.
class ControlledPort final : public drivers::BytePort {
 public:
  explicit ControlledPort(drivers::virtual_robot::InMemoryPort& port) : port_(port) {}

  /// Called with every request; what it leaves in `bytes` is sent, with a new check sum.
  std::function<void(std::vector<std::uint8_t>& bytes)> alter;
  std::vector<std::vector<std::uint8_t>> sent;  ///< requests, as they left
  int unplug_at = -1;                           ///< this request is not sent any more

  drivers::IoStatus write(std::span<const std::uint8_t> bytes,
                          drivers::Deadline deadline) noexcept override {
    if (unplug_at >= 0 && static_cast<int>(sent.size()) >= unplug_at) port_.unplug();
    std::vector<std::uint8_t> request(bytes.begin(), bytes.end());
    if (alter) {
      alter(request);
      request.back() = drivers::rcb1::check_sum({request.data(), request.size() - 1});
    }
    sent.push_back(request);
    return port_.write(request, deadline);
  }
  drivers::IoStatus read(std::span<std::uint8_t> bytes, std::size_t& received,
                         drivers::Deadline deadline) noexcept override {
    return port_.read(bytes, received, deadline);
  }
  std::size_t drop_input() noexcept override { return port_.drop_input(); }

  /// Requests with this command byte so far.
  [[nodiscard]] int count(drivers::rcb1::Command command) const {
    int n = 0;
    for (const auto& request : sent) n += request[0] == static_cast<std::uint8_t>(command) ? 1 : 0;
    return n;
  }

 private:
  drivers::virtual_robot::InMemoryPort& port_;
};

/// The KHR-1 on its stand.
struct BoardCase {
  using Config = drivers::virtual_robot::VirtualRobotConfig;

  static std::filesystem::path folder() {
    return std::filesystem::path(KAGAMI_SOURCE_DIR) / "models/data/khr1";
  }
  static Config config(const std::string& memory_file = "") {
    Config c;
    c.robot = models::read_robot_folder(folder(), models::BaseKind::kFixed);
    c.servos = drivers::virtual_robot::read_plant_servos(c.robot, folder(), "");
    c.behaviour = drivers::virtual_robot::board_preset("fast");
    c.memory_file = memory_file;
    return c;
  }

  explicit BoardCase(const std::vector<std::string>& faults = {}, const Config& c = config())
      : robot(c), memory_port(robot, clock), port(memory_port) {
    for (const std::string& text : faults) {
      for (const auto& [board, fault] : drivers::virtual_robot::parse_placed_faults(text)) {
        robot.add_faults(board, fault);
      }
    }
  }

  runtime::SimulatedClock clock;
  drivers::virtual_robot::VirtualRobot robot;
  drivers::virtual_robot::InMemoryPort memory_port;
  ControlledPort port;
  tools::BoardSession session{port, clock, tools::wiring_of(folder()), "line"};
};

/// What a call throws, as text; "" when it does not.
template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace kagami::test
