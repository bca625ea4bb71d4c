#include "tools/robot/board_session.hpp"

#include <utility>

#include "drivers/port/open_port.hpp"
#include "drivers/virtual/in_memory_port.hpp"
#include "models/base/errors.hpp"

namespace kagami::tools {
namespace {

namespace vr = drivers::virtual_robot;

constexpr double kSaveSeconds = 1.0;  // longer than a virtual board waits to save

}  // namespace

struct BoardSession::Owned {
  // a real port
  runtime::SteadyClock steady;
  drivers::OpenedPort opened;
  // or a virtual robot
  runtime::SimulatedClock simulated;
  std::unique_ptr<vr::VirtualRobot> robot;
  std::unique_ptr<vr::InMemoryPort> memory_port;

  drivers::BytePort& port() { return memory_port ? *memory_port : *opened.port; }
  drivers::Clock& clock() {
    if (memory_port) return simulated;
    return steady;
  }
};

BoardSession::BoardSession(drivers::BytePort& port, drivers::Clock& clock,
                           const RobotWiring& wiring, std::string name)
    : clock_(clock), name_(std::move(name)), link_(port, clock, wiring) {}

BoardSession::BoardSession(std::unique_ptr<Owned> owned, const RobotWiring& wiring,
                           std::string name)
    : owned_(std::move(owned)),
      robot_(owned_->robot.get()),
      clock_(owned_->clock()),
      name_(std::move(name)),
      notes_(owned_->opened.notes),
      link_(owned_->port(), clock_, wiring) {}

BoardSession::~BoardSession() = default;

std::unique_ptr<BoardSession> BoardSession::open(const std::string& path,
                                                 const std::string& library,
                                                 const RobotWiring& wiring) {
  auto owned = std::make_unique<Owned>();
  owned->opened = drivers::open_port(path, drivers::port_library(library), owned->steady);
  return std::unique_ptr<BoardSession>(new BoardSession(std::move(owned), wiring, path));
}

std::unique_ptr<BoardSession> BoardSession::simulate(const vr::VirtualRobotConfig& config,
                                                     const std::vector<std::string>& faults,
                                                     const RobotWiring& wiring) {
  auto owned = std::make_unique<Owned>();
  owned->robot = std::make_unique<vr::VirtualRobot>(config);
  for (const std::string& text : faults) {
    for (const auto& [board, fault] : vr::parse_placed_faults(text)) {
      owned->robot->add_faults(board, fault);
    }
  }
  owned->memory_port = std::make_unique<vr::InMemoryPort>(*owned->robot, owned->simulated);
  return std::unique_ptr<BoardSession>(
      new BoardSession(std::move(owned), wiring, "the virtual robot"));
}

void BoardSession::wait(double seconds) noexcept {
  const std::int64_t until_ns = clock_.now_ns() + static_cast<std::int64_t>(seconds * 1e9);
  clock_.sleep_until(until_ns);
  if (robot_ != nullptr) robot_->advance_to(until_ns);
}

void BoardSession::finish() {
  if (robot_ == nullptr) return;
  wait(kSaveSeconds);
  const std::string error = robot_->memory_error();
  if (!error.empty()) throw RecordError(error);
}

}  // namespace kagami::tools
