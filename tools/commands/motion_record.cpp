#include "tools/commands/motion_record.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"
#include "models/base/idx.hpp"
#include "models/base/utc_text.hpp"
#include "motions/file/motion_json.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/table.hpp"
#include "tools/commands/robot_boards.hpp"
#include "tools/robot/pose_reading.hpp"
#include "tools/robot/switches.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;

constexpr double kShortestPose = 0.001;  // s, of a motion file
constexpr double kLongestPose = 600.0;   // s

struct RecordOptions {
  BoardsChoice boards;
  std::string file;
  double pose_time = 0.5;  // s
  bool as_timed = false;
  std::string note;
  bool force = false;
};

/// Poses as they were taken.
struct Recording {
  motions::Motion motion;
  std::vector<double> taken_s;  // when each pose was taken, s of the session
  int refused = 0;              // attempts without a usable reading
};

motions::Motion empty_motion(const RecordOptions& opt, const BoardSession& session) {
  motions::Motion motion;
  motion.name = fs::path(opt.file).stem().string();
  motion.note = opt.note;
  motion.source = "recorded by hand from " + session.name() + ", " + utc_now_text();
  for (const JointWiring& joint : session.wiring().joints) motion.joints.push_back(joint.joint);
  return motion;
}

// what an owner should know of a pose that was taken
void remark_on_pose(const BoardSession& session, const JointArray<double>& angles, Console& io) {
  for (std::size_t j = 0; j < session.wiring().joints.size(); ++j) {
    const JointWiring& joint = session.wiring().joints[j];
    if (angles[j] >= joint.soft_min - 1e-9 && angles[j] <= joint.soft_max + 1e-9) continue;
    io.warn(joint.joint + " is at " + fixed(to_deg(angles[j]), 0) +
            " deg, outside its soft limits " + fixed(to_deg(joint.soft_min), 0) + ".." +
            fixed(to_deg(joint.soft_max), 0) + " deg: the motion cannot be replayed like this");
  }
}

std::string largest_move(const motions::Motion& motion) {
  if (motion.poses.size() < 2) return "";
  const motions::Pose& from = motion.poses[motion.poses.size() - 2];
  const motions::Pose& to = motion.poses.back();
  std::size_t largest = 0;
  double most = 0.0;
  for (std::size_t j = 0; j < motion.joints.size(); ++j) {
    const double moved = std::abs(*to.angle[j] - *from.angle[j]);
    if (moved <= most) continue;
    most = moved;
    largest = j;
  }
  if (most == 0.0) return ", the same as the one before";
  return ", " + motion.joints[largest] + " moved most: " + fixed(to_deg(most), 0) + " deg";
}

void take_pose(BoardSession& session, const RecordOptions& opt, const std::string& label,
               Recording& recording, Console& io) {
  std::vector<BoardPose> read;
  try {
    read = read_pose(session);
  } catch (const LinkError& error) {
    ++recording.refused;
    io.warn(error.what() + std::string("; the pose was not taken"));
    return;
  }
  const JointArray<double> angles = joint_angles(session, read);
  const double now_s = 1e-9 * static_cast<double>(session.now_ns());
  motions::Pose pose;
  pose.label = label;
  pose.duration = opt.pose_time;
  if (opt.as_timed && !recording.motion.poses.empty()) {
    const double passed = now_s - recording.taken_s.back();
    pose.duration = std::clamp(std::round(passed * 100.0) / 100.0, kShortestPose, kLongestPose);
  }
  for (std::size_t j = 0; j < session.wiring().joints.size(); ++j)
    pose.angle.emplace_back(angles[j]);
  recording.motion.poses.push_back(std::move(pose));
  recording.taken_s.push_back(now_s);
  const std::size_t number = recording.motion.poses.size();
  io.say("pose " + std::to_string(number) + (label.empty() ? "" : " '" + label + "'") + ", " +
         fixed(recording.motion.poses.back().duration, 2) + " s" + largest_move(recording.motion));
  remark_on_pose(session, angles, io);
}

void undo_pose(Recording& recording, Console& io) {
  if (recording.motion.poses.empty()) return io.say("there is no pose to take back");
  recording.motion.poses.pop_back();
  recording.taken_s.pop_back();
  io.say("taken back; " + std::to_string(recording.motion.poses.size()) + " poses are left");
}

