#include "tools/board/virtual_board.hpp"

#include <array>

#include "drivers/virtual/faults.hpp"
#include "models/base/errors.hpp"
#include "tools/import/stand_in_motion.hpp"

namespace kagami::tools {
namespace {

namespace vr = drivers::virtual_robot;

constexpr std::array<const char*, 7> kVirtualOnly = {
    "--board", "--latency", "--plant", "--memory", "--fault", "--dtr-high", "--obey-dtr"};

}  // namespace

void check_board_options(const BoardOptions& opt, const Command& command) {
  if (!opt.mirror.empty()) {
    for (const char* option : kVirtualOnly) {
      if (!command.is_given(option)) continue;
      throw ConfigError(std::string(option) +
                        " is for the virtual robot; with --mirror real boards answer");
    }
  }
  if (opt.exec && opt.program.empty()) {
    throw ConfigError("--exec: no program; expected --exec PROGRAM ARGUMENTS at the end");
  }
  if (!opt.exec && !opt.program.empty()) {
    throw ConfigError("'" + opt.program.front() +
                      "' is no option; a program to run comes behind --exec");
  }
  const auto expect = [&](const char* option, const char* needed) {
    if (command.is_given(option) && !command.is_given(needed)) {
      throw ConfigError(std::string(option) + " has no effect without " + needed);
    }
  };
  expect("--force", "--record");
  expect("--obey-dtr", "--exec");
  expect("--view-port", "--view");
  expect("--no-open", "--view");
  if (command.is_given("--friction") && opt.on != "floor") {
    throw ConfigError("--friction has no effect on the stand; add --on floor");
  }
  if (command.is_given("--twin") && !opt.is_watched()) {
    throw ConfigError("--twin has no effect without --record, --view or --mirror");
  }
}

BoardPlace find_board_place(const BoardOptions& opt, const Console& io) {
  const DataFolders data = find_data(io, opt.robot.data);
  BoardPlace place{.robot_folder = find_robot(data, opt.robot.model), .start = {}};
  place.start = read_start_pose(opt.start, opt.on == "floor", data, wiring_of(place.robot_folder));
  return place;
}

vr::VirtualRobot make_virtual_board(const BoardOptions& opt, const BoardPlace& place) {
  vr::VirtualRobotConfig config;
  config.robot = models::read_robot_folder(place.robot_folder, models::BaseKind::kFixed);
  config.servos = vr::read_plant_servos(config.robot, place.robot_folder, opt.plant);
  config.behaviour = vr::board_preset(opt.preset);
  config.behaviour.dtr_high = opt.dtr_high;
  if (opt.latency_ms) {
    const double latency = *opt.latency_ms * 1e-3;
    config.behaviour.acknowledge_latency = latency;
    config.behaviour.read_latency = latency;
    config.behaviour.store_latency = latency;
  }
  config.memory_file = opt.memory;
  config.start = place.start.virtual_start();
  if (opt.on == "floor") config.floor_friction = opt.friction;
  vr::VirtualRobot robot(config);
  for (const std::string& text : opt.faults) {
    for (const auto& [board, faults] : vr::parse_placed_faults(text)) {
      robot.add_faults(board, faults);
    }
  }
  return robot;
}

runtime::RunSetup make_board_setup(const BoardOptions& opt, const BoardPlace& place) {
  runtime::RunConfig config;
  config.robot_folder = place.robot_folder;
  config.robot = opt.mirror.empty() ? "virtual" : opt.mirror;
  config.on = opt.on == "floor" ? runtime::Scene::kFloor : runtime::Scene::kStand;
  config.friction = opt.friction;
  config.twin_file = opt.twin;
  config.plant = opt.plant;
  config.board = opt.preset;
  if (opt.latency_ms) config.answer_latency = *opt.latency_ms * 1e-3;
  config.board_faults = opt.faults;
  config.report = false;
  return read_setup_with_pose(
      config, {.name = "another_program",
               .note = "Stands for the commands of another program, which are in the record.",
               .angle = place.start.angle.value_or(JointArray<double>{}),
               .start = place.start.start});
}

std::string plant_text(const BoardOptions& opt, const BoardPlace& place,
                       const runtime::RunSetup& setup) {
  return runtime::servo_set_text(vr::read_plant_servos(setup.robot, place.robot_folder, opt.plant),
                                 setup.robot.joint_names);
}

}  // namespace kagami::tools
