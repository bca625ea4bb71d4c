// kagami motion trim, reverse, mirror, join, blend, retime, graph: new motions from others.
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"
#include "models/base/number_text.hpp"
#include "models/base/text_file.hpp"
#include "motions/edit/edit.hpp"
#include "motions/edit/graph.hpp"
#include "motions/file/bind.hpp"
#include "motions/file/library.hpp"
#include "motions/file/motion_json.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/table.hpp"
#include "tools/motion/commands.hpp"
#include "tools/motion/mirror.hpp"
#include "tools/motion/motion_source.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using motions::Motion;

/// What every editing command has: the motions, the robot and where the result goes.
struct EditOptions {
  RobotChoice robot;
  std::vector<std::string> inputs;
  std::string out;
  std::string name;
  bool force = false;

  double from = 0.0;
  std::optional<double> to;
  double transition = 0.5;
  double weight = 0.5;
  std::optional<double> limit_deg;
  std::string mode = "stream";
  std::string path;
};

/// What the edit works with.
struct EditContext {
  const EditOptions& opt;
  DataFolders data;
  fs::path robot_folder;
  RobotWiring wiring;

  [[nodiscard]] Motion input(std::size_t i) const {
    return bound_motion(data, opt.inputs.at(i), wiring);
  }
};

using Edit = std::function<Motion(const EditContext&)>;

void add_out_option(Command& cmd, EditOptions& opt) {
  cmd.add_option("--out", opt.out, "File of the new motion (.json).").value("FILE").required();
  cmd.add_option("--name", opt.name, "Name of the new motion. Default: that of the file.")
      .value("NAME");
  cmd.add_flag("--force", opt.force, "Replace a file that exists.");
}

void run_edit(const EditOptions& opt, const std::string& verb, const Edit& edit, Console& io) {
  const DataFolders data = find_data(io, opt.robot.data);
  const fs::path folder = find_robot(data, opt.robot.model);
  const EditContext context{opt, data, folder, wiring_of(folder)};
  std::error_code missing;
  if (fs::exists(opt.out, missing) && !opt.force)
    throw ConfigError(opt.out + ": exists; name another with --out, or --force");
  Motion motion = edit(context);
  for (const std::string& warning : motion.warnings) io.warn(warning);
  motion.file = opt.out;
  motion.name = opt.name.empty() ? fs::path(opt.out).stem().string() : opt.name;
  motion.source = verb;
  for (const std::string& input : opt.inputs)
    motion.source += " " + fs::path(input).filename().string();
  // the result must be playable as it is
  const Motion bound = motions::bind_motion(motion, context.wiring);
  write_file_atomically(opt.out, motions::motion_json_text(bound));
  const std::string summary =
      std::to_string(bound.poses.size()) + " poses, " + fixed(bound.duration(), 3) + " s";
  if (io.json) {
    io.print_json({{"schema", "kagami.motion_edit/1"},
                   {"file", opt.out},
                   {"poses", bound.poses.size()},
                   {"duration_s", bound.duration()},
                   {"keyframe", bound.has_speed_codes()}});
  } else {
    io.print(opt.out + ": " + summary + "\n");
  }
  io.say("'kagami check " + opt.out + "' shows whether the robot can play it");
}

/// Adds a command of one or two motions and its own options.
void add_edit(Command& motion, Console& io, const std::string& name, const std::string& text,
              int inputs, const std::string& example_1, const std::string& example_2,
              const std::function<void(Command&, EditOptions&)>& add_options, const Edit& edit) {
  auto opt = std::make_shared<EditOptions>();
  opt->inputs.resize(static_cast<std::size_t>(inputs));
  Command cmd = motion.add_command(name, text);
  const char* const names[] = {"first", "second"};
  for (int i = 0; i < inputs; ++i) {
    cmd.add_option(inputs == 1 ? "motion" : names[i], opt->inputs[static_cast<std::size_t>(i)],
                   i == 0 ? "Name of a shipped motion, or a file." : "The motion after it.")
        .value("NAME|FILE")
        .required();
  }
  add_options(cmd, *opt);
  add_out_option(cmd, *opt);
  add_robot_options(cmd, opt->robot);
  add_json_option(cmd, io);
  add_common_options(cmd, io, example_1, example_2);
  cmd.on_run([opt, name, edit, &io] { run_edit(*opt, name + " of", edit, io); });
}

void no_options(Command&, EditOptions&) {}

Motion trim(const EditContext& c) {
  const Motion motion = c.input(0);
  return motions::trimmed(motion, c.opt.from, c.opt.to.value_or(motion.duration()));
}

Motion mirror(const EditContext& c) {
  const models::RobotDescription robot =
      models::read_robot_folder(c.robot_folder, models::BaseKind::kFixed);
  return motions::mirrored(c.input(0), mirror_partners(robot));
}

