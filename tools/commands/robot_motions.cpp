// kagami robot free|play|scenario: the servos, and what is stored in the boards.
#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "drivers/rcb1/protocol.hpp"
#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/table.hpp"
#include "tools/commands/robot_boards.hpp"
#include "tools/robot/board_writes.hpp"
#include "tools/robot/failure_text.hpp"
#include "tools/robot/stored_motions.hpp"
#include "tools/robot/switches.hpp"

namespace kagami::tools {
namespace {

namespace vr = drivers::virtual_robot;

constexpr double kLookSeconds = 0.05;  // between two polls of the stop request
constexpr double kRestSeconds = 0.5;   // after a motion, before the joints are read
constexpr int kEndWithinDeg = 5;       // of the last pose; servos stop beside it under load

// free

/// "board 0: free, confirmed"; false when a board did not confirm.
bool free_and_report(BoardSession& session, nlohmann::json& boards, std::string& text) {
  const std::vector<SwitchResult> results = free_all(session);
  bool is_confirmed = true;
  for (std::size_t b = 0; b < results.size(); ++b) {
    const SwitchResult& r = results[b];
    is_confirmed &= r.is_confirmed;
    text += board_text(session, static_cast<int>(b)) +
            (r.is_confirmed ? ": free, confirmed" : ": NOT confirmed (" + r.problem + ")") + "\n";
    boards.push_back(
        {{"id", session.board_id(static_cast<int>(b))},
         {"confirmed", r.is_confirmed},
         {"problem", r.problem.empty() ? nlohmann::json(nullptr) : nlohmann::json(r.problem)}});
  }
  return is_confirmed;
}

// not refused for what else is wrong with a board: it is what can be done in any case
void run_free(const BoardsChoice& choice, Console& io) {
  const auto session = open_boards(choice, io);
  if (!is_agreed_to(choice, *session, "all servos are freed, the robot goes limp. Hold it", io)) {
    return;
  }
  nlohmann::json boards = nlohmann::json::array();
  std::string text;
  bool is_confirmed = false;
  run_to_its_end(io, [&] { is_confirmed = free_and_report(*session, boards, text); });
  if (!is_confirmed) {
    io.error(
        "not every board confirmed that its servos are free: switch the robot off by hand if "
        "it has to be limp");
    io.exit_with(ExitCode::kCommunication);
  }
  if (io.json) return io.print_json({{"schema", "kagami.robot_free/1"}, {"boards", boards}});
  io.print(text);
}

// play, scenario --play

/// Why nothing is played.
class NotPlayable : public Error {
 public:
  using Error::Error;
};

/// A start on all boards and what is expected of it.
struct Play {
  Request request;
  std::string name;
  std::vector<double> seconds;     // per board
  std::vector<ChannelCounts> end;  // per board
  LargestDifference first;         // from the present pose to the first one
};

void wait_for_end(BoardSession& session, double seconds, const NotedSignals& signals, Console& io) {
  const std::int64_t start_ns = session.now_ns();
  bool is_announced = false;
  for (double at = 0.0; at < seconds;
       at = 1e-9 * static_cast<double>(session.now_ns() - start_ns)) {
    io.progress(at / seconds, fixed(at, 1) + " of " + fixed(seconds, 1) + " s");
    session.wait(std::min(kLookSeconds, seconds - at + 1e-3));
    if (!signals.is_stopped()) continue;
    io.exit_with(ExitCode::kInterrupted);
    if (!is_announced) {
      io.warn(
          "the boards have no command that stops a motion: it plays to its end. Press Ctrl-C "
          "again to free the servos; the robot goes limp");
      is_announced = true;
    }
    if (signals.request.level() <= runtime::StopLevel::kSlowDown) continue;
    nlohmann::json boards = nlohmann::json::array();
    std::string text;
    static_cast<void>(free_and_report(session, boards, text));
    io.warn(text);
    return;
  }
  io.end_progress();
}

/// Starts all boards or none: Ctrl-C does not fall between two of them. False: it was pressed.
bool play_to_end(BoardSession& session, const Play& play, double longest_s, Console& io) {
  const NotedSignals signals;
  io.progress(0.0, play.name + " starts");
  if (signals.is_stopped()) {
    io.error(session.name() + ": interrupted; no board was started");
    io.exit_with(ExitCode::kInterrupted);
    return false;
  }
  start_on_all(session, play.request);
  wait_for_end(session, longest_s + kRestSeconds, signals, io);
  return !signals.is_stopped();
}

/// Why the joints may not have moved as stored; empty: they are at the last pose.
std::string end_problem(BoardSession& session, const Play& play, const LargestDifference& off) {
  if (off.degrees <= kEndWithinDeg) return "";
  const std::string joint = session.wiring().joints[idx(off.joint)].joint;
  std::string text = session.name() + ": " + play.name + " was started, but " + joint + " ended " +
                     std::to_string(off.degrees) + " deg from its last pose, expected at most " +
                     std::to_string(kEndWithinDeg);
  const std::vector<std::uint8_t> bits = read_switches(session);
  for (std::size_t b = 0; b < bits.size(); ++b) {
    if ((bits[b] & rcb1::kSwitchMotion) != 0) continue;
    return text + ". The motion bit of " + board_text(session, static_cast<int>(b)) +
           " is off, with which a board may acknowledge a start and not play: try 'kagami robot "
           "switch --set motion'";
  }
  return text;
}

std::string play_text(const BoardSession& session, const Play& play, double longest_s) {
  std::string what = play.name + " is played, " + fixed(longest_s, 2) + " s";
  if (play.first.joint >= 0) {
    what += "; its first pose is " + std::to_string(play.first.degrees) + " deg away at " +
            session.wiring().joints[idx(play.first.joint)].joint;
  }
  const double shortest = *std::min_element(play.seconds.begin(), play.seconds.end());
  if (longest_s - shortest > 0.02) {
    what += "; one board ends " + fixed(longest_s - shortest, 2) +
            " s before the other, by the speed codes and their travel";
  }
  return what;
}

void start_and_wait(BoardSession& session, const BoardsChoice& choice, const Play& play,
                    Console& io) {
  const double longest = *std::max_element(play.seconds.begin(), play.seconds.end());
  if (!is_agreed_to(choice, session, play_text(session, play, longest), io)) return;
  const std::string asleep = asleep_problem(session);
  if (!asleep.empty()) throw NotPlayable(session.name() + ": " + asleep);
  if (!play_to_end(session, play, longest, io)) return;
  const std::vector<BoardPose> pose = read_pose(session);
  const LargestDifference off = largest_difference(session, play.end, counts_of(pose));
  const std::string problem = end_problem(session, play, off);
  if (!problem.empty()) {
    io.error(problem);
    io.exit_with(ExitCode::kFinding);
  }
  if (io.json) {
    return io.print_json(
        {{"schema", "kagami.robot_play/1"},
         {"played", play.name},
         {"seconds", play.seconds},
         {"largest_difference_deg", off.degrees},
         {"joint", off.joint < 0 ? nlohmann::json(nullptr)
                                 : nlohmann::json(session.wiring().joints[idx(off.joint)].joint)},
         {"problem", problem.empty() ? nlohmann::json(nullptr) : nlohmann::json(problem)}});
  }
  if (!problem.empty()) return;
  io.print(play.name + " was played, " + fixed(longest, 2) +
           " s; at its end the joints are within " + std::to_string(off.degrees) +
           " deg of the last pose\n");
}

void refuse_unplayable(const std::function<void()>& run_it, Console& io) {
  try {
    run_it();
  } catch (const NotPlayable& reason) {
    io.error(reason.what());
    io.exit_with(ExitCode::kSafetyStop);
  }
}

std::vector<StoredMotion> playable_motion(BoardSession& session, int motion) {
  std::vector<StoredMotion> stored = read_stored_motion(session, motion);
  const std::string problem = motion_problem(session, stored);
  if (problem.empty()) return stored;
  throw NotPlayable(session.name() + ": motion " + std::to_string(motion) + " " + problem +
                    "; it is not played");
}

struct PlayOptions {
  BoardsChoice boards;
  std::string number;
};

void run_play(const PlayOptions& opt, Console& io) {
  const int motion = parse_whole(opt.number, "motion", 0, vr::kMotions - 1);
  const auto session = open_boards(opt.boards, io);
  static_cast<void>(require_boards(*session));
  const std::vector<StoredMotion> stored = playable_motion(*session, motion);
  const std::vector<ChannelCounts> present = counts_of(read_pose(*session));
  std::vector<ChannelCounts> first;
  for (const StoredMotion& board : stored) first.push_back(board.poses[0].counts);
  Play play{.request = {.command = rcb1::Command::kPlayMotion,
                        .motion = static_cast<std::uint8_t>(motion)},
            .name = "motion " + std::to_string(motion),
            .seconds = {},
            .end = present,
            .first = largest_difference(*session, present, first)};
  play.seconds = play_through(*session, stored, play.end);
  start_and_wait(*session, opt.boards, play, io);
}

struct ScenarioCommandOptions {
  BoardsChoice boards;
  std::vector<std::string> set;
  std::string play;
};

/// "2=3,4,3": scenario 2 is the motions 3, 4, 3; "2=" empties it.
std::pair<int, std::vector<int>> parse_stored_scenario(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    throw ConfigError("--set '" + text + "': expected SCENARIO=MOTION,MOTION,...");
  }
  std::pair<int, std::vector<int>> result;
  result.first = parse_whole(text.substr(0, equals), "--set", 0, vr::kScenarios - 1);
  std::string rest = text.substr(equals + 1);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    result.second.push_back(
        parse_whole(rest.substr(0, comma), "--set " + text, 0, vr::kMotions - 1));
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
  }
  if (result.second.size() > static_cast<std::size_t>(vr::kEntriesPerScenario)) {
    throw ConfigError("--set: " + std::to_string(result.second.size()) + " motions, expected 0.." +
                      std::to_string(vr::kEntriesPerScenario));
  }
  return result;
}

