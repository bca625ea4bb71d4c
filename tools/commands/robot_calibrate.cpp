// kagami robot calibrate: home and trim by poses whose joint angles are known.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "motions/file/library.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/table.hpp"
#include "tools/commands/robot_boards.hpp"
#include "tools/robot/calibration_apply.hpp"
#include "tools/robot/fixture.hpp"
#include "tools/robot/joint_range.hpp"
#include "tools/robot/pose_reading.hpp"
#include "tools/robot/switches.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;

struct CalibrateOptions {
  BoardsChoice boards;
  std::string fixture;
  std::vector<std::string> joints;
  std::string as = "home";
  int most_deg = 20;
  std::string reason;
  bool list = false;
  std::vector<std::string> diff;
  std::string roll_back;
};

/// The owner's folder: a shipped robot is not changed.
fs::path own_folder(const CalibrateOptions& opt, const Console& io) {
  const fs::path folder = robot_folder_of(opt.boards, io);
  std::error_code error;
  if (fs::equivalent(folder / "..", find_data(io, opt.boards.robot.data).robots, error)) {
    throw ConfigError("'" + opt.boards.robot.model +
                      "' is a shipped robot, which is not changed: copy the folder " +
                      folder.string() + " and name the copy with --model");
  }
  return folder;
}

nlohmann::json version_json(const CalibrationVersion& version) {
  nlohmann::json joints = nlohmann::json::array();
  for (const CalibratedJoint& joint : version.joints) {
    joints.push_back({{"name", joint.joint},
                      {"home_deg", joint.home_deg},
                      {"home_before_deg", joint.home_before_deg},
                      {"trim_deg", joint.trim_deg},
                      {"trim_before_deg", joint.trim_before_deg},
                      {"readings", joint.readings.size()}});
  }
  return {{"schema", "kagami.robot_calibrate/1"},
          {"version", version.version},
          {"created", version.created},
          {"robot", version.robot},
          {"reason", version.reason},
          {"joints", joints}};
}

// the teach-in

std::string pose_table(const RobotWiring& wiring, const FixturePose& pose) {
  Table table({{"joint", Align::kLeft}, {"angle deg"}});
  for (std::size_t j = 0; j < wiring.joints.size(); ++j) {
    if (pose.angle_deg[j]) table.add_row({wiring.joints[j].joint, fixed(*pose.angle_deg[j], 0)});
  }
  return table.text();
}

std::vector<std::optional<int>> counts_in(const BoardSession& session, const FixturePose& pose,
                                          const std::vector<BoardPose>& read) {
  std::vector<std::optional<int>> counts(pose.angle_deg.size());
  for (std::size_t j = 0; j < counts.size(); ++j) {
    const JointWiring& joint = session.wiring().joints[j];
    if (pose.angle_deg[j]) counts[j] = read[idx(joint.board())].counts[idx(joint.slot())];
  }
  return counts;
}

std::string differences_table(const RobotWiring& wiring, const FixturePose& pose,
                              const std::vector<std::optional<int>>& counts) {
  Table table({{"joint", Align::kLeft}, {"fixture deg"}, {"read deg"}, {"difference"}});
  for (std::size_t j = 0; j < counts.size(); ++j) {
    if (!counts[j]) continue;
    const int read = joint_degrees(wiring.joints[j], *counts[j]);
    table.add_row({wiring.joints[j].joint, fixed(*pose.angle_deg[j], 0), std::to_string(read),
                   fixed(read - *pose.angle_deg[j], 0)});
  }
  return table.text();
}

/// The counts of one pose. Nothing: the owner ended the calibration.
std::optional<std::vector<std::optional<int>>> teach_pose(BoardSession& session,
                                                          const FixturePose& pose, Console& io) {
  for (;;) {
    const std::optional<std::string> line = io.read_line("Enter reads, s skips, q ends > ");
    if (!line || *line == "q" || *line == "Q") return std::nullopt;
    if (*line == "s" || *line == "S") return std::vector<std::optional<int>>(pose.angle_deg.size());
    if (!line->empty()) {
      io.say("'" + *line + "': expected Enter, s or q");
      continue;
    }
    try {
      const auto counts = counts_in(session, pose, read_pose(session, {.agree_deg = 1}));
      io.say(differences_table(session.wiring(), pose, counts));
      return counts;
    } catch (const LinkError& error) {
      io.warn(error.what() + std::string("; the pose was not read"));
    }
  }
}

