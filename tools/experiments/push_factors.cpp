// Why the thesis's two strategies lose to joints that are held when the feet are free: one factor
// is changed at a time, from the strategy as printed on. Ours.
#include <cmath>
#include <initializer_list>

#include "models/spatial/vectors.hpp"
#include "tools/experiments/measures.hpp"
#include "tools/experiments/push_robot.hpp"
#include "tools/experiments/registry.hpp"

namespace kagami::tools {
namespace {

using control::Strategy;
using control::StrategyGains;

using models::kNaN;

constexpr auto kYaws = {control::kRightHipYaw, control::kLeftHipYaw};
constexpr auto kRolls = {control::kRightHipRoll, control::kRightAnkleRoll, control::kLeftHipRoll,
                         control::kLeftAnkleRoll};
constexpr auto kHips = {control::kRightHipPitch, control::kLeftHipPitch};
constexpr auto kAnkles = {control::kRightAnklePitch, control::kLeftAnklePitch};

using Joints = std::initializer_list<control::LegJoint>;

void set(StrategyGains& g, Joints joints, double kp, double kd) {
  for (const control::LegJoint j : joints) {
    g.joints[static_cast<std::size_t>(j)] = {{kp, kp}, {kd, kd}};
  }
}
void hold(const PushedRobot& robot, StrategyGains& g, Joints joints) {
  set(g, joints, robot.hold_kp, robot.hold_kd);
}
StrategyGains& gains(PushedRobot& robot, Strategy s) {
  return robot.thesis.value().strategies[static_cast<std::size_t>(s)];
}
StrategyGains& rotation(PushedRobot& robot) {
  return gains(robot, Strategy::kUpperBodyRotation);
}
StrategyGains& combined(PushedRobot& robot) {
  return gains(robot, Strategy::kCombined);
}

void as_it_is(PushedRobot&) {}
void strong(PushedRobot& robot) {
  robot.effort *= 10.0;
}
void in_the_middle(PushedRobot& robot) {
  robot.shoulder.y() = 0.039;  // m, HOAP-2's trunk frame is in its right hip
}
void softer(PushedRobot& robot) {
  robot.hold_kp = 50.0;
}
void rotation_rolls(PushedRobot& robot) {
  hold(robot, rotation(robot), kRolls);
}
void rotation_hips(PushedRobot& robot) {
  hold(robot, rotation(robot), kHips);
}
void rotation_ankles(PushedRobot& robot) {
  hold(robot, rotation(robot), kAnkles);
  rotation(robot).oppose_kp = rotation(robot).oppose_kd = 0.0;
}
void rotation_only_yaw(PushedRobot& robot) {
  rotation_rolls(robot);
  rotation_hips(robot);
  rotation_ankles(robot);
}
void rotation_all_held(PushedRobot& robot) {
  rotation_only_yaw(robot);
  hold(robot, rotation(robot), kYaws);
}
void combined_no_return(PushedRobot& robot) {
  combined(robot).return_rate = 0.0;
}
void combined_rolls(PushedRobot& robot) {
  set(combined(robot), kRolls, 40.0, 4.0);
}
void combined_ankles(PushedRobot& robot) {
  combined(robot).right_ka = combined(robot).left_ka;
}
void combined_rolls_ankles(PushedRobot& robot) {
  combined_rolls(robot);
  combined_ankles(robot);
}
void combined_all(PushedRobot& robot) {
  robot.thesis = robot.settings;
}

struct Factor {
  const char* name;
  bool hold;
  Strategy strategy;
  void (*change)(PushedRobot&);
};

constexpr Strategy kR = Strategy::kUpperBodyRotation;
constexpr Strategy kC = Strategy::kCombined;
constexpr Factor kFactors[] = {
    {"held", true, kR, as_it_is},
    {"held: pushed in the middle", true, kR, in_the_middle},
    {"held: torques to 90 N m", true, kR, strong},
    {"held: springs of 50 N m/rad", true, kR, softer},
    {"rotation", false, kR, as_it_is},
    {"rotation: pushed in the middle", false, kR, in_the_middle},
    {"rotation: torques to 90 N m", false, kR, strong},
    {"rotation: rolls held", false, kR, rotation_rolls},
    {"rotation: hips' pitch held", false, kR, rotation_hips},
    {"rotation: ankles' pitch held, no (6.7)", false, kR, rotation_ankles},
    {"rotation: all but the yaw held", false, kR, rotation_only_yaw},
    {"rotation: all held", false, kR, rotation_all_held},
    {"combined", false, kC, as_it_is},
    {"combined: pushed in the middle", false, kC, in_the_middle},
    {"combined: torques to 90 N m", false, kC, strong},
    {"combined: no return_rate, as printed", false, kC, combined_no_return},
    {"combined: rolls 40 N m/rad", false, kC, combined_rolls},
    {"combined: both ankles in the null space", false, kC, combined_ankles},
    {"combined: both of these", false, kC, combined_rolls_ankles},
    {"combined: and the yaw 3 N m/rad", false, kC, combined_all},
};

struct Found {
  double forward = 0.0;   ///< N
  double sideways = 0.0;  ///< N
  PushOutcome at;         ///< at the largest push forward
  PushOutcome beyond;     ///< 5 % above
};

Found find(const Factor& factor, const DataFolders& data, const FloorPush& how) {
  PushedRobot robot = pushed_hoap2(data);
  factor.change(robot);
  const PushDrive drive{factor.hold, false, factor.strategy, true, !factor.hold};
  Found f;
  f.forward = largest_push(robot, drive, false, how);
  f.sideways = largest_push(robot, drive, true, how);
  FloorPush push = how;
  push.force = f.forward;
  f.at = push_on_floor(robot, drive, push);
  push.force = 1.05 * f.forward;
  f.beyond = push_on_floor(robot, drive, push);
  return f;
}

// name of a row of kFactors; the test of the names is that a claim is measured
const Found& of(const std::vector<Found>& all, const std::string& name) {
  std::size_t i = 0;
  while (i + 1 < all.size() && kFactors[i].name != name) ++i;
  return all[i];
}

std::vector<Claim> claims_of(const std::vector<Found>& all, bool whole) {
  std::vector<Claim> claims;
  // 0.04: two bisections to 2 %
  const auto over = [&](const std::string& text, const char* a, const char* b, double expected,
                        double tolerance = 0.04) {
    claims.push_back(
        {text, "", whole ? of(all, a).forward / of(all, b).forward : kNaN, expected, tolerance});
  };
  over("the push's moment about the vertical costs held joints nothing",
       "held: pushed in the middle", "held", 1.0);
  over("rotation: nor do torques limit it", "rotation: torques to 90 N m", "rotation", 1.0);
  over("rotation with everything held is held", "rotation: all held", "held", 1.0);
  over("rotation, as printed, over held", "rotation", "held", 0.78, 0.08);
  over("rotation without (6.7), ankles held, over held", "rotation: ankles' pitch held, no (6.7)",
       "held", 1.04, 0.08);
  over("rotation of the yaw alone over held", "rotation: all but the yaw held", "held", 1.06, 0.08);
  over("combined, as printed, over held", "combined", "held", 0.79, 0.08);
  over("combined, rolls stiff, both ankles in the null space, over held", "combined: both of these",
       "held", 1.22, 0.12);
  over("combined, the yaw stiffer too, over held", "combined: and the yaw 3 N m/rad", "held", 1.47,
       0.15);
  return claims;
}

ExperimentResult run_push_factors(const ExperimentInfo& info, const ExperimentSettings& settings,
                                  const DataFolders& data) {
  FloorPush how;
  how.step = settings.dt;
  how.seconds = settings.duration;
  std::vector<Found> all;
  for (const Factor& factor : kFactors) all.push_back(find(factor, data, how));

  ExperimentResult result;
  result.trace.columns = {"factor",
                          "forward",
                          "sideways",
                          "yaw",
                          "pitch",
                          "edge",
                          "limited",
                          "capture_margin",
                          "beyond:edge",
                          "beyond:limited",
                          "beyond:capture_margin"};
  ResultTable result_table{"forward, sideways",
                           {"largest push (N)", "gain over held", "sideways (N)", "gain sideways",
                            "yaw (deg)", "pitch (deg)", "on an edge (s)", "5 % above: limited (s)"},
                           {}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Found& f = all[i];
    result.trace.rows.push_back({static_cast<double>(i), f.forward, f.sideways, f.at.yaw,
                                 f.at.pitch, f.at.edge_time, f.at.limited_time, f.at.margin,
                                 f.beyond.edge_time, f.beyond.limited_time, f.beyond.margin});
    result_table.rows.push_back(
        {kFactors[i].name,
         {f.forward, f.forward / all.front().forward, f.sideways, f.sideways / all.front().sideways,
          kDegPerRad * f.at.yaw, kDegPerRad * f.at.pitch, f.at.edge_time, f.beyond.limited_time}});
  }
  const PushedRobot held = pushed_hoap2(data);
  FloorPush again = how;
  again.force = all.front().forward;
  const double margin = push_on_floor(held, {true, false, {}}, again).margin;
  result.drifts = {{"the same push twice: capture margin", "m", all.front().at.margin,
                    std::abs(margin - all.front().at.margin)}};
  result.tables = {result_table};
  result.claims = claims_of(all, settings.duration >= info.defaults.duration - 1e-9);
  Figure figure{
      info.name, info.title + " (" + info.figures + ")", {}, "factor, in the table's order", true};
  figure.panels.push_back(
      {"(a) largest push", "N", {{"forward", "forward"}, {"sideways", "sideways"}}});
  figure.panels.push_back({"(b) upper body at it",
                           "deg",
                           {{"yaw", "yaw", kDegPerRad}, {"pitch", "pitch", kDegPerRad}}});
  figure.panels.push_back(
      {"(c) pressure on an edge", "s", {{"edge", "at it"}, {"beyond:edge", "5 % above"}}});
  result.figures = {figure};
  return result;
}

}  // namespace

void add_push_factors(Experiments& experiments) {
  add_experiment(experiments,
                 ExperimentInfo{"push-factors",
                                "HOAP-2 on a floor: what the thesis's strategies lose by",
                                "ours",
                                "after Takahashi 2012, sec. 6.3",
                                "Feet free: one factor of a strategy changed at a time.",
                                {"hoap2_10dof"},
                                {1e-3, 2.0, "semi-implicit-euler", "aba"},
                                {"semi-implicit-euler"},
                                {"aba"}},
                 run_push_factors);
}

}  // namespace kagami::tools
