// kagami motion convert: motion files of any program into those of another, one or many.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"
#include "models/base/text_file.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/table.hpp"
#include "tools/motion/commands.hpp"
#include "tools/motion/convert.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using motions::MotionFormat;

struct ConvertOptions {
  RobotChoice robot;
  SourceOptions source;
  std::vector<std::string> files;
  std::string to;
  std::string out;
  std::string out_map;
  std::string project;
  std::string project_entry;
  bool clip = false;
  bool force = false;
};

const char* extension_of(MotionFormat format) {
  switch (format) {
    case MotionFormat::kKagami:
      return ".json";
    case MotionFormat::kHth3:
      return ".RCB";
    case MotionFormat::kHth4:
      return ".xml";
    case MotionFormat::kHth4Project:
      return ".h4p";
    default:
      return ".csv";
  }
}

// by --to, else by the extension of --out, else our own
MotionFormat wanted_format(const ConvertOptions& opt) {
  if (!opt.to.empty()) return motions::format_of_key(opt.to);
  std::string extension = fs::path(opt.out).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".rcb") return MotionFormat::kHth3;
  if (extension == ".xml") return MotionFormat::kHth4;
  if (extension == ".h4p") return MotionFormat::kHth4Project;
  if (extension == ".csv") {
    throw ConfigError("--out '" + opt.out + "': which CSV? Name it with --to hth1, counts or csv");
  }
  return MotionFormat::kKagami;
}

/// What became of one file.
struct Outcome {
  fs::path from, to;
  std::optional<Conversion> done;
  std::string problem;
};

fs::path target_of(const ConvertOptions& opt, const fs::path& file, MotionFormat format,
                   bool is_batch) {
  std::error_code missing;
  const fs::path name = file.stem().string() + extension_of(format);
  if (opt.out.empty()) return name;
  if (is_batch || fs::is_directory(opt.out, missing)) return fs::path(opt.out) / name;
  return opt.out;
}

void write_file(const ConvertOptions& opt, const Outcome& outcome) {
  std::error_code missing;
  if (fs::equivalent(outcome.from, outcome.to, missing) && !opt.force) {
    throw ConfigError(outcome.to.string() +
                      ": is the file that is read; name another with --out, or --force");
  }
  if (fs::exists(outcome.to, missing) && !opt.force)
    throw ConfigError(outcome.to.string() + ": exists; name another with --out, or --force");
  write_file_atomically(outcome.to, outcome.done->text);
}

Outcome convert_one(const ConvertOptions& opt, const fs::path& file, const RobotWiring& wiring,
                    const motions::ReadOptions& read, const ConvertSettings& settings,
                    bool is_batch) {
  Outcome outcome;
  outcome.from = file;
  outcome.to = target_of(opt, file, settings.to, is_batch);
  try {
    const MotionSource source = read_source(file, wiring, read);
    if (motions::needs_map(source.format) && read.map == nullptr) {
      throw ConfigError(file.string() + ": is a " + motions::format_name(source.format) +
                        ", whose channels are another robot's; name them with --map khr2hv, "
                        "khr3hv or a file");
    }
    outcome.done = convert(source, wiring, read, settings);
    write_file(opt, outcome);
  } catch (const ConfigError& error) {
    outcome.problem = error.what();
  } catch (const RecordError& error) {
    outcome.problem = error.what();
  }
  if (!outcome.problem.empty()) outcome.done.reset();
  return outcome;
}

nlohmann::json outcome_json(const Outcome& outcome) {
  nlohmann::json object = outcome.done ? conversion_json(*outcome.done) : nlohmann::json::object();
  object["file"] = outcome.from.string();
  object["out"] = outcome.done ? nlohmann::json(outcome.to.string()) : nullptr;
  object["problem"] = outcome.done ? nlohmann::json(nullptr) : nlohmann::json(outcome.problem);
  return object;
}

std::string batch_text(const std::vector<Outcome>& outcomes, int width) {
  Table table(
      {{"file", Align::kLeft}, {"poses"}, {"time s"}, {"clipped"}, {"result", Align::kLeft}});
  for (const Outcome& outcome : outcomes) {
    if (!outcome.done) {
      table.add_row({outcome.from.filename().string(), "-", "-", "-",
                     "refused: " + outcome.problem.substr(0, outcome.problem.find('\n'))});
      continue;
    }
    int clipped = 0;
    for (const ConvertedJoint& joint : outcome.done->joints) clipped += joint.clipped;
    table.add_row({outcome.from.filename().string(), std::to_string(outcome.done->poses_to),
                   fixed(outcome.done->duration_to, 2),
                   clipped == 0 ? "-" : std::to_string(clipped), outcome.to.string()});
  }
  return table.text(width);
}