std::optional<PoseCounts> teach(BoardSession& session, const std::vector<FixturePose>& poses,
                                Console& io) {
  PoseCounts all;
  for (std::size_t k = 0; k < poses.size(); ++k) {
    io.say("pose " + std::to_string(k + 1) + " of " + std::to_string(poses.size()) + ": " +
           (poses[k].label.empty() ? "put the joints to these angles" : poses[k].label) + "\n" +
           pose_table(session.wiring(), poses[k]));
    const auto counts = teach_pose(session, poses[k], io);
    if (!counts) return std::nullopt;
    all.push_back(*counts);
  }
  return all;
}

// applying

std::string changes_table(const RobotWiring& wiring, const CalibrationVersion& version) {
  Table table({{"joint", Align::kLeft},
               {"home deg"},
               {"was"},
               {"trim deg"},
               {"was"},
               {"lost to trim", Align::kLeft}});
  for (std::size_t j = 0; j < version.joints.size(); ++j) {
    const CalibratedJoint& joint = version.joints[j];
    const bool has_home = joint.home_deg != joint.home_before_deg;
    const bool has_trim = joint.trim_deg != joint.trim_before_deg;
    if (!has_home && !has_trim) continue;
    table.add_row({joint.joint, std::to_string(joint.home_deg),
                   has_home ? std::to_string(joint.home_before_deg) : "-",
                   std::to_string(joint.trim_deg),
                   has_trim ? std::to_string(joint.trim_before_deg) : "-",
                   loss_text(wiring.joints[j], joint.trim_deg)});
  }
  return table.text();
}

void report_version(const fs::path& folder, const CalibrationVersion& version, Console& io) {
  if (io.json) return io.print_json(version_json(version));
  io.print("version " + std::to_string(version.version) + ", " +
           calibration_file(folder, version.version).string() + "\n");
  const bool has_trim = std::any_of(
      version.joints.begin(), version.joints.end(),
      [](const CalibratedJoint& joint) { return joint.trim_deg != joint.trim_before_deg; });
  io.say("robot.json holds it; 'kagami robot calibrate --model " + folder.string() +
         " --roll-back " + std::to_string(version.version - 1) + (has_trim ? " --robot PORT" : "") +
         "' takes it back");
}

/// `session`: of the boards whose trim is written, may be null.
void apply_and_report(const fs::path& folder, const RobotWiring& wiring,
                      const CalibrationVersion& version, BoardSession* session, Console& io) {
  CalibrationVersion added;
  run_to_its_end(io, [&] { added = apply_calibration(folder, wiring, version, session); });
  if (session != nullptr) session->finish();
  report_version(folder, added, io);
}

std::vector<FixturePose> chosen_poses(const CalibrateOptions& opt, const RobotWiring& wiring) {
  for (const std::string& name : opt.joints) static_cast<void>(joint_of(wiring, name));
  std::vector<FixturePose> poses = {straight_pose(wiring)};
  if (!opt.fixture.empty()) {
    poses = fixture_poses(motions::read_motion(opt.fixture, wiring), wiring);
  }
  keep_joints(opt.joints, wiring, poses);
  std::erase_if(poses, [](const FixturePose& pose) {
    return std::none_of(pose.angle_deg.begin(), pose.angle_deg.end(),
                        [](const std::optional<double>& angle) { return angle.has_value(); });
  });
  if (poses.empty()) throw ConfigError("no pose of the fixture holds one of these joints");
  return poses;
}

