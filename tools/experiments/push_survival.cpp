// How large a push each strategy survives beside joints that are simply held; ours. The thesis
// holds both feet to the floor; here they are free, so a robot can tip, slip and fall.
#include <algorithm>
#include <cmath>

#include "models/spatial/vectors.hpp"
#include "tools/experiments/measures.hpp"
#include "tools/experiments/push_robot.hpp"
#include "tools/experiments/registry.hpp"

namespace kagami::tools {
namespace {

using models::kNaN;
constexpr int kForces = 6;  // of the figure, 0 to 1.5 times what the held robot survives

struct Named {
  std::string name;
  PushDrive drive;
};

/// What one drive survives in one direction.
struct Survival {
  std::string name;
  double largest = 0.0;         ///< N
  PushOutcome at;               ///< at that push
  PushOutcome beyond;           ///< at one that is lost, 5 % above
  std::vector<PushOutcome> by;  ///< at the figure's forces
};

class PushSurvival final : public Experiment {
 public:
  PushSurvival(const std::string& name, const std::string& title,
               PushedRobot (*robot)(const DataFolders&), const std::string& folder)
      : info_{name,
              title,
              "ours",
              "after Takahashi 2012, sec. 6.3",
              "Feet free on the floor: each strategy beside joints that are held.",
              {folder},
              {1e-3, 2.0, "semi-implicit-euler", "aba"},
              {"semi-implicit-euler"},
              {"aba"}},
        robot_(robot) {}
  [[nodiscard]] const ExperimentInfo& info() const override { return info_; }
  [[nodiscard]] ExperimentResult run(const ExperimentSettings& settings,
                                     const DataFolders& data) const override;

