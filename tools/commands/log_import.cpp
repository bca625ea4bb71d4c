#include "tools/commands/log_import.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/robot_choice.hpp"
#include "tools/cli/table.hpp"
#include "tools/commands/replay_options.hpp"
#include "tools/import/imported_run.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;

struct ImportOptions {
  std::string file;
  RobotChoice robot;
  std::string on = "stand";
  std::string out;
  bool force = false;
  RequestedColumns columns;
  std::string time_unit;
  std::string angle_unit;
  std::optional<double> counts_per_turn;
  std::optional<double> center;
  std::optional<double> rate_hz;
  bool skip_bad_rows = false;
};

ServoLogOptions log_options(const ImportOptions& opt) {
  ServoLogOptions options;
  options.columns = opt.columns;
  for (const TimeUnit unit : {TimeUnit::kS, TimeUnit::kMs, TimeUnit::kUs, TimeUnit::kNs}) {
    if (opt.time_unit == name(unit)) options.time_unit = unit;
  }
  for (const AngleUnit unit : {AngleUnit::kRad, AngleUnit::kDeg, AngleUnit::kCounts}) {
    if (opt.angle_unit == name(unit)) options.angle_unit = unit;
  }
  options.counts_per_turn = opt.counts_per_turn;
  options.center = opt.center;
  if (opt.counts_per_turn && !options.angle_unit) options.angle_unit = AngleUnit::kCounts;
  options.skip_bad_rows = opt.skip_bad_rows;
  return options;
}

runtime::RunConfig config_of(const ImportOptions& opt, const Console& io) {
  runtime::RunConfig config;
  std::error_code missing;
  config.robot_folder = fs::is_directory(opt.robot.model, missing)
                            ? fs::path(opt.robot.model)
                            : find_robot(find_data(io, opt.robot.data), opt.robot.model);
  config.motion_file = opt.file;
  config.robot = "imported";
  config.clock = runtime::ClockKind::kVirtual;
  config.on = opt.on == "floor" ? runtime::Scene::kFloor : runtime::Scene::kStand;
  config.out_dir = opt.out;
  config.replace_record = opt.force;
  return config;
}

/// Of the cycle: that of the log where it is faster than usual.
double rate_of(const ImportOptions& opt, const ServoLogFacts& facts) {
  constexpr double kUsual = 1000.0;
  constexpr double kFastest = 2000.0;
  if (opt.rate_hz) return *opt.rate_hz;
  return facts.step > 0.0 && 0.9 / facts.step > kUsual ? kFastest : kUsual;
}

std::string column_of(const ServoLogFacts& facts, const std::optional<UsedColumn>& column) {
  return column ? column_text(facts.header, column->place) : "-";
}

std::string scale_text(const AngleScale& scale) {
  if (scale.unit != AngleUnit::kCounts) return name(scale.unit);
  return "counts, 0 deg at " + number_text(scale.zero);
}

std::string facts_text(const ImportOptions& opt, const ServoLogFacts& facts,
                       const std::vector<std::string>& joints) {
  std::string text = opt.file + ": " + std::to_string(facts.rows) + " rows, " +
                     fixed(facts.duration, 3) + " s, a row every " + fixed(1e3 * facts.step, 3) +
                     " ms; separated by " + separator_name(facts.form) + ", decimal " +
                     (facts.form.decimal_comma ? "commas" : "points") + "\n";
  text += "time: " + column_text(facts.header, *facts.columns.time) + " in " +
          name(facts.time_unit) + ", " + facts.time_unit_why + "\n";
  text += "units of the angles: " + facts.angle_unit_why + "\n\n";
  Table table({{"joint", Align::kLeft},
               {"commanded", Align::kLeft},
               {"measured", Align::kLeft},
               {"unit", Align::kLeft}});
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const JointColumns& columns = facts.columns.joints[j];
    if (!columns.commanded && !columns.measured) continue;
    table.add_row({joints[j], column_of(facts, columns.commanded),
                   column_of(facts, columns.measured), scale_text(facts.scales[j])});
  }
  text += table.text();
  constexpr std::size_t kShown = 12;
  const std::vector<std::string>& unused = facts.columns.unused;
  for (std::size_t i = 0; i < std::min(unused.size(), kShown); ++i) {
    text += (i == 0 ? "\nnot used: " : ", ") + unused[i];
  }
  if (unused.size() > kShown) text += ", and " + std::to_string(unused.size() - kShown) + " more";
  if (!unused.empty()) text += "\n";
  return text;
}

nlohmann::json facts_json(const ServoLogFacts& facts, const std::vector<std::string>& joints) {
  nlohmann::json list = nlohmann::json::array();
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const JointColumns& columns = facts.columns.joints[j];
    if (!columns.commanded && !columns.measured) continue;
    const auto named = [&](const std::optional<UsedColumn>& column) {
      return column ? nlohmann::json(facts.header[column->place]) : nlohmann::json(nullptr);
    };
    list.push_back({{"name", joints[j]},
                    {"commanded", named(columns.commanded)},
                    {"measured", named(columns.measured)},
                    {"unit", name(facts.scales[j].unit)}});
  }
  return {{"rows", facts.rows},
          {"skipped_rows", facts.skipped},
          {"duration_s", facts.duration},
          {"step_s", facts.step},
          {"separator", std::string(1, facts.form.separator)},
          {"decimal_comma", facts.form.decimal_comma},
          {"time", facts.header[*facts.columns.time]},
          {"time_unit", name(facts.time_unit)},
          {"joints", list},
          {"unused", facts.columns.unused}};
}