void write_scenario_motions(BoardSession& session, int scenario, const std::vector<int>& motions) {
  StoredScenario wanted;
  wanted.count = static_cast<std::uint8_t>(motions.size());
  std::copy(motions.begin(), motions.end(), wanted.motions.begin());
  const std::vector<StoredScenario> present = read_stored_scenario(session, scenario);
  with_failure_text(
      [&] {
        write_scenario(session, scenario, present, {present.size(), wanted});
      },
      [] { return "; a board may hold 0 as its number of motions, so that it does not play"; });
}

void play_scenario(BoardSession& session, const ScenarioCommandOptions& opt, Console& io) {
  const int scenario = parse_whole(opt.play, "--play", 0, vr::kScenarios - 1);
  const std::string name = "scenario " + std::to_string(scenario);
  const std::vector<StoredScenario> stored = read_stored_scenario(session, scenario);
  const std::string problem = scenario_problem(session, stored);
  if (!problem.empty()) {
    throw NotPlayable(session.name() + ": " + name + " " + problem + "; it is not played");
  }
  const std::vector<ChannelCounts> present = counts_of(read_pose(session));
  Play play{.request = {.command = rcb1::Command::kPlayScenario,
                        .scenario = static_cast<std::uint8_t>(scenario)},
            .name = name,
            .seconds = std::vector<double>(stored.size(), 0.0),
            .end = present,
            .first = {}};
  for (int k = 0; k < stored.front().count; ++k) {
    const std::vector<StoredMotion> motion =
        playable_motion(session, stored.front().motions[idx(k)]);
    const std::vector<double> seconds = play_through(session, motion, play.end);
    for (std::size_t b = 0; b < seconds.size(); ++b) play.seconds[b] += seconds[b];
  }
  start_and_wait(session, opt.boards, play, io);
}

