// kagami robot trim|switch|keys: settings in the boards' memories.
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "drivers/rcb1/protocol.hpp"
#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/table.hpp"
#include "tools/commands/robot_boards.hpp"
#include "tools/robot/board_writes.hpp"
#include "tools/robot/joint_range.hpp"
#include "tools/robot/memory_image.hpp"
#include "tools/robot/switches.hpp"
#include "tools/robot/trim.hpp"

namespace kagami::tools {
namespace {

/// What the three commands have.
struct SettingOptions {
  BoardsChoice boards;
  std::vector<std::string> set;
  std::string bits;  // of `switch`
};

// trim

nlohmann::json trim_json(const BoardSession& session, const BoardTrims& before,
                         const BoardTrims& after) {
  nlohmann::json joints = nlohmann::json::array();
  for (const JointWiring& joint : session.wiring().joints) {
    const int trim = after[idx(joint.board())][idx(joint.slot())];
    const JointRange range = range_with_trim(joint, trim);
    joints.push_back({{"name", joint.joint},
                      {"channel", joint.channel},
                      {"before_deg", before[idx(joint.board())][idx(joint.slot())]},
                      {"trim_deg", trim},
                      {"lowest_deg", range.lowest_deg},
                      {"highest_deg", range.highest_deg},
                      {"lost_deg", range.lost_deg},
                      {"home_is_reachable", range.has_home}});
  }
  return {{"schema", "kagami.robot_trim/1"}, {"robot", session.name()}, {"joints", joints}};
}

std::string trim_table(const BoardSession& session, const BoardTrims& before,
                       const BoardTrims& after) {
  Table table({{"joint", Align::kLeft},
               {"channel"},
               {"trim deg"},
               {"was"},
               {"from deg"},
               {"to deg"},
               {"lost", Align::kLeft}});
  for (const JointWiring& joint : session.wiring().joints) {
    const int trim = after[idx(joint.board())][idx(joint.slot())];
    const int was = before[idx(joint.board())][idx(joint.slot())];
    const JointRange range = range_with_trim(joint, trim);
    table.add_row({joint.joint, std::to_string(joint.channel), std::to_string(trim),
                   was == trim ? "-" : std::to_string(was), std::to_string(range.lowest_deg),
                   std::to_string(range.highest_deg), loss_text(joint, trim)});
  }
  return table.text();
}

void run_trim(const SettingOptions& opt, Console& io) {
  const auto session = open_boards(opt.boards, io);
  static_cast<void>(require_boards(*session));
  const BoardTrims before = read_trims(*session);
  BoardTrims after = before;
  for (const std::string& text : opt.set) {
    const auto [name, trim] = parse_assignment(text, "--set", -20, 19);
    const JointWiring& joint = joint_of(session->wiring(), name);
    after[idx(joint.board())][idx(joint.slot())] = static_cast<std::int8_t>(trim);
  }
  if (after != before) {
    const std::string table = trim_table(*session, before, after);
    const std::string what =
        "the trim is written as below; joints that are not free move at once by the difference\n" +
        table;
    if (!is_agreed_to(opt.boards, *session, what, io)) return;
    run_to_its_end(io, [&] { write_trims(*session, before, after); });
  }
  session->finish();
  if (io.json) return io.print_json(trim_json(*session, before, after));
  io.print(trim_table(*session, before, after));
}

// switch

void set_all_switches(BoardSession& session, std::uint8_t wanted) {
  std::string problems;
  for (int b = 0; b < session.num_boards(); ++b) {
    const SwitchResult result = set_switches(session, b, wanted);
    if (result.is_confirmed) continue;
    problems += (problems.empty() ? "" : "; ") + board_text(session, b) + ": not confirmed (" +
                result.problem + ")";
  }
  if (!problems.empty()) throw LinkError(session.name() + ": switch bits: " + problems);
}

void run_switch(const SettingOptions& opt, Console& io) {
  const auto session = open_boards(opt.boards, io);
  static_cast<void>(require_boards(*session));
  std::vector<std::uint8_t> bits = read_switches(*session);
  if (!opt.bits.empty()) {
    const std::uint8_t wanted = parse_switches(opt.bits);
    const bool sleeps = (wanted & drivers::rcb1::kSwitchSleep) != 0;
    const std::string what =
        "the switch bits of all boards are set to " + switches_text(wanted) +
        (sleeps ? ": the servos are free, the robot goes limp. Hold it"
                : ": the servos drive again, with the next pose at the latest");
    if (!is_agreed_to(opt.boards, *session, what, io)) return;
    run_to_its_end(io, [&] { set_all_switches(*session, wanted); });
    bits.assign(bits.size(), wanted);
  }
  if (io.json) {
    return io.print_json(
        {{"schema", "kagami.robot_switch/1"}, {"robot", session->name()}, {"switches", bits}});
  }
  for (int b = 0; b < session->num_boards(); ++b) {
    io.print(board_text(*session, b) + ": " + switches_text(bits[idx(b)]) + "\n");
  }
}

// keys

constexpr const char* kKeyRemark =
    "the meaning of the bytes, and their order, are inferred: no public document of ED and EC "
    "gives more than their length";

struct KeyChange {
  int key = 0;
  std::array<std::uint8_t, 3> bytes{};
};

KeyChange parse_key(const std::string& text) {
  KeyChange change;
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    throw ConfigError("--set '" + text + "': expected KEY=B1,B2,B3");
  }
  change.key = parse_whole(text.substr(0, equals), "--set", 0, kReadableKeys - 1);
  std::string rest = text.substr(equals + 1);
  for (std::size_t k = 0; k < change.bytes.size(); ++k) {
    const std::size_t comma = rest.find(',');
    if ((comma == std::string::npos) != (k + 1 == change.bytes.size())) {
      throw ConfigError("--set '" + text + "': expected three bytes, as in 5=1,0,0");
    }
    // a byte of E8 or more would begin a new request
    change.bytes[k] =
        static_cast<std::uint8_t>(parse_whole(rest.substr(0, comma), "--set", 0, 0xE7));
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
  }
  return change;
}

void write_keys(BoardSession& session, const std::vector<KeyChange>& changes) {
  for (const KeyChange& change : changes) {
    for (int b = 0; b < session.num_boards(); ++b) {
      write_key(session, b, change.key, change.bytes);
    }
  }
}

std::string bytes_text(const std::array<std::uint8_t, 3>& bytes) {
  return std::to_string(bytes[0]) + "," + std::to_string(bytes[1]) + "," + std::to_string(bytes[2]);
}

void run_keys(const SettingOptions& opt, Console& io) {
  std::vector<KeyChange> changes;
  for (const std::string& text : opt.set) changes.push_back(parse_key(text));
  const auto session = open_boards(opt.boards, io);
  static_cast<void>(require_boards(*session));
  io.say(kKeyRemark);
  if (!changes.empty()) {
    const std::string what = std::to_string(changes.size()) + " keys are written on every board";
    if (!is_agreed_to(opt.boards, *session, what, io)) return;
    run_to_its_end(io, [&] { write_keys(*session, changes); });
  }
  Table table({{"board"}, {"key"}, {"bytes", Align::kLeft}});
  nlohmann::json boards = nlohmann::json::array();
  for (int b = 0; b < session->num_boards(); ++b) {
    nlohmann::json keys = nlohmann::json::array();
    KeyBytes all{};
    const int answered = read_keys(*session, b, all);
    for (int key = 0; key < answered; ++key) {
      const auto& bytes = all[idx(key)];
      if (bytes == std::array<std::uint8_t, 3>{}) continue;
      table.add_row({std::to_string(session->board_id(b)), std::to_string(key), bytes_text(bytes)});
      keys.push_back({{"key", key}, {"bytes", bytes}});
    }
    boards.push_back({{"id", session->board_id(b)}, {"keys_answered", answered}, {"keys", keys}});
    io.say(board_text(*session, b) + " answers for " + std::to_string(answered) +
           " keys; those that are 0,0,0 are left out");
  }
  session->finish();
  if (io.json) {
    return io.print_json({{"schema", "kagami.robot_keys/1"},
                          {"robot", session->name()},
                          {"remark", kKeyRemark},
                          {"boards", boards}});
  }
  io.print(table.text());
}

}  // namespace

