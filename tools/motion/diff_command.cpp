// kagami motion diff: how two motions differ, joint by joint.
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"
#include "motions/edit/diff.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/table.hpp"
#include "tools/motion/commands.hpp"
#include "tools/motion/motion_source.hpp"

namespace kagami::tools {
namespace {

using motions::JointDifference;
using motions::MotionDifference;

struct DiffOptions {
  RobotChoice robot;
  std::string first, second;
  std::optional<double> tolerance_deg;
};

constexpr double kShownDeg = 1e-6;

std::string diff_text(const MotionDifference& diff, int width) {
  if (diff.is_equal()) return "the motions are equal\n";
  std::string text = std::to_string(diff.poses_1) + " poses, " + fixed(diff.duration_1, 3) +
                     " s against " + std::to_string(diff.poses_2) + " poses, " +
                     fixed(diff.duration_2, 3) + " s\n";
  for (const std::string& other : diff.others) text += other + "\n";
  Table table({{"joint", Align::kLeft}, {"RMS deg"}, {"most deg"}, {"at s"}});
  bool has_rows = false;
  for (const JointDifference& joint : diff.joints) {
    if (std::abs(to_deg(joint.most)) < kShownDeg) continue;
    has_rows = true;
    table.add_row({joint.joint, fixed(to_deg(joint.rms), 2), fixed(to_deg(joint.most), 2),
                   fixed(joint.at, 3)});
  }
  return text + (has_rows ? "\nSecond minus first; joints without difference are left out.\n\n" +
                                table.text(width)
                          : "all angles are equal\n");
}

nlohmann::json diff_json(const MotionDifference& diff) {
  nlohmann::json joints = nlohmann::json::array();
  for (const JointDifference& joint : diff.joints) {
    joints.push_back({{"joint", joint.joint},
                      {"rms_deg", to_deg(joint.rms)},
                      {"most_deg", to_deg(joint.most)},
                      {"at_s", joint.at}});
  }
  return {{"schema", "kagami.motion_diff/1"},
          {"equal", diff.is_equal()},
          {"poses", {diff.poses_1, diff.poses_2}},
          {"duration_s", {diff.duration_1, diff.duration_2}},
          {"largest_deg", to_deg(diff.largest())},
          {"joints", joints},
          {"others", diff.others}};
}

void run_diff(const DiffOptions& opt, Console& io) {
  const DataFolders data = find_data(io, opt.robot.data);
  const RobotWiring wiring = wiring_of(find_robot(data, opt.robot.model));
  const MotionDifference diff = motions::difference(bound_motion(data, opt.first, wiring),
                                                    bound_motion(data, opt.second, wiring));
  if (io.json) {
    io.print_json(diff_json(diff));
  } else {
    io.print(diff_text(diff, io.out_width()));
  }
  if (opt.tolerance_deg && to_deg(diff.largest()) > *opt.tolerance_deg)
    io.exit_with(ExitCode::kFinding);
}

}  // namespace

void add_motion_diff(Command& motion, Console& io) {
  auto opt = std::make_shared<DiffOptions>();
  Command cmd = motion.add_command("diff", "Show how two motions differ, joint by joint.");
  cmd.add_option("first", opt->first, "Name of a shipped motion, or a file.")
      .value("NAME|FILE")
      .required();
  cmd.add_option("second", opt->second, "The other one.").value("NAME|FILE").required();
  cmd.add_option("--tolerance", opt->tolerance_deg,
                 "Exit with 6 if an angle differs by more than this, deg. Default: exit with 0.")
      .value("DEG")
      .range(0.0, 360.0);
  add_robot_options(cmd, opt->robot);
  add_json_option(cmd, io);
  add_common_options(cmd, io, "motion diff walk_forward walk_backward",
                     "motion diff mine.json bow --tolerance 1");
  cmd.on_run([opt, &io] { run_diff(*opt, io); });
}

}  // namespace kagami::tools