 private:
  ExperimentInfo info_;
  PushedRobot (*robot_)(const DataFolders&);
};

std::vector<Named> drives_of(const PushedRobot& robot) {
  std::vector<Named> drives = {{"held", {true, false, {}}}};
  for (const control::Strategy s : robot.strategies)
    drives.push_back({control::name(s), {false, false, s}});
  for (const control::Strategy s : robot.strategies) {
    const bool of_thesis =
        s == control::Strategy::kUpperBodyRotation || s == control::Strategy::kCombined;
    if (robot.thesis && of_thesis)
      drives.push_back({std::string(control::name(s)) + ", thesis", {false, false, s, true, true}});
  }
  drives.push_back({"chosen", {false, true, {}}});
  if (robot.strategies.size() > 2) drives.push_back({"chosen, no yaw", {false, true, {}, false}});
  return drives;
}

std::vector<Survival> survivals(const PushedRobot& robot, bool sideways, const FloorPush& how,
                                std::vector<double>& forces) {
  std::vector<Survival> all;
  for (const Named& d : drives_of(robot)) {
    Survival s;
    s.name = d.name;
    s.largest = largest_push(robot, d.drive, sideways, how);
    if (forces.empty())
      for (int i = 0; i < kForces; ++i) forces.push_back(1.5 * s.largest * i / (kForces - 1));
    FloorPush push = how;
    push.sideways = sideways;
    const auto at = [&](double force) {
      push.force = force;
      return push_on_floor(robot, d.drive, push);
    };
    s.at = at(s.largest);
    s.beyond = at(1.05 * s.largest);
    for (const double force : forces) s.by.push_back(at(force));
    all.push_back(std::move(s));
  }
  return all;
}

ResultTable result_table_of(const std::string& title, const std::vector<Survival>& all,
                            double block) {
  ResultTable result_table{
      title,
      {"largest push (N)", "gain over held", "capture margin (mm)", "5 % above (mm)",
       "pressure inside (mm)", "upper body (deg)", "tilt of the foot (deg)"},
      {}};
  for (const Survival& s : all)
    result_table.rows.push_back(
        {s.name == "chosen" ? s.name + ": " + control::name(s.at.strategy) : s.name,
         {s.largest, s.largest / all.front().largest, 1e3 * s.at.margin, 1e3 * s.beyond.margin,
          1e3 * s.at.least_pressure, s.name == "held" ? kNaN : kDegPerRad * s.at.turn,
          kDegPerRad * s.at.tilt}});
  result_table.rows.push_back(
      {"rigid block", {block, block / all.front().largest, kNaN, kNaN, kNaN, kNaN, kNaN}});
  return result_table;
}

// a row per force; per drive: survived or not, capture margin at the push's end
Trace trace_of(const std::vector<Survival>& forward, const std::vector<double>& f_forward,
               const std::vector<Survival>& sideways, const std::vector<double>& f_sideways) {
  Trace trace;
  trace.columns = {"push", "push_sideways"};
  for (const char* direction : {"forward", "sideways"})
    for (const Survival& s : forward)
      for (const char* what : {"margin", "survived"})
        trace.columns.push_back(std::string(direction) + ":" + s.name + ":" + what);
  for (std::size_t i = 0; i < f_forward.size(); ++i) {
    std::vector<double>& row =
        trace.rows.emplace_back(std::vector<double>{f_forward[i], f_sideways[i]});
    for (const std::vector<Survival>* all : {&forward, &sideways})
      for (const Survival& s : *all) {
        row.push_back(s.by[i].margin);
        row.push_back(s.by[i].survived ? 1.0 : 0.0);
      }
  }
  return trace;
}

// share of runs in which "capture point inside the soles at the push's end" predicted the outcome
double verdicts_right(const std::vector<Survival>& all) {
  double right = 0.0;
  double n = 0.0;
  for (const Survival& s : all)
    for (const PushOutcome& o : s.by) {
      n += 1.0;
      if ((o.margin > 0.0) == o.survived) right += 1.0;
    }
  return right / n;
}

Figure figure_of(const ExperimentInfo& i, const std::vector<Survival>& all) {
  Figure figure{i.name, i.title + " (" + i.figures + ")", {}, "push (N)", true};
  for (const char* direction : {"forward", "sideways"}) {
    Panel margin{std::string("(") + (figure.panels.empty() ? "a" : "c") + ") " + direction +
                     ": capture point at the push's end",
                 "inside the soles (mm)",
                 {}};
    Panel survived{
        std::string("(") + (figure.panels.empty() ? "b" : "d") + ") " + direction + ": survived",
        "1: yes, 0: no",
        {}};
    for (const Survival& s : all) {
      const std::string column = std::string(direction) + ":" + s.name;
      // what fits beside the panel
      std::string label = s.name == "chosen, no yaw" ? "no yaw" : s.name;
      if (label.starts_with("upper-body-rotation")) label.replace(0, 19, "upper b.");
      margin.curves.push_back({column + ":margin", label, 1e3});
      survived.curves.push_back({column + ":survived", label});
    }
    figure.panels.push_back(std::move(margin));
    figure.panels.push_back(std::move(survived));
  }
  return figure;
}

ExperimentResult PushSurvival::run(const ExperimentSettings& settings,
                                   const DataFolders& data) const {
  const PushedRobot robot = robot_(data);
  FloorPush how;
  how.step = settings.dt;
  how.seconds = settings.duration;
  std::vector<double> f_forward;
  std::vector<double> f_sideways;
  const std::vector<Survival> forward = survivals(robot, false, how, f_forward);
  const std::vector<Survival> sideways = survivals(robot, true, how, f_sideways);
  const double block = rigid_block_push(robot, false);
  const double block_sideways = rigid_block_push(robot, true);
  const bool whole = settings.duration >= info_.defaults.duration - 1e-9;
  const auto later = [whole](double x) { return whole ? x : kNaN; };
  ExperimentResult result;
  result.trace = trace_of(forward, f_forward, sideways, f_sideways);
  result.tables = {result_table_of("forward", forward, block),
                   result_table_of("sideways", sideways, block_sideways)};
  // 10 %: servos give way, and a push off the middle turns the robot
  result.claims = {
      {"held, forward: largest push over the rigid block's", "",
       later(forward.front().largest / block), 1.0, 0.1},
      {"held, sideways: the same", "", later(sideways.front().largest / block_sideways), 1.0, 0.1},
      {"forward: runs in which the capture point at the push's end predicted the result", "",
       later(verdicts_right(forward)), 1.0, 0.25},
      {"sideways: the same", "", later(verdicts_right(sideways)), 1.0, 0.25}};
  // measured 1.40 and 1.11; a third of what is won
  const auto hip = std::find_if(forward.begin(), forward.end(),
                                [](const Survival& s) { return s.name == "hip"; });
  result.claims.push_back({"hip, forward: largest push over held", "",
                           later(hip->largest / forward.front().largest), robot.thesis ? 1.4 : 1.11,
                           robot.thesis ? 0.13 : 0.05});
  FloorPush again = how;
  again.force = forward.front().largest;
  const PushOutcome twice = push_on_floor(robot, {true, false, {}}, again);
  result.drifts = {{"the same push twice: capture margin", "m", forward.front().at.margin,
                    std::abs(twice.margin - forward.front().at.margin)}};
  result.figures = {figure_of(info_, forward)};
  return result;
}

}  // namespace

void add_push_survival(Experiments& experiments) {
  experiments.push_back(std::make_unique<PushSurvival>(
      "push-hoap2", "HOAP-2 on a floor, pushed at the shoulder", pushed_hoap2, "hoap2_10dof"));
  experiments.push_back(std::make_unique<PushSurvival>(
      "push-khr1", "KHR-1 on a floor, pushed at the shoulder", pushed_khr1, "khr1"));
}

}  // namespace kagami::tools
