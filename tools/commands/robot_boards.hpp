/// What the commands on the boards of a robot have in common (docs/board_memory.md).
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/cli/command.hpp"
#include "tools/cli/console.hpp"
#include "tools/cli/robot_choice.hpp"
#include "tools/cli/stop_signals.hpp"
#include "tools/robot/board_session.hpp"

namespace kagami::tools {

struct BoardsChoice {
  RobotChoice robot;
  std::string port;  ///< --robot: "virtual" or a port
  std::string port_library = "libserial";
  std::string memory;
  std::string preset = "fast";
  std::vector<std::string> faults;
  bool yes = false;
};

/// Adds --robot, --model, --data, --port-library, those of the virtual robot, and --json.
void add_boards_options(Command& command, BoardsChoice& choice, Console& io,
                        bool needs_robot = true);
/// Adds --yes, of a command that moves the robot or writes its memory.
void add_yes_flag(Command& command, BoardsChoice& choice);

/// The folder of --model.
std::filesystem::path robot_folder_of(const BoardsChoice& choice, const Console& io);
/// The robot's name in files: that of its folder.
std::string robot_name(const std::filesystem::path& folder);
/// Refuses a file that exists without `force`, and one that cannot be written, before work is done
/// for it. Throws ConfigError, RecordError.
void require_new_file(const std::string& file, bool force);

/// Notes Ctrl-C and the like for the life of this object, instead of ending the program.
struct NotedSignals {
  runtime::StopRequest request;
  StopSignals signals{request};
  [[nodiscard]] bool is_stopped() const { return request.level() != runtime::StopLevel::kNone; }
};
/// Runs `work`, which writes to more than one board, to its end. Ctrl-C meanwhile sets the exit
/// code.
void run_to_its_end(Console& io, const std::function<void()>& work);

/// Opens the port, or switches the virtual robot on. Throws ConfigError, PortError.
std::unique_ptr<BoardSession> open_boards(const BoardsChoice& choice, Console& io);

/// States what will be done; true on the virtual robot, with --yes, or after 'y' at a terminal.
/// Otherwise sets the exit code.
bool is_agreed_to(const BoardsChoice& choice, const BoardSession& session, const std::string& what,
                  Console& io);

/// The joint with this name. Throws ConfigError with the nearest.
const JointWiring& joint_of(const RobotWiring& wiring, const std::string& name);
/// "NAME=VALUE" with a whole value in the range. Throws ConfigError that begins with `option`.
std::pair<std::string, int> parse_assignment(const std::string& text, const std::string& option,
                                             int from, int to);
/// A whole number in the range. Throws ConfigError that begins with `option`.
int parse_whole(const std::string& text, const std::string& option, int from, int to);
/// "1, 2, 7".
std::string list_text(const std::vector<std::string>& items);

// the subcommands of `robot`, each added by the function of its file
void add_robot_info(Command& robot, Console& io);       ///< info, read
void add_robot_settings(Command& robot, Console& io);   ///< trim, switch, keys
void add_robot_identity(Command& robot, Console& io);   ///< home, set-id
void add_robot_motions(Command& robot, Console& io);    ///< free, play, scenario
void add_robot_backup(Command& robot, Console& io);     ///< backup, restore
void add_robot_calibrate(Command& robot, Console& io);  ///< calibrate

}  // namespace kagami::tools
