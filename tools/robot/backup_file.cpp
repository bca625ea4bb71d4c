#include "tools/robot/backup_file.hpp"

#include <nlohmann/json.hpp>

#include "models/base/config.hpp"
#include "models/base/text_file.hpp"
#include "tools/robot/json_layout.hpp"

namespace kagami::tools {
namespace {

namespace vr = drivers::virtual_robot;

constexpr std::string_view kBackupSchema = "kagami.board_backup/1";

BoardImage read_board_entry(const ConfigNode& node) {
  BoardImage image;
  image.switches = static_cast<std::uint8_t>(node.integer("switches", {0, 255}));
  image.keys_answered = static_cast<int>(node.integer("keys_answered", {0, kReadableKeys}));
  image.has_scenarios = node.boolean_or("has_scenarios", true);
  image.memory = vr::read_board_memory(node.object("memory"), 255);
  node.reject_unknown_keys();
  return image;
}

void check_boards(const ConfigNode& root, const MemoryImage& image, const RobotWiring& wiring) {
  if (image.boards.size() != wiring.boards.size()) {
    root.fail("boards", "has " + std::to_string(image.boards.size()) + " entries, the robot has " +
                            std::to_string(wiring.boards.size()) + " boards");
  }
  for (std::size_t b = 0; b < image.boards.size(); ++b) {
    const int id = image.boards[b].memory.id;
    if (id == wiring.boards[b].id) continue;
    root.fail("boards/" + std::to_string(b) + "/memory/id",
              "is " + std::to_string(id) + ", the robot's board has ID " +
                  std::to_string(wiring.boards[b].id) + " (--model names another robot)");
  }
}

}  // namespace

std::string backup_text(const Backup& backup) {
  nlohmann::ordered_json boards = nlohmann::ordered_json::array();
  for (const BoardImage& board : backup.image.boards) {
    boards.push_back({{"switches", board.switches},
                      {"keys_answered", board.keys_answered},
                      {"has_scenarios", board.has_scenarios},
                      {"memory", nlohmann::ordered_json(vr::board_memory_json(board.memory))}});
  }
  return json_lines({{"schema", kBackupSchema},
                     {"created", backup.created},
                     {"robot", backup.robot},
                     {"boards", boards}});
}

Backup read_backup(const std::filesystem::path& file, const RobotWiring& wiring) {
  return parse_backup(read_text_file(file), file.string(), wiring);
}

Backup parse_backup(std::string_view text, const std::string& file, const RobotWiring& wiring) {
  const ConfigDocument document = ConfigDocument::parse(text, file);
  const ConfigNode root = document.root();
  constexpr std::string_view kSchemas[] = {kBackupSchema};
  static_cast<void>(root.one_of("schema", kSchemas));
  Backup backup;
  backup.created = root.text("created");
  backup.robot = root.text("robot");
  for (const ConfigNode& node : root.list("boards")) {
    backup.image.boards.push_back(read_board_entry(node));
  }
  check_boards(root, backup.image, wiring);
  root.reject_unknown_keys();
  return backup;
}

}  // namespace kagami::tools
