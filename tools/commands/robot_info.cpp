// kagami robot info|read: what the boards hold, and where the joints are.
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "drivers/rcb1/protocol.hpp"
#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/table.hpp"
#include "tools/commands/robot_boards.hpp"
#include "tools/robot/joint_range.hpp"
#include "tools/robot/memory_image.hpp"
#include "tools/robot/stored_motions.hpp"
#include "tools/robot/switches.hpp"

namespace kagami::tools {
namespace {

namespace vr = drivers::virtual_robot;

/// What one board reports; empty where it does not.
struct BoardInfo {
  std::optional<std::uint8_t> switches;
  std::optional<ChannelCounts> home;
  std::optional<std::array<std::int8_t, kChannelsPerBoard>> trim_deg;
  std::optional<std::vector<StoredMotion>> motions;
  std::optional<std::vector<StoredScenario>> scenarios;
};

/// One part of a board. Nothing: `problems` has the reason, too.
template <class Read>
auto part_of(std::vector<std::string>& problems, const Read& read) {
  std::optional<decltype(read())> part;
  try {
    part = read();
  } catch (const LinkError& error) {
    problems.emplace_back(error.what());
  }
  return part;
}

std::vector<StoredMotion> read_motions(BoardSession& session, int board, Console& io) {
  std::vector<StoredMotion> motions;
  for (int m = 0; m < vr::kMotions; ++m) {
    io.progress((board + 0.9 * m / vr::kMotions) / session.num_boards(),
                board_text(session, board) + ", motion " + std::to_string(m));
    motions.push_back(read_motion_of(session, board, m));
  }
  return motions;
}

/// None when the board does not know the questions about them.
std::vector<StoredScenario> read_scenarios(BoardSession& session, int board) {
  std::vector<StoredScenario> scenarios;
  if (!answers_for_scenarios(session, board)) return scenarios;
  for (int s = 0; s < vr::kScenarios; ++s) scenarios.push_back(read_scenario_of(session, board, s));
  return scenarios;
}

BoardInfo read_info(BoardSession& session, int board, std::vector<std::string>& problems,
                    Console& io) {
  const std::string name = board_text(session, board);
  const auto ask = [&](rcb1::Command command, const char* what) {
    return part_of(problems, [&] {
      return read_agreed(session, board, {.command = command}, name + ": " + what);
    });
  };
  BoardInfo info;
  const auto switches = ask(rcb1::Command::kGetSwitches, "switch bits");
  if (!switches) return info;
  info.switches = switches->bits;
  if (const auto home = ask(rcb1::Command::kGetHome, "home")) info.home = home->counts;
  if (const auto trim = ask(rcb1::Command::kGetTrim, "trim")) info.trim_deg = trim->trim_deg;
  info.motions = part_of(problems, [&] { return read_motions(session, board, io); });
  info.scenarios = part_of(problems, [&] { return read_scenarios(session, board); });
  return info;
}

template <class Stored>
int in_use_or_none(const std::optional<std::vector<Stored>>& all) {
  return all && !all->empty() ? in_use(*all) : -1;
}

std::string number_or_dash(int value) {
  return value < 0 ? "-" : std::to_string(value);
}

nlohmann::json number_or_null(int value) {
  return value < 0 ? nlohmann::json(nullptr) : nlohmann::json(value);
}

/// A motion or scenario that some board holds.
struct StoredRow {
  std::string kind;  // "motion", "scenario"
  int number = 0;
  int size = 0;  // of board 0
  std::string problem;
};

std::vector<StoredRow> stored_rows(const BoardSession& session,
                                   const std::vector<BoardInfo>& boards) {
  std::vector<StoredRow> rows;
  // what one board does not report cannot be compared
  const auto is_complete = [&](auto BoardInfo::*part) {
    return std::all_of(boards.begin(), boards.end(), [&](const BoardInfo& b) {
      return (b.*part).has_value() && !(b.*part)->empty();
    });
  };
  for (int m = 0; m < vr::kMotions && is_complete(&BoardInfo::motions); ++m) {
    std::vector<StoredMotion> motion;
    for (const BoardInfo& board : boards) motion.push_back((*board.motions)[idx(m)]);
    const std::string problem = motion_problem(session, motion);
    if (problem != "is empty") rows.push_back({"motion", m, motion.front().count, problem});
  }
  for (int s = 0; s < vr::kScenarios && is_complete(&BoardInfo::scenarios); ++s) {
    std::vector<StoredScenario> scenario;
    for (const BoardInfo& board : boards) scenario.push_back((*board.scenarios)[idx(s)]);
    const std::string problem = scenario_problem(session, scenario);
    if (problem != "is empty") rows.push_back({"scenario", s, scenario.front().count, problem});
  }
  return rows;
}

nlohmann::json info_json(const BoardSession& session, const std::vector<BoardInfo>& boards,
                         const std::vector<StoredRow>& rows,
                         const std::vector<std::string>& problems) {
  nlohmann::json list = nlohmann::json::array();
  for (std::size_t b = 0; b < boards.size(); ++b) {
    const BoardInfo& info = boards[b];
    nlohmann::json entry = {{"id", session.board_id(static_cast<int>(b))},
                            {"answers", info.switches.has_value()},
                            {"switches", nullptr},
                            {"home", nullptr},
                            {"trim_deg", nullptr},
                            {"motions", number_or_null(in_use_or_none(info.motions))},
                            {"scenarios", number_or_null(in_use_or_none(info.scenarios))}};
    if (info.switches) entry["switches"] = *info.switches;
    if (info.home) entry["home"] = *info.home;
    if (info.trim_deg) entry["trim_deg"] = *info.trim_deg;
    list.push_back(std::move(entry));
  }
  nlohmann::json stored = nlohmann::json::array();
  for (const StoredRow& row : rows) {
    stored.push_back(
        {{"kind", row.kind},
         {"number", row.number},
         {"size", row.size},
         {"problem", row.problem.empty() ? nlohmann::json(nullptr) : nlohmann::json(row.problem)}});
  }
  return {{"schema", "kagami.robot_info/1"},
          {"robot", session.name()},
          {"boards", list},
          {"stored", stored},
          {"problems", problems}};
}

std::string boards_table(const BoardSession& session, const std::vector<BoardInfo>& boards) {
  Table table({{"board"},
               {"answers", Align::kLeft},
               {"switch bits", Align::kLeft},
               {"motions"},
               {"scenarios"}});
  for (std::size_t b = 0; b < boards.size(); ++b) {
    const BoardInfo& info = boards[b];
    table.add_row({std::to_string(session.board_id(static_cast<int>(b))),
                   info.switches ? "yes" : "no",
                   info.switches ? switches_text(*info.switches) : "-",
                   number_or_dash(in_use_or_none(info.motions)),
                   number_or_dash(in_use_or_none(info.scenarios))});
  }
  return table.text();
}

std::string joints_table(const BoardSession& session, const std::vector<BoardInfo>& boards) {
  Table table({{"joint", Align::kLeft},
               {"board"},
               {"channel"},
               {"home"},
               {"robot.json"},
               {"trim"},
               {"robot.json"},
               {"lost to trim", Align::kLeft}});
  for (const JointWiring& joint : session.wiring().joints) {
    const BoardInfo& info = boards[idx(joint.board())];
    const std::size_t slot = idx(joint.slot());
    table.add_row({joint.joint, std::to_string(session.board_id(joint.board())),
                   std::to_string(joint.channel),
                   info.home ? std::to_string((*info.home)[slot]) : "-",
                   std::to_string(joint.home_deg),
                   info.trim_deg ? std::to_string((*info.trim_deg)[slot]) : "-",
                   std::to_string(joint.trim_deg),
                   info.trim_deg ? loss_text(joint, (*info.trim_deg)[slot]) : "-"});
  }
  return table.text();
}

std::string stored_table(const std::vector<StoredRow>& rows) {
  Table table({{"stored", Align::kLeft}, {"number"}, {"size"}, {"remark", Align::kLeft}});
  for (const StoredRow& row : rows) {
    table.add_row({row.kind, std::to_string(row.number), std::to_string(row.size),
                   row.problem.empty() ? "-" : row.problem});
  }
  return table.text();
}

void show_info(const BoardsChoice& choice, Console& io) {
  const auto session = open_boards(choice, io);
  std::vector<std::string> failures;
  const auto warnings = part_of(failures, [&] { return require_boards(*session); });
  std::vector<BoardInfo> boards;
  for (int b = 0; b < session->num_boards(); ++b) {
    boards.push_back(read_info(*session, b, failures, io));
  }
  io.end_progress();
  if (!failures.empty()) io.exit_with(ExitCode::kCommunication);
  std::vector<std::string> problems = warnings.value_or(std::vector<std::string>{});
  problems.insert(problems.end(), failures.begin(), failures.end());
  const std::vector<StoredRow> rows = stored_rows(*session, boards);
  for (const std::string& problem : problems) io.warn(problem);
  if (io.json) return io.print_json(info_json(*session, boards, rows, problems));
  io.print(boards_table(*session, boards) + "\n" + joints_table(*session, boards));
  io.print(rows.empty() ? "" : "\n" + stored_table(rows));
}

struct ReadOptions {
  BoardsChoice boards;
  bool watch = false;
  double every_s = 0.2;
  std::optional<int> times;
};

/// The newest reading of each board, and what is known beside it.
struct LiveBoard {
  std::optional<BoardPose> pose;
  std::string problem;  // of the last attempt
  std::optional<std::uint8_t> switches;
};

// a hand-held joint moves: while watching, one answer in the range is enough
void refresh(BoardSession& session, int board, bool is_watching, LiveBoard& live) {
  const ReadingRules rules = is_watching ? ReadingRules{180, 0.0, 3} : ReadingRules{};
  const std::optional<BoardPose> pose = read_board_pose(session, board, rules, live.problem);
  if (pose) live.pose = pose;
  if (pose) live.problem.clear();
  std::string unanswered;
  const auto bits = ask_once(session,
                             {.command = rcb1::Command::kGetSwitches,
                              .board = static_cast<std::uint8_t>(session.board_id(board))},
                             unanswered);
  live.switches.reset();
  if (bits) live.switches = bits->bits;
}

std::string drive_text(const LiveBoard& live) {
  if (!live.switches) return "not known";
  return (*live.switches & drivers::rcb1::kSwitchSleep) != 0 ? "free" : "not asleep";
}

double age_s(const BoardSession& session, const BoardPose& pose) {
  return 1e-9 * static_cast<double>(session.now_ns() - pose.read_ns);
}

std::string live_table(const BoardSession& session, const std::vector<LiveBoard>& boards) {
  Table table({{"joint", Align::kLeft},
               {"angle deg"},
               {"count"},
               {"age s"},
               {"servo", Align::kLeft},
               {"remark", Align::kLeft}});
  for (const JointWiring& joint : session.wiring().joints) {
    const LiveBoard& live = boards[idx(joint.board())];
    const int count = live.pose ? live.pose->counts[idx(joint.slot())] : -1;
    const int angle = joint_degrees(joint, count);
    std::string remark = live.problem;
    if (remark.empty() && (count <= 0 || count >= drivers::rcb1::kMaxCount)) {
      remark = "at the end of the servo's range";
    }
    table.add_row({joint.joint, live.pose ? std::to_string(angle) : "-", number_or_dash(count),
                   live.pose ? fixed(age_s(session, *live.pose), 2) : "-", drive_text(live),
                   remark.empty() ? "-" : remark});
  }
  return table.text();
}

nlohmann::json live_json(const BoardSession& session, const std::vector<LiveBoard>& boards) {
  nlohmann::json joints = nlohmann::json::array();
  for (const JointWiring& joint : session.wiring().joints) {
    const LiveBoard& live = boards[idx(joint.board())];
    nlohmann::json row = {{"name", joint.joint}, {"channel", joint.channel}, {"angle_deg", nullptr},
                          {"count", nullptr},    {"age_s", nullptr},         {"asleep", nullptr},
                          {"problem", nullptr}};
    if (live.pose) {
      const int count = live.pose->counts[idx(joint.slot())];
      row["count"] = count;
      row["angle_deg"] = joint_degrees(joint, count);
      row["age_s"] = age_s(session, *live.pose);
    }
    if (live.switches) {
      row["asleep"] = (*live.switches & drivers::rcb1::kSwitchSleep) != 0;
    }
    if (!live.problem.empty()) row["problem"] = live.problem;
    joints.push_back(std::move(row));
  }
  return {{"schema", "kagami.robot_read/1"}, {"robot", session.name()}, {"joints", joints}};
}

void read_joints(const ReadOptions& opt, Console& io) {
  if (opt.watch && io.json) {
    throw ConfigError("--watch with --json: expected one of them, --json prints one object");
  }
  const auto session = open_boards(opt.boards, io);
  static_cast<void>(require_boards(*session));
  const NotedSignals signals;
  std::vector<LiveBoard> boards(idx(session->num_boards()));
  const int times = opt.watch ? opt.times.value_or(0) : 1;  // 0: until Ctrl-C
  const bool redraws = opt.watch && io.out_width() > 0;
  for (int k = 0; times == 0 || k < times; ++k) {
    if (k > 0) session->wait(opt.every_s);
    if (signals.is_stopped()) break;
    for (int b = 0; b < session->num_boards(); ++b) {
      refresh(*session, b, opt.watch, boards[idx(b)]);
    }
    if (!io.json) {
      io.print((redraws ? "\033[H\033[2J" : k > 0 ? "\n" : "") + live_table(*session, boards));
    }
  }
  const bool is_complete = std::all_of(boards.begin(), boards.end(),
                                       [](const LiveBoard& b) { return b.problem.empty(); });
  if (!is_complete) io.exit_with(ExitCode::kCommunication);
  if (io.json) io.print_json(live_json(*session, boards));
}

}  // namespace

void add_robot_info(Command& robot, Console& io) {
  auto choice = std::make_shared<BoardsChoice>();
  Command info = robot.add_command(
      "info", "Show the boards: IDs, switch bits, home, trim, stored motions and scenarios.");
  add_boards_options(info, *choice, io);
  add_common_options(info, io, "robot info --robot /dev/ttyUSB0",
                     "robot info --robot virtual --memory khr1.json --json");
  info.on_run([choice, &io] { show_info(*choice, io); });

  auto opt = std::make_shared<ReadOptions>();
  Command read = robot.add_command("read", "Show the angles that the boards read from the joints.");
  read.add_flag("--watch", opt->watch, "Read again until interrupted.");
  read.add_option("--every", opt->every_s, "Time between two readings of --watch.")
      .value("SECONDS")
      .range(0.05, 60.0)
      .with_default();
  read.add_option("--times", opt->times, "End --watch after so many readings.")
      .value("N")
      .range(1, 1000000);
  add_boards_options(read, opt->boards, io);
  add_common_options(read, io, "robot read --robot /dev/ttyUSB0 --watch",
                     "robot read --robot virtual --json");
  read.on_run([opt, &io] { read_joints(*opt, io); });
}

}  // namespace kagami::tools