/// Takes poses until `q` or the end of the input. A PortError is kept until the poses are written.
std::optional<std::string> take_poses(BoardSession& session, const RecordOptions& opt,
                                      Recording& recording, Console& io) {
  io.say(
      "Enter takes a pose, a text takes it with that label, u takes the last one back, q writes "
      "the file and ends, Ctrl-C ends without writing");
  try {
    for (;;) {
      const std::optional<std::string> line = io.read_line("> ");
      if (!line || *line == "q" || *line == "Q") return std::nullopt;
      if (*line == "u" || *line == "U") {
        undo_pose(recording, io);
      } else if (line->size() == 1) {
        io.say("'" + *line + "': expected Enter, u, q, or a label of two letters or more");
      } else if (recording.motion.poses.size() >= motions::kMaxPoses) {
        io.say("a motion has at most " + std::to_string(motions::kMaxPoses) + " poses");
      } else {
        take_pose(session, opt, *line, recording, io);
      }
    }
  } catch (const PortError& error) {
    return error.what();
  }
}

void print_recording(const RecordOptions& opt, const Recording& recording, Console& io) {
  const std::size_t poses = recording.motion.poses.size();
  if (io.json) {
    return io.print_json({{"schema", "kagami.motion_record/1"},
                          {"file", opt.file},
                          {"poses", poses},
                          {"refused", recording.refused},
                          {"duration_s", recording.motion.duration()}});
  }
  io.print(opt.file + ": " + std::to_string(poses) + " poses, " +
           fixed(recording.motion.duration(), 2) + " s\n");
  io.say("the servos are still free. Next: kagami check " + opt.file + ", kagami replay " +
         opt.file);
}

void record_motion(const RecordOptions& opt, Console& io) {
  if (fs::path(opt.file).extension() != ".json") {
    throw ConfigError("'" + opt.file + "': expected a name that ends in .json");
  }
  require_new_file(opt.file, opt.force);
  const auto session = open_boards(opt.boards, io);
  static_cast<void>(require_boards(*session));
  if (!is_agreed_to(opt.boards, *session,
                    "all servos are freed, the robot goes limp. Hold it, then set each pose by "
                    "hand",
                    io)) {
    return;
  }
  require_free(*session, "nothing is recorded, do not turn the joints by hand");
  io.say("the servos of all boards are free, confirmed");
  Recording recording;
  recording.motion = empty_motion(opt, *session);
  const std::optional<std::string> cut_off = take_poses(*session, opt, recording, io);
  if (recording.motion.poses.empty()) {
    const std::string text = "no pose was taken, '" + opt.file + "' was not written";
    if (cut_off) throw PortError(*cut_off + "; " + text);
    throw Error(text);
  }
  write_file_atomically(opt.file, motions::motion_json_text(recording.motion));
  print_recording(opt, recording, io);
  if (!cut_off) return;
  io.error(*cut_off + "; the poses before it were written");
  io.exit_with(ExitCode::kDevice);
}

}  // namespace

void add_motion_record(Command& motion, Console& io) {
  auto opt = std::make_shared<RecordOptions>();
  Command cmd =
      motion.add_command("record", "Record poses that the hand sets on a robot with free servos.");
  cmd.add_option("file", opt->file, "The motion to write, kagami.motion/1.")
      .value("FILE.json")
      .required();
  cmd.add_option("--pose-time", opt->pose_time, "Time from pose to pose.")
      .value("SECONDS")
      .range(0.01, 600.0)
      .with_default();
  cmd.add_flag("--as-timed", opt->as_timed,
               "The time from pose to pose is the time between the key presses.");
  cmd.add_option("--note", opt->note, "Text for the motion's list.").value("TEXT");
  cmd.add_flag("--force", opt->force, "Replace the file if it exists.");
  add_yes_flag(cmd, opt->boards);
  add_boards_options(cmd, opt->boards, io);
  add_common_options(cmd, io, "motion record wave.json --robot /dev/ttyUSB0",
                     "motion record wave.json --robot /dev/ttyUSB0 --as-timed");
  cmd.on_run([opt, &io] { record_motion(*opt, io); });
}

}  // namespace kagami::tools
