// The detectors on motions whose right verdict is known: a robot may be quicker or slower than the
// model, and is at fault only when its readings stay while model and command move.
#include <gtest/gtest.h>

#include <cmath>

#include "models/base/angle.hpp"
#include "runtime/cycle/board_watch.hpp"
#include "runtime/cycle/joint_watch.hpp"

namespace kagami::runtime {
namespace {

constexpr int kWatchedJoints = 3;

/// deg: 40 deg within 0.1 s, a rest of 0.9 s, and back.
double command_deg(double t) {
  const double phase = std::fmod(std::max(t, 0.0), 2.0);
  return phase < 1.0 ? std::min(400.0 * phase, 40.0) : 40.0 - std::min(400.0 * (phase - 1.0), 40.0);
}

struct Verdicts {
  bool board_frozen = false;
  bool joint_stays = false;
  bool gain_lost = false;
};

/// Ten seconds at 100 readings a second; the robot is `robot_late` s behind the command, the model
/// `model_late` s; from `stuck_from` s on the reading does not change.
Verdicts watch(double robot_late, double model_late, double stuck_from = 100.0) {
  FrozenBoardWatch board;
  FollowWatch joint;
  GainWatch gain;
  Verdicts verdicts;
  JointArray<std::int8_t> board_of_joint{};
  JointArray<double> simulated{};
  JointArray<double> commanded{};
  JointArray<double> residual{};
  drivers::ChannelCounts counts{};
  for (int k = 0; k < 1000; ++k) {
    const double t = 0.01 * k;
    const double reading = std::round(command_deg(std::min(t, stuck_from) - robot_late));
    for (std::size_t i = 0; i < kWatchedJoints; ++i) {
      simulated[i] = to_rad(command_deg(t - model_late));
      commanded[i] = to_rad(command_deg(t));
      residual[i] = simulated[i] - to_rad(reading);
      counts[i] = static_cast<std::uint8_t>(90.0 + reading);
    }
    const std::int64_t at_ns = k * 10'000'000LL;
    board.add({.at_ns = at_ns,
               .counts = counts,
               .simulated = simulated,
               .commanded = commanded,
               .sent = commanded,
               .residual = residual,
               .board_of_joint = board_of_joint,
               .board = 0,
               .num_joints = kWatchedJoints});
    const WatchedAngle angle{.at_ns = at_ns,
                             .measured = to_rad(reading),
                             .simulated = simulated[0],
                             .commanded = commanded[0]};
    joint.add(angle);
    gain.add(angle);
    verdicts.gain_lost |= gain.is_lost();
    verdicts.board_frozen |= board.is_frozen();
    verdicts.joint_stays |= joint.does_not_follow();
  }
  return verdicts;
}

TEST(ObedienceWatch, RobotThatIsQuickerThanTheModelObeys) {
  for (const double model_late : {0.03, 0.06, 0.1, 0.2, 0.3}) {
    SCOPED_TRACE(model_late);
    const Verdicts v = watch(0.0, model_late);
    EXPECT_FALSE(v.board_frozen);
    EXPECT_FALSE(v.joint_stays);
    EXPECT_FALSE(v.gain_lost);
  }
}

TEST(ObedienceWatch, RobotThatIsSlowerThanTheModelObeys) {
  for (const double robot_late : {0.03, 0.06, 0.1, 0.2}) {
    SCOPED_TRACE(robot_late);
    const Verdicts v = watch(robot_late, 0.0);
    EXPECT_FALSE(v.board_frozen);
    EXPECT_FALSE(v.joint_stays);
    EXPECT_FALSE(v.gain_lost);
  }
}

/// Ten seconds of a swing of 0.8 s: the model is a quarter of it behind the robot, the command a
/// quarter ahead, so the reading moves with neither. `limp`: the joint swings on its own.
bool loses_swing(bool limp) {
  constexpr double kSwing = 2.0 * 3.14159265358979 / 0.8;  // rad/s
  GainWatch gain;
  bool lost = false;
  for (int k = 0; k < 1000; ++k) {
    const double t = 0.01 * k;
    const double robot = limp ? std::sin(2.7 * kSwing * t) : std::sin(kSwing * t);
    gain.add({.at_ns = k * 10'000'000LL,
              .measured = to_rad(std::round(20.0 * robot)),
              .simulated = to_rad(20.0 * std::sin(kSwing * (t - 0.2))),
              .commanded = to_rad(20.0 * std::sin(kSwing * (t + 0.2)))});
    lost |= gain.is_lost();
  }
  return lost;
}

TEST(ObedienceWatch, RobotThatSwingsAQuarterAheadOfTheModelObeys) {
  EXPECT_FALSE(loses_swing(false));
  EXPECT_TRUE(loses_swing(true));
}

/// Two joints 15 deg below the model after a gap in the readings, the newest commands at
/// `sent_deg`.
bool restart_after(int unanswered, double sent_deg = 0.0) {
  RestartWatch watch;
  drivers::ChannelCounts counts{};
  JointArray<double> model{};
  JointArray<double> sent{};
  JointArray<double> residual{};
  const JointArray<std::int8_t> board_of_joint{};
  sent[0] = sent[1] = to_rad(sent_deg);
  for (const int ms : {0, 10, 20, 520, 530}) {
    if (ms > 500) residual[0] = residual[1] = to_rad(15.0);
    watch.add({.at_ns = ms * 1'000'000LL,
               .counts = counts,
               .simulated = model,
               .commanded = model,
               .sent = sent,
               .residual = residual,
               .board_of_joint = board_of_joint,
               .board = 0,
               .num_joints = kWatchedJoints},
              ms == 520 ? unanswered : 0);
  }
  return watch.has_restarted();
}

TEST(ObedienceWatch, BoardThatWasNotPolledHasNotRestarted) {
  EXPECT_FALSE(restart_after(0));  // a stall of this computer
  EXPECT_TRUE(restart_after(3));
}

TEST(ObedienceWatch, BoardOnTheWayToItsCommandsHasNotRestarted) {
  EXPECT_FALSE(restart_after(3, -20.0));  // it acts on what it did not acknowledge
  EXPECT_TRUE(restart_after(3, 20.0));
}

/// A reading `offset_deg` beside a robot that is 20 ms late; both move for 3 s and rest for 2 s.
bool is_implausible(double offset_deg) {
  OffsetWatch watch;
  for (int k = 0; k < 500; ++k) {
    const double t = std::min(0.01 * k, 3.0);
    watch.add({.at_ns = k * 10'000'000LL,
               .measured = to_rad(std::round(command_deg(t - 0.02) + offset_deg)),
               .simulated = to_rad(command_deg(t - 0.25)),
               .commanded = to_rad(command_deg(t))});
  }
  return watch.is_implausible();
}

TEST(ObedienceWatch, ReadingBesideTheModelAtRestIsImplausible) {
  EXPECT_FALSE(is_implausible(0.0));
  EXPECT_FALSE(is_implausible(12.0));
  EXPECT_TRUE(is_implausible(30.0));
  EXPECT_TRUE(is_implausible(-30.0));
}

TEST(ObedienceWatch, ReadingsThatStopAreFoundWhateverTheModelsLag) {
  for (const double model_late : {0.0, 0.04, 0.2}) {
    SCOPED_TRACE(model_late);
    const Verdicts v = watch(0.04, model_late, 3.02);
    EXPECT_TRUE(v.board_frozen);
    EXPECT_TRUE(v.joint_stays);
  }
}

}  // namespace
}  // namespace kagami::runtime
