/// A change that is promoted on a robot while it walks or holds, and what its boards read then.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/base/time.hpp"
#include "tools/tune/band_watch.hpp"
#include "tools/tune/forecast.hpp"
#include "tools/tune/test/tune_case.hpp"

namespace kagami::test {

inline const std::vector<control::TunableValue> kBetter{
    {"all/kp", 2.0}, {"all/ki", 0.0}, {"all/kd", 0.9}, {"all/lead_time", 0.1}};

inline tools::PresentState in_the_walk(double at = 1.5) {
  tools::PresentState now;
  now.motion = shipped_motion("walk_forward");
  now.motion_time = at;
  now.gains = gains_text("awa_2009");
  return now;
}

/// A joint's reading, taken `time` s after the change.
struct ReadingAfter {
  int joint = 0;
  double time = 0.0;
  double angle = 0.0;  // rad
};

/// The robot plays or holds as given by `now`; where `now` is, the changes are made. Its readings
/// from then on, 2.5 s of them. `late` ms: how long after that the change is made in truth, as a
/// run's threads may; the readings' times count from there.
inline std::vector<ReadingAfter> readings_after(tools::RobotLoop& loop,
                                                const tools::PresentState& now,
                                                const std::vector<control::TunableValue>& changes,
                                                int late = 0) {
  const models::RobotDescription& robot = khr1_on_stand();
  const auto controller = tools::make_loop_controller(robot, now.gains);
  tools::apply_gains(*controller, now.changed_gains);
  std::optional<motions::Player> player;
  if (now.motion) {
    motions::PlayOptions options;
    options.mode = now.mode;
    player.emplace(*now.motion, robot.wiring, options);
    player->start({});
  }
  tools::LoopCore core(robot, controller.get());
  std::int64_t due = -1;
  bool is_promoted = false;
  std::array<std::int64_t, kMaxBoards> last{};
  std::vector<ReadingAfter> readings;
  const tools::LoopReference reference = [&](std::int64_t tick, motions::PlayCommand& command) {
    if (player) player->step(tools::kLoopPeriod, command);
    const bool is_there = player ? command.motion_time >= now.motion_time : tick >= 1500;
    if (due < 0 && is_there) due = tick + late;
    if (due < 0 || is_promoted || tick < due) return;
    is_promoted = true;
    tools::apply_gains(*controller, changes);
  };
  const auto ticks = static_cast<std::int64_t>(1000.0 * (now.motion_time + 4.0)) + late;
  loop.run(core, now.pose, ticks, reference, [&](const tools::LoopRow& row) {
    if (!is_promoted) return;
    const std::int64_t begin_ns = row.now_ns - (row.tick - due) * tools::kLoopPeriodNs;
    for (std::size_t j = 0; j < robot.joint_names.size(); ++j) {
      const auto board = static_cast<std::size_t>(robot.wiring.joints[j].board());
      const std::int64_t at_ns = row.measured.sampled_ns[board];
      if (at_ns == last[board] || at_ns < begin_ns) continue;
      readings.push_back({static_cast<int>(j), seconds(at_ns - begin_ns), row.measured.angle[j]});
    }
    last = row.measured.sampled_ns;
  });
  return readings;
}

inline std::optional<tools::BandExit> watched(tools::BandWatch& watch,
                                              const std::vector<ReadingAfter>& readings) {
  for (const ReadingAfter& r : readings) {
    if (const auto left = watch.add_reading(r.joint, r.time, r.angle)) return left;
  }
  return std::nullopt;
}

}  // namespace kagami::test
