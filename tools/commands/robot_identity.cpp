// kagami robot home|set-id: what a board takes from outside and cannot be written directly.
#include <memory>
#include <nlohmann/json.hpp>

#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/table.hpp"
#include "tools/commands/robot_boards.hpp"
#include "tools/robot/board_ids.hpp"
#include "tools/robot/home_store.hpp"

namespace kagami::tools {
namespace {

struct HomeOptions {
  BoardsChoice boards;
  bool store = false;
  int within_deg = 2;
};

nlohmann::json home_json(const BoardSession& session, const StoredHome& home, bool is_stored) {
  nlohmann::json joints = nlohmann::json::array();
  for (const JointWiring& joint : session.wiring().joints) {
    const std::size_t board = idx(joint.board());
    const std::size_t slot = idx(joint.slot());
    joints.push_back({{"name", joint.joint},
                      {"channel", joint.channel},
                      {"robot_json_deg", joint.home_deg},
                      {"before_deg", home.before[board][slot]},
                      {"home_deg", home.stored[board][slot]}});
  }
  return {{"schema", "kagami.robot_home/1"},
          {"robot", session.name()},
          {"stored", is_stored},
          {"joints", joints}};
}

std::string home_table(const BoardSession& session, const StoredHome& home) {
  Table table({{"joint", Align::kLeft},
               {"channel"},
               {"home deg"},
               {"was"},
               {"robot.json"},
               {"remark", Align::kLeft}});
  for (const JointWiring& joint : session.wiring().joints) {
    const int now = home.stored[idx(joint.board())][idx(joint.slot())];
    const int was = home.before[idx(joint.board())][idx(joint.slot())];
    table.add_row({joint.joint, std::to_string(joint.channel), std::to_string(now),
                   was == now ? "-" : std::to_string(was), std::to_string(joint.home_deg),
                   now == joint.home_deg ? "-" : "differs from robot.json"});
  }
  return table.text();
}

void run_home(const HomeOptions& opt, Console& io) {
  const auto session = open_boards(opt.boards, io);
  static_cast<void>(require_boards(*session));
  StoredHome home;
  if (opt.store) {
    const std::string what =
        "the servos hold the pose in which the robot is now (free ones are driven again), it is "
        "read back, and stored as home if the reading is within " +
        std::to_string(opt.within_deg) + " deg of it";
    if (!is_agreed_to(opt.boards, *session, what, io)) return;
    const NotedSignals signals;
    try {
      home = store_home(
          *session, std::nullopt,
          {.agree_deg = opt.within_deg, .stop_requested = [&] { return signals.is_stopped(); }});
    } catch (const HomeInterrupted& stop) {
      io.error(stop.what());
      return io.exit_with(ExitCode::kInterrupted);
    }
    if (signals.is_stopped()) io.exit_with(ExitCode::kInterrupted);
  } else {
    home.before = home.stored = read_homes(*session);
  }
  session->finish();
  if (io.json) return io.print_json(home_json(*session, home, opt.store));
  io.print(home_table(*session, home));
  if (opt.store) io.say("the robot is held in its new home");
}

struct IdOptions {
  BoardsChoice boards;
  std::string id;
};

void run_set_id(const IdOptions& opt, Console& io) {
  const int to = parse_whole(opt.id, "ID", 0, 31);
  const auto session = open_boards(opt.boards, io);
  io.say("looking for boards at the IDs 0..31");
  const BoardsOnLine line = find_boards(*session);
  const std::string problem = set_id_problem(line);
  if (!problem.empty()) {
    throw LinkError(session->name() + ": the ID is not changed: " + problem);
  }
  const int from = *line.ids.begin();
  const std::string what = "the only board that answers, ID " + std::to_string(from) +
                           ", gets the ID " + std::to_string(to) +
                           ". Two boards with the same ID cannot always be told from one: no "
                           "other board may be plugged in";
  if (!is_agreed_to(opt.boards, *session, what, io)) return;
  run_to_its_end(io, [&] { set_board_id(*session, from, to); });
  session->finish();
  if (io.json) {
    return io.print_json({{"schema", "kagami.robot_set_id/1"}, {"before", from}, {"id", to}});
  }
  io.print("ID " + std::to_string(to) + " answers, it was " + std::to_string(from) + "\n");
}

}  // namespace

void add_robot_identity(Command& robot, Console& io) {
  auto home = std::make_shared<HomeOptions>();
  Command home_command =
      robot.add_command("home", "Show the home of the boards, or store the present pose as home.");
  home_command.add_flag("--store", home->store,
                        "Hold the present pose, read it back, and store it if both agree.");
  home_command
      .add_option("--within", home->within_deg,
                  "Largest difference between what is held and what is read.")
      .value("DEG")
      .range(0, 10)
      .with_default();
  add_yes_flag(home_command, home->boards);
  add_boards_options(home_command, home->boards, io);
  add_common_options(home_command, io, "robot home --robot /dev/ttyUSB0",
                     "robot home --robot /dev/ttyUSB0 --store");
  home_command.on_run([home, &io] { run_home(*home, io); });

  auto id = std::make_shared<IdOptions>();
  Command id_command = robot.add_command(
      "set-id", "Give the only board on the line another ID. Refused when two answer.");
  id_command.add_option("id", id->id, "The new ID, 0..31.").value("ID").required();
  add_yes_flag(id_command, id->boards);
  add_boards_options(id_command, id->boards, io);
  add_common_options(id_command, io, "robot set-id 1 --robot /dev/ttyUSB0",
                     "robot set-id 1 --robot virtual --memory khr1.json --fault '1:off'");
  id_command.on_run([id, &io] { run_set_id(*id, io); });
}

}  // namespace kagami::tools
