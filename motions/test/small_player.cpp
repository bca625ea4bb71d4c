#include "motions/test/small_player.hpp"

#include <gtest/gtest.h>

#include "models/base/angle.hpp"
#include "motions/file/bind.hpp"
#include "motions/test/khr1_wiring.hpp"

namespace kagami::test {

using motions::Motion;
using motions::PlayCommand;
using motions::Player;
using motions::PlayMode;
using motions::PlayOptions;
using motions::PlayPhase;

Motion small_motion() {
  Motion m;
  m.name = "small";
  m.joints = {"head_yaw", "left_knee", "left_hip_pitch"};
  m.poses = {{"a", {to_rad(10), to_rad(20), to_rad(0)}, 4, 0.0},
             {"b", {to_rad(40), to_rad(0), to_rad(-10)}, 3, 0.0},
             {"c", {to_rad(40), to_rad(60), to_rad(-30)}, 6, 0.0},
             {"d", {to_rad(40), to_rad(62), to_rad(-30)}, 5, 0.0}};
  return bind_motion(m, khr1_wiring());
}

Recording run_until(Player& player, PlayPhase last) {
  Recording run;
  PlayCommand command;
  for (int i = 0; i < 60'000; ++i) {
    player.step(kDt, command);
    if (command.target_is_new) run.commands.push_back(run.ticks.size());
    run.ticks.push_back(command);
    if (command.phase == last) return run;
  }
  ADD_FAILURE() << "never came to the expected phase";
  return run;
}

Player small_player(PlayMode mode, double speed, bool loop) {
  PlayOptions options;
  options.mode = mode;
  options.speed = speed;
  options.loop = loop;
  options.settle = 0.5;
  Player player(small_motion(), khr1_wiring(), options);
  player.start({});
  return player;
}

}  // namespace kagami::test
