#include "tools/commands/robot_boards.hpp"

#include <charconv>

#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"
#include "models/robot/robot_folder.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/commands/replay_options.hpp"

namespace kagami::tools {

void add_boards_options(Command& command, BoardsChoice& choice, Console& io, bool needs_robot) {
  add_robot_options(command, choice.robot);
  Option port =
      command
          .add_option(
              "--robot", choice.port,
              "The serial port of the robot, a pseudo-terminal of 'kagami board', or virtual.")
          .value("PORT|virtual");
  if (needs_robot) port.required();
  command.add_option("--port-library", choice.port_library, "Library that opens the serial port.")
      .one_of({"libserial", "asio"})
      .with_default();
  command.start_group("Virtual robot");
  command
      .add_option("--memory", choice.memory,
                  "File that keeps the memory of the virtual boards. Default: it is lost at the "
                  "end.")
      .value("FILE");
  command.add_option("--board", choice.preset, kBoardOptionText)
      .one_of({"fast", "slow", "burst"})
      .with_default();
  add_fault_option(command, choice.faults);
  command.start_group("Output");
  add_json_option(command, io);
}

void add_yes_flag(Command& command, BoardsChoice& choice) {
  command.add_flag("--yes", choice.yes, "Do not ask first. The virtual robot needs no answer.");
}

std::filesystem::path robot_folder_of(const BoardsChoice& choice, const Console& io) {
  return find_robot(find_data(io, choice.robot.data), choice.robot.model);
}

std::string robot_name(const std::filesystem::path& folder) {
  return (folder / "").parent_path().filename().string();
}

void require_new_file(const std::string& file, bool force) {
  std::error_code unreadable;
  if (!force && std::filesystem::exists(file, unreadable)) {
    throw ConfigError("'" + file + "' exists already; --force replaces it");
  }
  const FileReplacement trial(file);
}

void run_to_its_end(Console& io, const std::function<void()>& work) {
  const NotedSignals signals;
  work();
  if (!signals.is_stopped()) return;
  io.warn("interrupted: what was begun was finished");
  io.exit_with(ExitCode::kInterrupted);
}

std::unique_ptr<BoardSession> open_boards(const BoardsChoice& choice, Console& io) {
  const std::filesystem::path folder = robot_folder_of(choice, io);
  const RobotWiring wiring = wiring_of(folder);
  if (choice.port != "virtual") {
    if (!choice.memory.empty() || !choice.faults.empty()) {
      throw ConfigError("--memory and --fault are for --robot virtual; '" + choice.port +
                        "' has its own memory");
    }
    auto session = BoardSession::open(choice.port, choice.port_library, wiring);
    for (const std::string& note : session->notes()) io.warn(note);
    return session;
  }
  drivers::virtual_robot::VirtualRobotConfig config;
  config.robot = models::read_robot_folder(folder, models::BaseKind::kFixed);
  config.servos = drivers::virtual_robot::read_plant_servos(config.robot, folder, "");
  config.behaviour = drivers::virtual_robot::board_preset(choice.preset);
  config.memory_file = choice.memory;
  return BoardSession::simulate(config, choice.faults, wiring);
}

bool is_agreed_to(const BoardsChoice& choice, const BoardSession& session, const std::string& what,
                  Console& io) {
  if (session.is_virtual()) {
    io.detail(what);
    return true;
  }
  io.say(session.name() + ": " + what);
  if (choice.yes || io.confirm("Go on?")) return true;
  io.error("nothing was moved or stored: --yes is required, or 'y' typed at a terminal");
  io.exit_with(ExitCode::kUsage);
  return false;
}

const JointWiring& joint_of(const RobotWiring& wiring, const std::string& name) {
  std::vector<std::string> names;
  for (const JointWiring& joint : wiring.joints) {
    if (joint.joint == name) return joint;
    names.push_back(joint.joint);
  }
  const std::string nearest = nearest_name(name, names);
  throw ConfigError("there is no joint '" + name + "'" +
                    (nearest.empty() ? "; the joints are " + list_text(names)
                                     : ", did you mean '" + nearest + "'?"));
}

int parse_whole(const std::string& text, const std::string& option, int from, int to) {
  int value = 0;
  const char* begin = text.data() + (text.rfind('+', 0) == 0 ? 1 : 0);
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size() && value >= from && value <= to) {
    return value;
  }
  throw ConfigError(option + " '" + text + "': expected a whole number " + std::to_string(from) +
                    ".." + std::to_string(to));
}

std::pair<std::string, int> parse_assignment(const std::string& text, const std::string& option,
                                             int from, int to) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw ConfigError(option + " '" + text + "': expected NAME=NUMBER");
  }
  return {text.substr(0, equals),
          parse_whole(text.substr(equals + 1), option + " " + text.substr(0, equals), from, to)};
}

std::string list_text(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text;
}

}  // namespace kagami::tools
