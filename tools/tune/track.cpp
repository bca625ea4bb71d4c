#include "tools/tune/track.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "drivers/virtual/virtual_robot.hpp"
#include "models/base/angle.hpp"
#include "tools/tune/perturbed.hpp"
#include "tools/tune/robot_loop.hpp"
#include "tools/tune/strokes.hpp"

namespace kagami::tools {
namespace {

constexpr double kStep = 0.35;          // rad
constexpr double kLeastStroke = 0.349;  // rad
constexpr std::int64_t kSettle = 1000;  // ticks
constexpr std::int64_t kStepTicks = 3000;

bool is_played(const motions::PlayCommand& command) {
  return command.phase == motions::PlayPhase::kPlaying ||
         command.phase == motions::PlayPhase::kSettling;
}

// the way a joint has for its step, 0: none
double way_of(const JointWiring& wiring) {
  if (wiring.soft_max >= kStep) return kStep;
  return wiring.soft_min <= -kStep ? -kStep : 0.0;
}

}  // namespace

Tracking track(const models::RobotDescription& robot, LoopPlant& plant,
               control::Controller* controller, const motions::Motion& motion) {
  const std::size_t joints = robot.joint_names.size();
  motions::PlayOptions options;
  options.mode = motions::PlayMode::kStream;
  motions::Player player(motion, robot.wiring, options);
  player.start({});
  Tracking t;
  t.rms.assign(joints, 0.0);
  std::int64_t rows = 0;
  std::vector<Response> curves(joints);
  LoopCore core(robot, controller);
  const auto ticks =
      static_cast<std::int64_t>(std::ceil(player.total_duration() / kLoopPeriod)) + 1;
  plant.run(
      core, {}, ticks,
      [&](std::int64_t /*tick*/, motions::PlayCommand& command) {
        player.step(kLoopPeriod, command);
      },
      [&](const LoopRow& row) {
        if (!is_played(row.command)) return;
        ++rows;
        for (std::size_t j = 0; j < joints; ++j) {
          const double e = row.command.q_ref[j] - row.angle[j];
          t.rms[j] += e * e;
          curves[j].reference.push_back(row.command.q_ref[j]);
          curves[j].angle.push_back(row.angle[j]);
        }
      });
  const auto n = static_cast<double>(std::max<std::int64_t>(rows, 1));
  for (double& rms : t.rms) {
    t.all += rms / n / static_cast<double>(joints);
    rms = std::sqrt(rms / n);
  }
  t.all = std::sqrt(t.all);
  for (const Response& curve : curves) {
    t.overshoot = std::max(t.overshoot, stroke_overshoot(curve, kLeastStroke));
  }
  t.status = core.status();
  return t;
}

double worst_overshoot(const models::RobotDescription& robot, LoopPlant& plant,
                       control::Controller* controller) {
  const std::size_t joints = robot.joint_names.size();
  double worst = 0.0;
  LoopCore core(robot, controller);
  const LoopReference reference = [&](std::int64_t tick, motions::PlayCommand& command) {
    for (std::size_t j = 0; j < joints; ++j) {
      command.q_ref[j] = tick <= kSettle ? 0.0 : way_of(robot.wiring.joints[j]);
    }
  };
  plant.run(core, {}, kSettle + kStepTicks, reference, [&](const LoopRow& row) {
    if (row.tick <= kSettle) return;
    for (std::size_t j = 0; j < joints; ++j) {
      const double way = way_of(robot.wiring.joints[j]);
      if (way != 0.0) worst = std::max(worst, 100.0 * (row.angle[j] - way) / way);
    }
  });
  return worst;
}

std::vector<PlantRow> compare_on_plants(const models::RobotDescription& robot,
                                        const std::filesystem::path& robot_folder,
                                        const std::string& gains_before,
                                        const std::string& gains_after,
                                        const motions::Motion& motion, int count,
                                        std::uint64_t seed) {
  const auto before = make_loop_controller(robot, gains_before);
  const auto after = make_loop_controller(robot, gains_after);
  const ServoSet shipped = drivers::virtual_robot::read_plant_servos(robot, robot_folder, "");
  std::vector<PlantRow> rows;
  for (int k = 0; k <= count; ++k) {
    PlantRow row;
    if (k > 0) row.seed = seed + static_cast<std::uint64_t>(k - 1);
    RobotLoop plant(robot, k == 0 ? shipped : draw_servos(robot.servos, row.seed));
    const Tracking old = track(robot, plant, before.get(), motion);
    const Tracking now = track(robot, plant, after.get(), motion);
    row.rms_before = old.all;
    row.rms_after = now.all;
    row.strokes_before = old.overshoot;
    row.strokes_after = now.overshoot;
    row.overshoot_before = worst_overshoot(robot, plant, before.get());
    row.overshoot_after = worst_overshoot(robot, plant, after.get());
    rows.push_back(row);
  }
  return rows;
}

nlohmann::json tracking_json(const Tracking& tracking, std::span<const std::string> joint_names) {
  nlohmann::json joints = nlohmann::json::object();
  for (std::size_t j = 0; j < tracking.rms.size() && j < joint_names.size(); ++j) {
    joints[joint_names[j]] = to_deg(tracking.rms[j]);
  }
  return {{"rms_deg", to_deg(tracking.all)},
          {"joints_rms_deg", joints},
          {"overshoot_pct", tracking.overshoot},
          {"status", control::name(tracking.status)}};
}

nlohmann::json plant_rows_json(std::span<const PlantRow> rows) {
  nlohmann::json list = nlohmann::json::array();
  for (const PlantRow& row : rows) {
    list.push_back({{"seed", row.seed == 0 ? nlohmann::json(nullptr) : nlohmann::json(row.seed)},
                    {"rms_before_deg", to_deg(row.rms_before)},
                    {"rms_after_deg", to_deg(row.rms_after)},
                    {"change_pct", 100.0 * (row.rms_after / row.rms_before - 1.0)},
                    {"overshoot_before_pct", row.overshoot_before},
                    {"overshoot_after_pct", row.overshoot_after},
                    {"strokes_before_pct", row.strokes_before},
                    {"strokes_after_pct", row.strokes_after}});
  }
  return list;
}

}  // namespace kagami::tools