void show_scenarios(BoardSession& session, Console& io) {
  Table table({{"scenario"}, {"motions"}, {"content", Align::kLeft}, {"remark", Align::kLeft}});
  nlohmann::json rows = nlohmann::json::array();
  for (int s = 0; s < vr::kScenarios; ++s) {
    const std::vector<StoredScenario> stored = read_stored_scenario(session, s);
    const std::string problem = scenario_problem(session, stored);
    std::vector<std::string> motions;
    nlohmann::json numbers = nlohmann::json::array();
    for (int k = 0; k < stored.front().count; ++k) {
      motions.push_back(std::to_string(stored.front().motions[idx(k)]));
      numbers.push_back(stored.front().motions[idx(k)]);
    }
    table.add_row({std::to_string(s), std::to_string(stored.front().count),
                   motions.empty() ? "-" : list_text(motions), problem.empty() ? "-" : problem});
    rows.push_back(
        {{"scenario", s},
         {"motions", numbers},
         {"problem", problem.empty() ? nlohmann::json(nullptr) : nlohmann::json(problem)}});
  }
  if (io.json) return io.print_json({{"schema", "kagami.robot_scenario/1"}, {"scenarios", rows}});
  io.print(table.text());
}

void run_scenario(const ScenarioCommandOptions& opt, Console& io) {
  std::vector<std::pair<int, std::vector<int>>> changes;
  for (const std::string& text : opt.set) changes.push_back(parse_stored_scenario(text));
  if (!changes.empty() && !opt.play.empty()) {
    throw ConfigError("--set with --play: expected one of them");
  }
  const auto session = open_boards(opt.boards, io);
  static_cast<void>(require_boards(*session));
  if (!opt.play.empty()) return play_scenario(*session, opt, io);
  if (!changes.empty()) {
    const std::string what =
        std::to_string(changes.size()) + " scenarios are written on every board";
    if (!is_agreed_to(opt.boards, *session, what, io)) return;
    run_to_its_end(io, [&] {
      for (const auto& change : changes) {
        write_scenario_motions(*session, change.first, change.second);
      }
    });
  }
  session->finish();
  show_scenarios(*session, io);
}

}  // namespace