void run_teach_in(const CalibrateOptions& opt, Console& io) {
  const fs::path folder = own_folder(opt, io);
  const RobotWiring wiring = wiring_of(folder);
  const std::vector<FixturePose> poses = chosen_poses(opt, wiring);
  if (opt.boards.port.empty()) throw ConfigError("robot calibrate: --robot is required");
  require_new_file((folder / "robot.json").string(), true);
  const auto session = open_boards(opt.boards, io);
  static_cast<void>(require_boards(*session));
  if (!is_agreed_to(opt.boards, *session,
                    "all servos are freed, the robot goes limp. Hold it, then put it into the "
                    "fixture",
                    io)) {
    return;
  }
  require_free(*session, "nothing is calibrated");
  const std::optional<PoseCounts> counts = teach(*session, poses, io);
  if (!counts) {
    io.error("ended: nothing was calibrated");
    return io.exit_with(ExitCode::kFailure);
  }
  const bool is_trim = opt.as == "trim";
  CalibrationVersion version = calibrate(
      wiring, present_calibration(wiring, robot_name(folder)), poses, *counts, read_trims(*session),
      {.as = is_trim ? CalibrateAs::kTrim : CalibrateAs::kHome, .most_deg = opt.most_deg});
  version.reason = "teach-in" + (opt.fixture.empty() ? "" : " with " + opt.fixture) +
                   (opt.reason.empty() ? "" : ": " + opt.reason);
  if (!has_changes(version)) {
    io.say("all joints read what the fixture states: nothing to change");
    if (io.json) io.print_json(version_json(version));
    return;
  }
  const std::string what = std::string("written to robot.json") +
                           (is_trim ? " and as trim into the boards" : "") + ":\n" +
                           changes_table(wiring, version);
  if (session->is_virtual()) io.say(what);
  if (!is_agreed_to(opt.boards, *session, what, io)) return;
  apply_and_report(folder, wiring, version, is_trim ? session.get() : nullptr, io);
}

// versions

void list_versions(const CalibrateOptions& opt, Console& io) {
  const fs::path folder = own_folder(opt, io);
  const CalibrationVersion present = present_calibration(wiring_of(folder), robot_name(folder));
  Table table({{"version"},
               {"created", Align::kLeft},
               {"changes"},
               {"in robot.json", Align::kLeft},
               {"reason", Align::kLeft}});
  nlohmann::json rows = nlohmann::json::array();
  for (const int number : calibration_numbers(folder)) {
    const CalibrationVersion version = read_calibration(calibration_file(folder, number));
    const auto changes =
        std::count_if(version.joints.begin(), version.joints.end(), [](const CalibratedJoint& j) {
          return j.home_deg != j.home_before_deg || j.trim_deg != j.trim_before_deg;
        });
    const bool is_present = calibration_differences(version, present).empty();
    table.add_row({std::to_string(number), version.created, std::to_string(changes),
                   is_present ? "yes" : "no", version.reason});
    rows.push_back({{"version", number},
                    {"created", version.created},
                    {"changes", changes},
                    {"present", is_present},
                    {"reason", version.reason}});
  }
  if (io.json) {
    return io.print_json({{"schema", "kagami.calibrations/1"}, {"versions", rows}});
  }
  if (rows.empty()) return io.say("no calibration in " + folder.string());
  io.print(table.text());
}

/// A version by number or file.
CalibrationVersion version_of(const CalibrateOptions& opt, const std::string& name, Console& io) {
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size()) return read_calibration(name);
  const fs::path folder = own_folder(opt, io);
  const std::vector<int> numbers = calibration_numbers(folder);
  if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) {
    std::vector<std::string> texts;
    for (const int known : numbers) texts.push_back(std::to_string(known));
    throw ConfigError("there is no calibration version " + name + " in " + folder.string() +
                      (texts.empty() ? "" : "; there are " + list_text(texts)));
  }
  return read_calibration(calibration_file(folder, number));
}

void show_difference(const CalibrateOptions& opt, Console& io) {
  const std::vector<std::string> differences =
      calibration_differences(version_of(opt, opt.diff[0], io), version_of(opt, opt.diff[1], io));
  if (io.json) {
    return io.print_json({{"schema", "kagami.calibration_diff/1"}, {"differences", differences}});
  }
  for (const std::string& difference : differences) io.print(difference + "\n");
  if (differences.empty()) io.say("no difference");
}

