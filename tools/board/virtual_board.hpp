/// The virtual robot, or the model beside a robot, that `kagami board` options describe.
#pragma once

#include "drivers/virtual/virtual_robot.hpp"
#include "runtime/app/assemble.hpp"
#include "tools/board/board_options.hpp"
#include "tools/board/start_pose.hpp"
#include "tools/cli/console.hpp"

namespace kagami::tools {

/// Throws ConfigError for options that exclude each other, each with the reason.
void check_board_options(const BoardOptions& opt, const Command& command);

/// What both need.
struct BoardPlace {
  std::filesystem::path robot_folder;
  StartPose start;
};
/// Throws ConfigError.
BoardPlace find_board_place(const BoardOptions& opt, const Console& io);

/// The virtual robot with its faults. Throws ConfigError or ModelError.
drivers::virtual_robot::VirtualRobot make_virtual_board(const BoardOptions& opt,
                                                        const BoardPlace& place);
/// The shadow model. Throws as read_setup.
runtime::RunSetup make_board_setup(const BoardOptions& opt, const BoardPlace& place);
/// Servo parameters of the virtual robot, as a record keeps them.
std::string plant_text(const BoardOptions& opt, const BoardPlace& place,
                       const runtime::RunSetup& setup);

}  // namespace kagami::tools
