#include "drivers/virtual/board_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "drivers/rcb1/protocol.hpp"
#include "models/base/config.hpp"
#include "models/base/file_replacement.hpp"
#include "models/base/text_file.hpp"

namespace kagami::drivers::virtual_robot {
namespace {

using nlohmann::json;

constexpr std::string_view kSchema = "kagami.board_memory/1";
constexpr double kMaxByte = 255.0;

template <class Bytes>
json numbers(const Bytes& bytes) {
  json list = json::array();
  for (const auto byte : bytes) list.push_back(static_cast<int>(byte));
  return list;
}

json motion_json(const StoredMotion& motion) {
  json poses = json::array();
  for (int k = 0; k < kPosesPerMotion; ++k) {
    const StoredPose& pose = motion.poses[static_cast<std::size_t>(k)];
    if (pose == StoredPose{}) continue;
    poses.push_back({{"pose", k}, {"speed", pose.speed}, {"counts", numbers(pose.counts)}});
  }
  return {{"count", motion.count}, {"poses", poses}};
}

json scenario_json(const StoredScenario& scenario) {
  // trailing zeros are what an empty memory holds
  std::size_t used = scenario.motions.size();
  while (used > 0 && scenario.motions[used - 1] == 0) --used;
  json list = json::array();
  for (std::size_t k = 0; k < used; ++k) list.push_back(static_cast<int>(scenario.motions[k]));
  return {{"count", scenario.count}, {"motions", list}};
}

template <class Bytes>
void read_bytes(const ConfigNode& node, std::string_view key, Range range, Bytes& bytes) {
  const std::vector<double> list = node.numbers(key, static_cast<int>(bytes.size()), range);
  for (std::size_t k = 0; k < list.size(); ++k) {
    const auto value = static_cast<typename Bytes::value_type>(list[k]);
    if (static_cast<double>(value) != list[k]) {
      node.fail(std::string(key) + "/" + std::to_string(k), "is not a whole number");
    }
    bytes[k] = value;
  }
}

// the number that a key of an object means: "0" .. "39"
std::size_t key_index(const ConfigNode& node, const std::string& key, int count) {
  for (int k = 0; k < count; ++k) {
    if (key == std::to_string(k)) return static_cast<std::size_t>(k);
  }
  node.fail(key, "is not a number from 0 to " + std::to_string(count - 1));
}

StoredMotion read_motion(const ConfigNode& node) {
  StoredMotion motion;
  motion.count = static_cast<std::uint8_t>(node.integer("count", {0, kPosesPerMotion}));
  for (const ConfigNode& item : node.list("poses")) {
    const auto at = static_cast<std::size_t>(item.integer("pose", {0, kPosesPerMotion - 1}));
    motion.poses[at].speed = static_cast<std::uint8_t>(item.integer("speed", {0, 7}));
    read_bytes(item, "counts", {0, kMaxByte}, motion.poses[at].counts);
    item.reject_unknown_keys();
  }
  node.reject_unknown_keys();
  return motion;
}

StoredScenario read_scenario(const ConfigNode& node) {
  StoredScenario scenario;
  scenario.count = static_cast<std::uint8_t>(node.integer("count", {0, kEntriesPerScenario}));
  const std::vector<double> list = node.numbers("motions", -1, {0, kMotions - 1});
  if (list.size() > scenario.motions.size()) {
    node.fail("motions", "has " + std::to_string(list.size()) + " entries, expected at most " +
                             std::to_string(kEntriesPerScenario));
  }
  for (std::size_t k = 0; k < list.size(); ++k) {
    scenario.motions[k] = static_cast<std::uint8_t>(list[k]);
  }
  node.reject_unknown_keys();
  return scenario;
}

// in its place: 57 kB are too much for the stack where memory is short
void set_factory_memory(const RobotWiring& wiring, int board, BoardMemory& memory) {
  memory.id = static_cast<std::uint8_t>(wiring.boards[static_cast<std::size_t>(board)].id);
  for (const JointWiring& joint : wiring.joints) {
    if (joint.board() != board) continue;
    const auto slot = static_cast<std::size_t>(joint.slot());
    memory.home[slot] = static_cast<std::uint8_t>(joint.home_deg);
    memory.trim_deg[slot] = static_cast<std::int8_t>(joint.trim_deg);
  }
}

}  // namespace

double take_pose(const SpeedTable& speed, const StoredPose& pose, ChannelCounts& at) noexcept {
  int travel = 0;
  for (std::size_t slot = 0; slot < at.size(); ++slot) {
    if (pose.counts[slot] > rcb1::kMaxCount) continue;
    if (at[slot] <= rcb1::kMaxCount) {
      travel = std::max(travel, std::abs(int{pose.counts[slot]} - int{at[slot]}));
    }
    at[slot] = pose.counts[slot];
  }
  return speed.duration(pose.speed, travel);
}

nlohmann::json board_memory_json(const BoardMemory& board) {
  json result = {
      {"id", board.id}, {"home", numbers(board.home)}, {"trim", numbers(board.trim_deg)}};
  json motions = json::object();
  for (std::size_t k = 0; k < board.motions.size(); ++k) {
    if (board.motions[k] == StoredMotion{}) continue;
    motions[std::to_string(k)] = motion_json(board.motions[k]);
  }
  json scenarios = json::object();
  for (std::size_t k = 0; k < board.scenarios.size(); ++k) {
    if (board.scenarios[k] == StoredScenario{}) continue;
    scenarios[std::to_string(k)] = scenario_json(board.scenarios[k]);
  }
  json keys = json::object();
  for (std::size_t k = 0; k < board.keys.size(); ++k) {
    if (board.keys[k] == std::array<std::uint8_t, 3>{}) continue;
    keys[std::to_string(k)] = numbers(board.keys[k]);
  }
  result["motions"] = motions;
  result["scenarios"] = scenarios;
  result["keys"] = keys;
  return result;
}

BoardMemory read_board_memory(const ConfigNode& node, int largest_home) {
  BoardMemory board;
  board.id = static_cast<std::uint8_t>(node.integer("id", {0, 31}));
  read_bytes(node, "home", {0, 1.0 * largest_home, "deg"}, board.home);
  read_bytes(node, "trim", {-20, 19, "deg"}, board.trim_deg);
  const ConfigNode motions = node.object("motions");
  for (const std::string& key : motions.keys()) {
    board.motions[key_index(motions, key, kMotions)] = read_motion(motions.object(key));
  }
  const ConfigNode scenarios = node.object("scenarios");
  for (const std::string& key : scenarios.keys()) {
    board.scenarios[key_index(scenarios, key, kScenarios)] = read_scenario(scenarios.object(key));
  }
  const ConfigNode keys = node.object("keys");
  for (const std::string& key : keys.keys()) {
    read_bytes(keys, key, {0, kMaxByte}, board.keys[key_index(keys, key, kKeys)]);
  }
  node.reject_unknown_keys();
  return board;
}

std::string memory_text(const std::vector<BoardMemory>& boards) {
  json list = json::array();
  for (const BoardMemory& board : boards) list.push_back(board_memory_json(board));
  return json{{"schema", kSchema}, {"boards", list}}.dump(1) + "\n";
}

std::vector<BoardMemory> parse_memory(std::string_view text, const std::string& file,
                                      std::size_t boards) {
  const ConfigDocument document = ConfigDocument::parse(text, file);
  const ConfigNode root = document.root();
  constexpr std::string_view kSchemas[] = {kSchema};
  static_cast<void>(root.one_of("schema", kSchemas));
  std::vector<BoardMemory> result;
  for (const ConfigNode& node : root.list("boards")) result.push_back(read_board_memory(node));
  if (result.size() != boards) {
    root.fail("boards", "has " + std::to_string(result.size()) + " entries, expected " +
                            std::to_string(boards));
  }
  root.reject_unknown_keys();
  return result;
}

void write_memory_file(const std::filesystem::path& file, const std::vector<BoardMemory>& boards) {
  write_file_atomically(file, memory_text(boards));
}

std::vector<BoardMemory> load_memory(const RobotWiring& wiring, const std::filesystem::path& file) {
  const std::size_t boards = wiring.boards.size();
  std::error_code error;
  if (!file.empty() && std::filesystem::exists(file, error)) {
    return parse_memory(read_text_file(file), file.string(), boards);
  }
  std::vector<BoardMemory> memory(boards);
  for (std::size_t k = 0; k < boards; ++k)
    set_factory_memory(wiring, static_cast<int>(k), memory[k]);
  return memory;
}

}  // namespace kagami::drivers::virtual_robot