void add_robot_motions(Command& robot, Console& io) {
  auto free = std::make_shared<BoardsChoice>();
  Command free_command = robot.add_command(
      "free", "Free all servos by the sleep bit of every board. The robot goes limp.");
  add_yes_flag(free_command, *free);
  add_boards_options(free_command, *free, io);
  add_common_options(free_command, io, "robot free --robot /dev/ttyUSB0",
                     "robot free --robot virtual --json");
  free_command.on_run([free, &io] { run_free(*free, io); });

  auto play = std::make_shared<PlayOptions>();
  Command play_command = robot.add_command(
      "play", "Play a stored motion on all boards, if all of them hold the same one.");
  play_command.add_option("number", play->number, "Number of the motion, 0..39.")
      .value("N")
      .required();
  add_yes_flag(play_command, play->boards);
  add_boards_options(play_command, play->boards, io);
  add_common_options(play_command, io, "robot play 3 --robot /dev/ttyUSB0",
                     "robot play 3 --robot /dev/ttyUSB0 --yes");
  play_command.on_run([play, &io] { refuse_unplayable([&] { run_play(*play, io); }, io); });

  auto scenario = std::make_shared<ScenarioCommandOptions>();
  Command scenario_command = robot.add_command(
      "scenario", "Show, write or play the boards' scenarios: lists of stored motions.");
  scenario_command
      .add_option("--set", scenario->set,
                  "Motions of a scenario, which replace the stored ones. May be repeated.")
      .value("N=MOTION,...")
      .repeatable();
  scenario_command.add_option("--play", scenario->play, "Play this scenario, 0..3.").value("N");
  add_yes_flag(scenario_command, scenario->boards);
  add_boards_options(scenario_command, scenario->boards, io);
  add_common_options(scenario_command, io, "robot scenario --robot /dev/ttyUSB0",
                     "robot scenario --robot virtual --set 0=1,2,1");
  scenario_command.on_run(
      [scenario, &io] { refuse_unplayable([&] { run_scenario(*scenario, io); }, io); });
}

}  // namespace kagami::tools
