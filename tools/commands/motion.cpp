// kagami motion list|show: what can be replayed, and the content of a motion file.
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"
#include "motions/file/bind.hpp"
#include "motions/file/library.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/robot_choice.hpp"
#include "tools/cli/table.hpp"
#include "tools/commands/commands.hpp"

namespace kagami::tools {
namespace {

using motions::Motion;

/// Indices of the joints that do not keep one angle throughout a bound motion.
std::vector<std::size_t> moving_joints(const Motion& bound) {
  std::vector<std::size_t> moving;
  for (std::size_t j = 0; j < bound.joints.size(); ++j) {
    const auto moves = [&](const motions::Pose& pose) {
      return pose.angle[j] != bound.poses.front().angle[j];
    };
    if (std::any_of(bound.poses.begin(), bound.poses.end(), moves)) moving.push_back(j);
  }
  return moving;
}

struct ListOptions {
  RobotChoice robot;
};

void list(const ListOptions& opt, Console& io) {
  const DataFolders data = find_data(io, opt.robot.data);
  const RobotWiring wiring = wiring_of(find_robot(data, opt.robot.model));
  Table table({{"motion", Align::kLeft},
               {"poses"},
               {"time s"},
               {"joints"},
               {"mode", Align::kLeft},
               {"note", Align::kLeft}});
  nlohmann::json rows = nlohmann::json::array();
  for (const motions::MotionEntry& entry : motions::list_motions(data.motions, wiring)) {
    const bool fits = entry.problem.empty();
    std::size_t joints = 0;
    if (fits) joints = moving_joints(motions::load_motion(entry.file, wiring)).size();
    const std::string mode = entry.has_speed_codes ? "keyframe" : "stream";
    table.add_row({entry.name, fits ? std::to_string(entry.num_poses) : "-",
                   fits ? fixed(entry.duration, 2) : "-", fits ? std::to_string(joints) : "-",
                   fits ? mode : "-", fits ? entry.note : "does not fit: " + entry.problem});
    rows.push_back({{"name", entry.name},
                    {"file", entry.file.string()},
                    {"poses", entry.num_poses},
                    {"duration_s", fits ? nlohmann::json(entry.duration) : nullptr},
                    {"moving_joints", fits ? nlohmann::json(joints) : nullptr},
                    {"mode", mode},
                    {"note", entry.note},
                    {"problem", fits ? nlohmann::json(nullptr) : nlohmann::json(entry.problem)}});
  }
  if (io.json) return io.print_json({{"schema", "kagami.motions/1"}, {"motions", rows}});
  io.print(table.text(io.out_width()));
}

struct ShowOptions {
  RobotChoice robot;
  std::string motion;
};

nlohmann::json pose_json(const Motion& bound, const motions::Pose& pose, double at) {
  nlohmann::json angles = nlohmann::json::object();
  for (std::size_t j = 0; j < bound.joints.size(); ++j)
    angles[bound.joints[j]] = std::round(1e6 * to_deg(pose.angle[j].value_or(0.0))) / 1e6;
  return {{"label", pose.label},
          {"speed", pose.speed ? nlohmann::json(*pose.speed) : nullptr},
          {"duration_s", pose.duration},
          {"at_s", at},
          {"angle_deg", angles}};
}

nlohmann::json motion_json(const Motion& bound, const std::string& file,
                           const std::vector<std::string>& warnings) {
  nlohmann::json poses = nlohmann::json::array();
  double at = 0.0;
  for (std::size_t i = 0; i < bound.poses.size(); ++i) {
    if (i > 0) at += bound.poses[i].duration;
    poses.push_back(pose_json(bound, bound.poses[i], at));
  }
  return {{"schema", "kagami.motion_show/1"},
          {"name", bound.name},
          {"file", file},
          {"note", bound.note},
          {"source", bound.source},
          {"duration_s", bound.duration()},
          {"loop", bound.loop},
          {"has_speed_codes", bound.has_speed_codes()},
          {"poses", poses},
          {"warnings", warnings}};
}

/// One line per pose; a column per moving joint, headed by its channel to stay narrow.
std::string motion_text(const Motion& bound, const RobotWiring& wiring, int width) {
  const std::vector<std::size_t> moving = moving_joints(bound);
  std::vector<Table::Column> columns = {
      {"pose"}, {"label", Align::kLeft}, {"speed"}, {"takes s"}, {"at s"}};
  for (const std::size_t j : moving)
    columns.push_back({"ch" + std::to_string(wiring.joints[j].channel)});
  Table table(columns);
  double at = 0.0;
  for (std::size_t i = 0; i < bound.poses.size(); ++i) {
    const motions::Pose& pose = bound.poses[i];
    if (i > 0) at += pose.duration;
    std::vector<std::string> cells = {std::to_string(i + 1), pose.label,
                                      pose.speed ? std::to_string(*pose.speed) : "-",
                                      fixed(pose.duration, 3), fixed(at, 3)};
    for (const std::size_t j : moving)
      cells.push_back(fixed(to_deg(pose.angle[j].value_or(0.0)), 0));
    table.add_row(cells);
  }
  Table legend({{"channel"}, {"joint", Align::kLeft}});
  for (const std::size_t j : moving)
    legend.add_row({std::to_string(wiring.joints[j].channel), bound.joints[j]});
  std::string text = bound.name + ": " + std::to_string(bound.poses.size()) + " poses, " +
                     fixed(bound.duration(), 2) + " s" + (bound.loop ? ", loops" : "") + "\n";
  if (!bound.note.empty()) text += bound.note + "\n";
  if (!bound.source.empty()) text += "source: " + bound.source + "\n";
  text +=
      "\nJoint angles in degrees from the factory home; joints that never move are left out.\n\n";
  return text + table.text(width) + (moving.empty() ? "" : "\n" + legend.text());
}

void show(const ShowOptions& opt, Console& io) {
  const DataFolders data = find_data(io, opt.robot.data);
  const RobotWiring wiring = wiring_of(find_robot(data, opt.robot.model));
  const std::filesystem::path file = find_motion(data, opt.motion);
  const Motion motion = motions::read_motion(file, wiring);
  const Motion bound = motions::bind_motion(motion, wiring);
  std::vector<std::string> warnings = bound.warnings;
  for (const std::string& warning : warnings) io.warn(warning);
  if (io.json) return io.print_json(motion_json(bound, file.string(), warnings));
  io.print(motion_text(bound, wiring, io.out_width()));
}

}  // namespace

void add_motion(Command& app, Console& io) {
  Command motion = app.add_command("motion", "List and show motions.");
  motion.require_command();
  motion.set_examples("motion list", "motion show walk_forward");

  auto list_options = std::make_shared<ListOptions>();
  Command list_command = motion.add_command("list", "List the shipped motions.");
  add_robot_options(list_command, list_options->robot);
  add_json_option(list_command, io);
  add_common_options(list_command, io, "motion list", "motion list --json");
  list_command.on_run([list_options, &io] { list(*list_options, io); });

  auto show_options = std::make_shared<ShowOptions>();
  Command show_command = motion.add_command("show", "Show poses, speeds and times of a motion.");
  show_command
      .add_option("motion", show_options->motion,
                  "Name of a shipped motion, or a .json or .csv file.")
      .value("NAME|FILE")
      .required();
  add_robot_options(show_command, show_options->robot);
  add_json_option(show_command, io);
  add_common_options(show_command, io, "motion show walk_forward",
                     "motion show my_wave.csv --json");
  show_command.on_run([show_options, &io] { show(*show_options, io); });
}

}  // namespace kagami::tools