void add_robot_settings(Command& robot, Console& io) {
  auto trim = std::make_shared<SettingOptions>();
  Command trim_command =
      robot.add_command("trim", "Show or set the trim of joints, with the travel that it costs.");
  trim_command.add_option("--set", trim->set, "Trim of a joint, -20..19 deg. May be repeated.")
      .value("JOINT=DEG")
      .repeatable();
  add_yes_flag(trim_command, trim->boards);
  add_boards_options(trim_command, trim->boards, io);
  add_common_options(trim_command, io, "robot trim --robot /dev/ttyUSB0",
                     "robot trim --robot virtual --set left_knee=-3");
  trim_command.on_run([trim, &io] { run_trim(*trim, io); });

  auto bits = std::make_shared<SettingOptions>();
  Command switch_command = robot.add_command(
      "switch", "Show or set the switch bits: sleep (servos free) and motion (playing allowed).");
  switch_command.add_option("--set", bits->bits, "Bits of all boards.")
      .value("none|sleep|motion|sleep,motion");
  add_yes_flag(switch_command, bits->boards);
  add_boards_options(switch_command, bits->boards, io);
  add_common_options(switch_command, io, "robot switch --robot /dev/ttyUSB0",
                     "robot switch --robot virtual --set none");
  switch_command.on_run([bits, &io] { run_switch(*bits, io); });

  auto keys = std::make_shared<SettingOptions>();
  Command keys_command =
      robot.add_command("keys", "Show or set the three bytes of the remote control's keys.");
  keys_command.add_option("--set", keys->set, "Bytes of a key on every board. May be repeated.")
      .value("KEY=B1,B2,B3")
      .repeatable();
  add_yes_flag(keys_command, keys->boards);
  add_boards_options(keys_command, keys->boards, io);
  add_common_options(keys_command, io, "robot keys --robot /dev/ttyUSB0",
                     "robot keys --robot virtual --set 5=1,0,0");
  keys_command.on_run([keys, &io] { run_keys(*keys, io); });
}

}  // namespace kagami::tools
