// kagami motion: what can be replayed, the content of motion files, and the commands that make new
// ones (tools/motion).
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/base/errors.hpp"
#include "models/base/text_file.hpp"
#include "motions/file/bind.hpp"
#include "motions/file/library.hpp"
#include "motions/file/motion_json.hpp"
#include "motions/file/text_encoding.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/robot_choice.hpp"
#include "tools/cli/table.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/motion_record.hpp"
#include "tools/motion/commands.hpp"
#include "tools/motion/motion_source.hpp"
#include "tools/motion/motion_view.hpp"

namespace kagami::tools {
namespace {

using motions::Motion;

struct ListOptions {
  RobotChoice robot;
  std::string project;
};

// the motions of a HeartToHeart4 project
bool list_project(const std::string& name, Console& io) {
  const std::string text = motions::file_text(read_text_file(name), name);
  if (motions::recognise(text, name) != motions::MotionFormat::kHth4Project) return false;
  Table table({{"entry", Align::kLeft}, {"commands"}, {"motion", Align::kLeft}});
  nlohmann::json rows = nlohmann::json::array();
  for (const motions::ProjectEntry& entry : motions::list_hth4_project(text, name)) {
    table.add_row({entry.key, std::to_string(entry.num_commands), entry.name});
    rows.push_back({{"entry", entry.key}, {"name", entry.name}, {"commands", entry.num_commands}});
  }
  if (io.json) {
    io.print_json({{"schema", "kagami.motions/1"}, {"file", name}, {"motions", rows}});
  } else {
    io.print(table.text(io.out_width()));
  }
  return true;
}

void list(const ListOptions& opt, Console& io) {
  if (!opt.project.empty() && list_project(opt.project, io)) return;
  if (!opt.project.empty())
    throw ConfigError(opt.project + ": holds one motion, 'kagami motion show' shows it");
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
  SourceOptions source;
  std::string motion;
};

void show(const ShowOptions& opt, Console& io) {
  const DataFolders data = find_data(io, opt.robot.data);
  const RobotWiring wiring = wiring_of(find_robot(data, opt.robot.model));
  std::optional<motions::MotionMap> map;
  if (!opt.source.map.empty()) map = read_map(data, opt.source.map);
  const MotionSource source = read_source(find_motion(data, opt.motion), wiring,
                                          read_options(opt.source, map ? &*map : nullptr));
  const bool is_of_robot = map || !motions::needs_map(source.format);
  if (!is_of_robot) {
    for (const std::string& warning : source.own.warnings) io.warn(warning);
    if (io.json) {
      throw ConfigError(source.file.string() + ": is a " + motions::format_name(source.format) +
                        ", whose channels are another robot's; name them with --map");
    }
    return io.print(channels_text(source.own, io.out_width()));
  }
  const Motion bound = motions::bind_motion(source.motion, wiring);
  for (const std::string& warning : bound.warnings) io.warn(warning);
  if (io.json) return io.print_json(nlohmann::json::parse(motions::motion_json_text(bound)));
  io.print(motion_text(bound, wiring, io.out_width()));
}

}  // namespace

void add_motion(Command& app, Console& io) {
  Command motion = app.add_command("motion", "List, show, convert and edit motions.");
  motion.require_command();
  motion.set_examples("motion show walk_forward",
                      "motion convert walk.RCB --map khr2hv --clip --out walk.json");

  auto list_options = std::make_shared<ListOptions>();
  Command list_command =
      motion.add_command("list", "List the shipped motions, or those of a project.");
  list_command.add_option("project", list_options->project, "A HeartToHeart4 project (.h4p).")
      .value("FILE");
  add_robot_options(list_command, list_options->robot);
  add_json_option(list_command, io);
  add_common_options(list_command, io, "motion list", "motion list --json");
  list_command.on_run([list_options, &io] { list(*list_options, io); });

  auto show_options = std::make_shared<ShowOptions>();
  Command show_command = motion.add_command("show", "Show poses, speeds and times of a motion.");
  show_command
      .add_option("motion", show_options->motion,
                  "Name of a shipped motion, or a file of any format.")
      .value("NAME|FILE")
      .required();
  add_source_options(show_command, show_options->source);
  add_robot_options(show_command, show_options->robot);
  add_json_option(show_command, io);
  add_common_options(show_command, io, "motion show walk_forward",
                     "motion show my_wave.csv --json");
  show_command.on_run([show_options, &io] { show(*show_options, io); });

  add_motion_convert(motion, io);
  add_motion_edit(motion, io);
  add_motion_diff(motion, io);
  add_motion_record(motion, io);
}

}  // namespace kagami::tools