void report(const std::vector<Outcome>& outcomes, Console& io) {
  const bool is_one = outcomes.size() == 1;
  int refused = 0;
  for (const Outcome& outcome : outcomes) {
    if (!outcome.done) {
      ++refused;
      if (is_one) io.error(outcome.problem);
      continue;
    }
    const std::string name = is_one ? "" : outcome.from.filename().string() + ": ";
    for (const std::string& warning : outcome.done->warnings) io.warn(name + warning);
  }
  if (io.json) {
    nlohmann::json rows = nlohmann::json::array();
    for (const Outcome& outcome : outcomes) rows.push_back(outcome_json(outcome));
    io.print_json({{"schema", "kagami.motion_convert/1"}, {"files", rows}, {"refused", refused}});
  } else if (!is_one) {
    io.print(batch_text(outcomes, io.out_width()));
  } else if (refused == 0) {
    io.print(conversion_text(*outcomes[0].done, io.out_width()));
    io.say("written: " + outcomes[0].to.string());
  }
  if (refused > 0) io.exit_with(ExitCode::kUsage);
}

void run_convert(const ConvertOptions& opt, Console& io) {
  const DataFolders data = find_data(io, opt.robot.data);
  const RobotWiring wiring = wiring_of(find_robot(data, opt.robot.model));
  ConvertSettings settings;
  settings.to = wanted_format(opt);
  settings.clip = opt.clip;
  std::optional<motions::MotionMap> map, out_map;
  if (!opt.source.map.empty()) map = read_map(data, opt.source.map);
  const std::string& out_name = opt.out_map.empty() ? opt.source.map : opt.out_map;
  if (!out_name.empty()) out_map = read_map(data, out_name);
  const motions::ReadOptions read = read_options(opt.source, map ? &*map : nullptr);
  settings.write.map = out_map ? &*out_map : nullptr;
  settings.write.frame = read.frame;
  if (!opt.project.empty()) {
    settings.write.project = read_text_file(opt.project);
    settings.write.project_file = opt.project;
    settings.write.entry = opt.project_entry;
  }
  if (motions::needs_map(settings.to) && !out_map) {
    throw ConfigError(std::string("a ") + motions::format_name(settings.to) +
                      " has the channels of another robot, name them with --out-map or --map");
  }
  const bool is_batch = opt.files.size() > 1;
  std::error_code missing;
  if (is_batch && !fs::is_directory(opt.out, missing)) {
    throw ConfigError("--out '" + opt.out + "': expected a folder for the " +
                      std::to_string(opt.files.size()) + " files");
  }
  std::vector<Outcome> outcomes;
  for (const std::string& name : opt.files) {
    const fs::path file = is_batch ? fs::path(name) : find_motion(data, name);
    outcomes.push_back(convert_one(opt, file, wiring, read, settings, is_batch));
  }
  report(outcomes, io);
}

}  // namespace

void add_motion_convert(Command& motion, Console& io) {
  auto opt = std::make_shared<ConvertOptions>();
  Command cmd = motion.add_command(
      "convert",
      "Turn motion files into those of another program or robot, and show what changed.");
  cmd.add_option("files", opt->files, "Names of shipped motions, or files of any format.")
      .value("FILE...")
      .required();
  cmd.add_option("--to", opt->to,
                 "Format of the result: kagami, hth1, counts, csv, hth3, hth4 or h4p. Default: by "
                 "the extension of --out, else kagami.")
      .one_of({"kagami", "hth1", "counts", "csv", "hth3", "hth4", "h4p"});
  cmd.add_option("--out", opt->out,
                 "File or, for several files, folder of the result. Default: the name of the file "
                 "with the format's extension, in this folder.")
      .value("FILE|FOLDER");
  cmd.add_flag("--clip", opt->clip,
               "Put angles that the robot does not reach to the nearest that it does.");
  cmd.add_flag("--force", opt->force, "Replace files that exist.");
  add_source_options(cmd, opt->source);
  cmd.start_group("Result");
  cmd.add_option("--out-map", opt->out_map,
                 "Which channel of the result moves which joint. Default: as --map.")
      .value("NAME|FILE");
  cmd.add_option(
         "--project", opt->project,
         "HeartToHeart4 project that takes the motion; it is read, the result is written to "
         "--out.")
      .value("FILE");
  cmd.add_option("--project-entry", opt->project_entry, "Its place there: number (M005) or name.")
      .value("NAME");
  add_robot_options(cmd, opt->robot);
  add_json_option(cmd, io);
  add_common_options(cmd, io, "motion convert walk.RCB --map khr2hv --clip",
                     "motion convert walk_forward --to hth1 --out walk.csv");
  cmd.on_run([opt, &io] { run_convert(*opt, io); });
}

}  // namespace kagami::tools