void answer(const ImportOptions& opt, const ServoLogFacts& facts, const ImportedRun& run,
            const std::vector<std::string>& joints, Console& io) {
  if (facts.skipped > 0) {
    io.warn(std::to_string(facts.skipped) + " bad rows of " + opt.file + " were left out");
  }
  if (run.crowded > 0) {
    io.warn(std::to_string(run.crowded) +
            " rows were left out: a later one is in the same tick; --rate 2000 keeps more");
  }
  if (io.json) {
    nlohmann::json object = facts_json(facts, joints);
    object["schema"] = "kagami.log_import/1";
    object["file"] = opt.file;
    object["record"] = run.record.string();
    object["samples"] = run.samples;
    object["readings"] = run.readings;
    object["rms_deg"] =
        std::isfinite(run.rms) ? nlohmann::json(to_deg(run.rms)) : nlohmann::json(nullptr);
    return io.print_json(object);
  }
  io.print(facts_text(opt, facts, joints) + "\nrecord: " + run.record.string() + ", " +
           std::to_string(run.samples) + " samples, " + std::to_string(run.readings) +
           " readings; simulated minus measured " + fixed(to_deg(run.rms), 3) + " deg RMS\n");
  io.say("next: kagami compare " + run.record.string());
}

void log_import(const ImportOptions& opt, Console& io) {
  runtime::RunConfig config = config_of(opt, io);
  const RobotWiring wiring = wiring_of(config.robot_folder);
  ServoLogOptions options = log_options(opt);
  options.progress = [&](double share) { io.progress(share, "reading"); };
  // the robot's joints in the order of the model
  runtime::RunSetup setup = read_import_setup(config);
  const ServoLogFacts facts = inspect_servo_log(opt.file, setup.robot.wiring, options);
  config.rate_hz = rate_of(opt, facts);
  const SessionFolder session(config, io);
  std::error_code error;
  fs::create_directories(config.out_dir, error);
  if (error) {
    throw RecordError(config.out_dir.string() + ": " + error.message() +
                      "; expected a writable directory");
  }
  if (!config.replace_record && fs::exists(runtime::record_file(config), error)) {
    throw ConfigError(runtime::record_file(config).string() +
                      ": a record exists; expected another folder, or --force to replace it");
  }
  setup = read_import_setup(config);
  const ImportedRun run = write_imported_run(opt.file, facts, setup,
                                             [&](double share) { io.progress(share, "writing"); });
  io.end_progress();
  answer(opt, facts, run, setup.robot.joint_names, io);
}

void add_column_options(Command& cmd, ImportOptions& opt) {
  cmd.start_group("Columns");
  cmd.add_option("--map", opt.columns.maps,
                 "JOINT/commanded=COLUMN or JOINT/measured=COLUMN, a name or a number from 1. May "
                 "be repeated. Default: by the words in the names.")
      .value("MAP")
      .repeatable();
  cmd.add_option("--time", opt.columns.time, "The column of the time.").value("COLUMN");
  cmd.add_option("--time-unit", opt.time_unit,
                 "Unit of the time. Default: by its name, else by its steps.")
      .one_of({"s", "ms", "us", "ns"});
  cmd.add_option("--unit", opt.angle_unit,
                 "Unit of the angles. Default: by their names, else by their numbers.")
      .one_of({"rad", "deg", "counts"});
  cmd.add_option("--counts-per-turn", opt.counts_per_turn,
                 "Counts of a full turn. Default: counts of the boards, 0..180.")
      .value("N")
      .range(2.0, 1e9);
  cmd.add_option("--center", opt.center, "Count at 0 deg. Default: half a turn.").value("COUNT");
  cmd.add_flag("--skip-bad-rows", opt.skip_bad_rows,
               "Leave out rows with a fault. Default: list all faults and end.");
}

}  // namespace

void add_log_import(Command& log, Console& io) {
  auto opt = std::make_shared<ImportOptions>();
  Command cmd = log.add_command(
      "import",
      "Make a record of commanded and measured angles that another program wrote as CSV.");
  cmd.add_option("file", opt->file, "A CSV file with a header.").value("FILE.csv").required();
  add_robot_options(cmd, opt->robot);
  cmd.add_option("--on", opt->on, "Where the robot was.").one_of({"floor", "stand"}).with_default();
  add_column_options(cmd, *opt);
  cmd.start_group("Record");
  cmd.add_option("--rate", opt->rate_hz,
                 "Ticks a second of the record. Default: 1000, for faster logs 2000.")
      .value("HZ")
      .range(100.0, 2000.0);
  add_out_options(cmd, opt->out, opt->force);
  add_json_option(cmd, io);
  add_common_options(cmd, io, "log import bench.csv --model my_servo --out bench",
                     "log import robot.csv --unit deg --map left_knee/commanded=goal_7");
  cmd.on_run([opt, &io] { log_import(*opt, io); });
}

}  // namespace kagami::tools