Motion retime(const EditContext& c) {
  const double limit_deg =
      c.opt.limit_deg.value_or(1.0 / c.wiring.speed.seconds_per_degree.front());
  if (!std::isfinite(limit_deg)) throw ConfigError("the robot has no speed table, name --limit");
  const std::vector<double> limits(c.wiring.joints.size(), to_rad(limit_deg));
  const motions::PlayMode mode = c.opt.mode == "keyframe" ? motions::PlayMode::kKeyframe
                                 : c.opt.mode == "ramp"   ? motions::PlayMode::kRamp
                                                          : motions::PlayMode::kStream;
  const Motion motion = c.input(0);
  if (mode == motions::PlayMode::kKeyframe && !motion.has_speed_codes())
    throw ConfigError(motion.file + ": not every pose has a speed code; use --mode ramp or stream");
  return motions::retimed(motion, limits, mode, c.wiring.speed);
}

Motion graph(const EditContext& c) {
  const fs::path file = c.opt.inputs.at(0);
  const motions::MotionGraph graph =
      motions::parse_motion_graph(read_text_file(file), file.string());
  std::vector<std::string> path = graph.play;
  if (!c.opt.path.empty()) {
    path.clear();
    std::istringstream in(c.opt.path);
    for (std::string node; std::getline(in, node, ',');) path.push_back(node);
  }
  const auto load = [&](const std::string& name) {
    // a file of the graph lies where the graph lies
    const fs::path beside = file.parent_path() / name;
    std::error_code missing;
    const bool is_beside = fs::is_regular_file(beside, missing);
    return bound_motion(c.data, is_beside ? beside.string() : name, c.wiring);
  };
  return motions::walk_graph(graph, path, load, c.wiring.speed);
}

}  // namespace

void add_motion_edit(Command& motion, Console& io) {
  add_edit(
      motion, io, "trim", "Cut a part out of a motion.", 1,
      "motion trim walk_forward --to 2.5 --out start.json",
      "motion trim bow --from 0.5 --out rest.json",
      [](Command& cmd, EditOptions& opt) {
        cmd.add_option("--from", opt.from, "Start, s after the first pose.")
            .value("SECONDS")
            .range(0.0, 1e6)
            .with_default();
        cmd.add_option("--to", opt.to, "End, s after the first pose. Default: that of the motion.")
            .value("SECONDS")
            .range(0.0, 1e6);
      },
      trim);
  add_edit(motion, io, "reverse", "Play a motion backwards.", 1,
           "motion reverse bow --out rise.json", "motion reverse mine.json --out back.json",
           no_options, [](const EditContext& c) { return motions::reversed(c.input(0)); });
  add_edit(motion, io, "mirror", "Exchange left and right.", 1,
           "motion mirror side_left --out right.json", "motion mirror wave --out other.json",
           no_options, mirror);
  add_edit(
      motion, io, "join", "Put one motion after another, with a transition between them.", 2,
      "motion join bow wave --out both.json",
      "motion join walk_forward bow --transition 0.8 --out both.json",
      [](Command& cmd, EditOptions& opt) {
        cmd.add_option("--transition", opt.transition, "Time of the transition, s.")
            .value("SECONDS")
            .range(0.001, 60.0)
            .with_default();
      },
      [](const EditContext& c) {
        return motions::joined(c.input(0), c.input(1), c.opt.transition, c.wiring.speed);
      });
  add_edit(
      motion, io, "blend", "Mix two motions pose by pose over their whole length.", 2,
      "motion blend walk_forward walk_backward --weight 0.2 --out mix.json",
      "motion blend bow squat --out mix.json",
      [](Command& cmd, EditOptions& opt) {
        cmd.add_option("--weight", opt.weight, "Share of the second motion, 0 to 1.")
            .range(0.0, 1.0)
            .with_default();
      },
      [](const EditContext& c) { return motions::blended(c.input(0), c.input(1), c.opt.weight); });
  add_edit(
      motion, io, "retime", "Slow a motion down where a joint is too fast.", 1,
      "motion retime mine.json --limit 200 --out slow.json",
      "motion retime walk_forward --mode keyframe --limit 150 --out slow.json",
      [](Command& cmd, EditOptions& opt) {
        cmd.add_option(
               "--limit", opt.limit_deg,
               "Fastest speed of a joint, deg/s. Default: that of the boards' speed code 0.")
            .value("DEG_PER_S")
            .range(0.1, 10000.0);
        cmd.add_option("--mode", opt.mode, "How it will be played.")
            .one_of({"stream", "ramp", "keyframe"})
            .with_default();
      },
      retime);
  add_edit(
      motion, io, "graph", "Play the nodes of a motion graph one after another as one motion.", 1,
      "motion graph scenario.json --out show.json",
      "motion graph scenario.json --path stand,walk,walk,bow --out show.json",
      [](Command& cmd, EditOptions& opt) {
        cmd.add_option("--path", opt.path,
                       "Nodes in order, separated by commas. Default: \"play\" of the file.")
            .value("NODES");
      },
      graph);
}

}  // namespace kagami::tools