void roll_back(const CalibrateOptions& opt, Console& io) {
  const fs::path folder = own_folder(opt, io);
  const RobotWiring wiring = wiring_of(folder);
  const CalibrationVersion wanted = version_of(opt, opt.roll_back, io);
  CalibrationVersion version = present_calibration(wiring, robot_name(folder));
  if (wanted.joints.size() != version.joints.size()) {
    throw ConfigError("version " + opt.roll_back + " has " + std::to_string(wanted.joints.size()) +
                      " joints, robot.json " + std::to_string(version.joints.size()));
  }
  bool has_trim = false;
  for (std::size_t j = 0; j < version.joints.size(); ++j) {
    CalibratedJoint& joint = version.joints[j];
    if (wanted.joints[j].joint != joint.joint || wanted.joints[j].channel != joint.channel) {
      throw ConfigError("version " + opt.roll_back + ": joint " + std::to_string(j) + " is '" +
                        wanted.joints[j].joint + "', robot.json has '" + joint.joint + "'");
    }
    joint.home_deg = wanted.joints[j].home_deg;
    joint.trim_deg = wanted.joints[j].trim_deg;
    has_trim |= joint.trim_deg != joint.trim_before_deg;
  }
  version.reason = "roll-back to version " + opt.roll_back;
  if (!has_changes(version)) return io.say("robot.json holds version " + opt.roll_back);
  if (has_trim && opt.boards.port.empty()) {
    throw ConfigError("version " + opt.roll_back +
                      " has another trim, which is in the boards, too: --robot is required");
  }
  std::unique_ptr<BoardSession> session;
  if (has_trim) {
    session = open_boards(opt.boards, io);
    static_cast<void>(require_boards(*session));
    const std::string what =
        "the trim of version " + opt.roll_back +
        " is written into the boards; joints that are not free move at once by the difference\n" +
        changes_table(wiring, version);
    if (!is_agreed_to(opt.boards, *session, what, io)) return;
  }
  apply_and_report(folder, wiring, version, session.get(), io);
}

void run_calibrate(const CalibrateOptions& opt, Console& io) {
  const int modes =
      (opt.list ? 1 : 0) + (opt.diff.empty() ? 0 : 1) + (opt.roll_back.empty() ? 0 : 1);
  if (modes > 1) throw ConfigError("--list, --diff, --roll-back: expected at most one of them");
  if (opt.list) return list_versions(opt, io);
  if (!opt.diff.empty()) return show_difference(opt, io);
  if (!opt.roll_back.empty()) return roll_back(opt, io);
  run_teach_in(opt, io);
}

}  // namespace

void add_robot_calibrate(Command& robot, Console& io) {
  auto opt = std::make_shared<CalibrateOptions>();
  Command cmd = robot.add_command(
      "calibrate", "Find home or trim of joints with the robot in poses of known angles.");
  cmd.start_group("Calibration");
  cmd.add_option("--fixture", opt->fixture,
                 "Motion file whose poses are the fixture's; null angles are not held. Default: "
                 "one pose, all joints at 0 deg.")
      .value("FILE");
  cmd.add_option("--joint", opt->joints, "Calibrate this joint alone. May be repeated.")
      .value("NAME")
      .repeatable();
  cmd.add_option("--as", opt->as,
                 "home: into robot.json. trim: into the boards and robot.json, so that stored "
                 "motions and other programs are corrected, too; it costs travel.")
      .one_of({"home", "trim"})
      .with_default();
  cmd.add_option("--most", opt->most_deg, "Refuse a larger difference.")
      .value("DEG")
      .range(1, 180)
      .with_default();
  cmd.add_option("--reason", opt->reason, "Text that the version keeps.").value("TEXT");
  add_yes_flag(cmd, opt->boards);
  cmd.start_group("Versions");
  cmd.add_flag("--list", opt->list, "List the versions in the robot's folder.");
  cmd.add_option("--diff", opt->diff, "Print what differs between two versions or files.")
      .value("A B")
      .takes(2);
  cmd.add_option("--roll-back", opt->roll_back, "Apply an earlier version, as a new one.")
      .value("VERSION");
  add_boards_options(cmd, opt->boards, io, false);
  add_common_options(cmd, io, "robot calibrate --model my_khr1 --robot /dev/ttyUSB0",
                     "robot calibrate --model my_khr1 --roll-back 1");
  cmd.on_run([opt, &io] { run_calibrate(*opt, io); });
}

}  // namespace kagami::tools
