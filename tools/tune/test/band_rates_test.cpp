// How often a promotion is taken back without need, and how soon with need. Long; prints its table.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>

#include "models/base/angle.hpp"
#include "tools/tune/joint_test.hpp"
#include "tools/tune/perturbed.hpp"
#include "tools/tune/test/promote_case.hpp"

namespace kagami::tools {
namespace {

using test::in_the_walk;
using test::khr1_on_stand;

struct Change {
  const char* name;
  PresentState now;
  std::vector<control::TunableValue> changes;
};

const std::vector<control::TunableValue> kFound{{"all/kp", 2.03},
                                                {"all/ki", 0.0},
                                                {"all/kd", 0.93},
                                                {"all/lead_time", 0.098},
                                                {"all/filter_time", 0.014}};

std::vector<Change> honest_changes() {
  std::vector<Change> all;
  all.push_back({"thesis -> found, 1.5 s", in_the_walk(1.5), kFound});
  all.push_back({"thesis -> found, 3.2 s", in_the_walk(3.2), kFound});
  Change more{
      "found -> more kp, lead", in_the_walk(2.3), {{"all/kp", 3.0}, {"all/lead_time", 0.15}}};
  more.now.changed_gains = kFound;
  all.push_back(more);
  Change knee{"found -> a knee's lead 0.2", in_the_walk(1.9), {{"left_knee/lead_time", 0.2}}};
  knee.now.changed_gains = kFound;
  all.push_back(knee);
  Change hold{"holding: kp 2 -> 4", {}, {{"all/kp", 4.0}}};
  hold.now.gains = test::gains_text("awa_2009");
  hold.now.changed_gains = kFound;
  hold.now.pose[static_cast<std::size_t>(joint_index(khr1_on_stand(), "left_knee"))] = to_rad(20.0);
  all.push_back(hold);
  return all;
}

std::optional<BandExit> promoted(const Forecast& run, RobotLoop& robot, const Change& change) {
  BandWatch watch(run);
  // a run's threads ask for the change within a row of the recorder: 10 ms
  return test::watched(watch, test::readings_after(robot, change.now, change.changes, 10));
}

struct Sickness {
  const char* name;
  std::function<void(ServoParameters&)> make;
  double mass;  // kg on the joint's link
};
const std::vector<Sickness> kSick{
    {"half torque and stiffness", [](ServoParameters& s) { s.kp *= 0.5, s.stall_torque *= 0.5; },
     0.0},
    {"double lag", [](ServoParameters& s) { s.delay *= 2, s.filter_1 *= 2, s.filter_2 *= 2; }, 0.0},
    {"three times the lag",
     [](ServoParameters& s) { s.delay *= 3, s.filter_1 *= 3, s.filter_2 *= 3; }, 0.0},
    {"no torque left", [](ServoParameters& s) { s.stall_torque = 0.02; }, 0.0},
    {"0.2 kg payload", [](ServoParameters&) {}, 0.2},
};
constexpr std::array<const char*, 4> kJoints{"left_knee", "right_hip_pitch", "left_shoulder_pitch",
                                             "right_ankle_pitch"};

// how many of kJoints were seen, and when at last
void print_sick(const Forecast& run, const Change& change, const Sickness& sickness) {
  std::printf("  %-26s", sickness.name);
  for (const char* joint : kJoints) {
    ServoSet servos = test::plant_servos();
    sickness.make(servos.joints[static_cast<std::size_t>(joint_index(khr1_on_stand(), joint))]);
    RobotLoop robot = test::robot_loop(servos);
    if (sickness.mass > 0.0) {
      Disturbance load;
      load.kind = DisturbanceKind::kPayload;
      load.body = joint;
      load.mass = sickness.mass;
      load.point = Vec3::Zero();
      robot.set_disturbances({load});
    }
    const auto left = promoted(run, robot, change);
    std::printf(left ? "  %.2f s" : "     -  ", left ? left->time : 0.0);
  }
  std::printf("\n");
}

TEST(BandRates, OfGoodPlantsNoneIsTakenBack) {
  int alarms = 0;
  for (const Change& change : honest_changes()) {
    const Forecast run = forecast(khr1_on_stand(), change.now, change.changes);
    std::printf("%s: %s\n", change.name, run.why.c_str());
    for (std::uint64_t k = 0; k <= 20; ++k) {
      RobotLoop robot = test::robot_loop(k == 0 ? test::plant_servos()
                                                : draw_servos(khr1_on_stand().servos, 8300 + k));
      const auto left = promoted(run, robot, change);
      if (!left) continue;
      ++alarms;
      std::printf("  plant %lu: joint %d at %.2f s, %.1f in %.1f..%.1f deg\n",
                  static_cast<unsigned long>(k), left->joint, left->time, to_deg(left->angle),
                  to_deg(left->low), to_deg(left->high));
    }
    for (const Sickness& sickness : kSick) print_sick(run, change, sickness);
  }
  EXPECT_EQ(alarms, 0);
}

}  // namespace
}  // namespace kagami::tools
