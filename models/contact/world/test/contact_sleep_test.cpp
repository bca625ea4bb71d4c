// Islands at rest: when they sleep, what wakes them, and that other bodies are not affected.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <vector>

#include "models/contact/world/world.hpp"
#include "models/robot/builder.hpp"
#include "models/spatial/rotation.hpp"
#include "models/test/support/contact_boxes.hpp"
#include "models/test/support/no_alloc.hpp"

namespace kagami::models {
namespace {

using test::box_at;
using test::kBox;
using test::kG;
using test::kRough;
using test::kStep;

const Surface kSmooth{.mu_static = 0.0, .mu_kinetic = 0.0, .restitution = 0.0};

class Sleep : public test::ByMethod {
 protected:
  static ContactSettings after(double time) {
    ContactSettings s = settings();
    s.sleep = {.time = time, .speed = 1e-3};
    return s;
  }
};
INSTANTIATE_TEST_SUITE_P(Methods, Sleep,
                         ::testing::Values(MethodName::kRelaxed, MethodName::kMultipoint,
                                           MethodName::kVolumetric),
                         [](const auto& p) { return std::string(name(p.param)); });

Scene plain_stack(int count, const Surface& ground = kRough) {
  Scene scene;
  scene.statics.push_back(floor_at(0.0, ground));
  for (int i = 0; i < count; ++i) {
    scene.systems.push_back(
        box_at("box" + std::to_string(i), Vec3(0.0, 0.0, 0.025 + 0.05 * i), 1.0));
  }
  return scene;
}

void run(World& world, int steps) {
  for (int k = 0; k < steps; ++k) (void)world.step(kStep);
}

// upward force of the last step on everything (N)
double carried(const World& world) {
  double sum = 0.0;
  for (const WorldContact& c : world.contacts()) {
    if (c.other != kNoStatic) sum += c.force.impulse.force().z() / kStep;
  }
  for (int i = 0; i < world.num_patches(); ++i) {
    const WorldPatch p = world.patch(i);
    if (p.other == kStaticBody) sum += p.force.impulse.force().z() / kStep;
  }
  return sum;
}

Vec3 velocity(const World& world, int system) {
  const State& s = world.state(system);
  return Eigen::Quaterniond(s.q[3], s.q[4], s.q[5], s.q[6]) * Vec3(s.v.tail<3>());
}

TEST_P(Sleep, IsOffUnlessAskedFor) {
  World world(plain_stack(1), after(0.0));
  run(world, 300);
  EXPECT_FALSE(world.asleep(0));
  EXPECT_EQ(world.counters().asleep, 0);
}

TEST_P(Sleep, RestingStackSleepsWithItsForcesAndStandsStill) {
  World world(plain_stack(3), after(0.1));
  run(world, 90);
  EXPECT_FALSE(world.asleep(0));  // not yet
  run(world, 110);
  const JointVector q = world.state(2).q;
  const long iterations = world.counters().iterations;
  const long before = world.counters().asleep;
  for (int k = 0; k < 100; ++k) {
    EXPECT_EQ(world.step(kStep), WorldStatus::kOk);
    EXPECT_NEAR(carried(world), 3.0 * kG, 1e-3 * kG);  // N
    EXPECT_EQ(world.contact_work(), 0.0);
  }
  for (int s = 0; s < 3; ++s) {
    EXPECT_TRUE(world.asleep(s));
    EXPECT_EQ(world.state(s).v.norm(), 0.0);
    EXPECT_EQ(world.vdot(s).norm(), 0.0);
    EXPECT_EQ(world.status(s), SystemStatus::kOk);
  }
  EXPECT_EQ(world.state(2).q, q);
  EXPECT_EQ(world.counters().iterations, iterations);
  EXPECT_EQ(world.counters().asleep, before + 300);
}

TEST_P(Sleep, SleepersChangeNoBitOfWhoIsAwake) {
  const auto end_of = [](double time, bool with_stack) {
    Scene scene = plain_stack(with_stack ? 2 : 0);
    for (SceneSystem& s : scene.systems) s.start.q[0] += 5.0;
    scene.systems.push_back(box_at("thrown", Vec3(0.0, 0.0, 0.5), 1.0,
                                   Motion::from(Vec3(1.0, 2.0, 3.0), Vec3(0.5, 0.0, 0.0)),
                                   rotation_rpy(0.3, 0.5, 0.7)));
    World world(scene, after(time));
    run(world, 600);
    if (with_stack) {
      EXPECT_EQ(world.asleep(0), time > 0.0);
    }
    EXPECT_FALSE(world.asleep(world.num_systems() - 1));
    return world.state(world.num_systems() - 1);
  };
  const State alone = end_of(0.0, false);
  const State beside = end_of(0.0, true);
  const State asleep = end_of(0.1, true);
  EXPECT_EQ(alone.q, beside.q);
  EXPECT_EQ(alone.v, beside.v);
  EXPECT_EQ(alone.q, asleep.q);
  EXPECT_EQ(alone.v, asleep.v);
}

// a stack of three whose top box is hit after 0.4 s; where all four are 0.1 s later
JointVector end_of_blow(const ContactSettings& settings, const Vec3& from, double speed,
                        bool& slept) {
  Scene scene = plain_stack(3);
  scene.systems.push_back(
      box_at("thrown", from, 1.0, Motion::from(Vec3::Zero(), Vec3(speed, 0.0, 0.0))));
  World world(scene, settings);
  slept = false;
  bool woke = false;
  for (int k = 0; k < 500; ++k) {
    (void)world.step(kStep);
    slept = slept || (world.asleep(0) && world.asleep(1) && world.asleep(2));
    woke = woke || (slept && !world.asleep(0) && !world.asleep(1) && !world.asleep(2));
  }
  EXPECT_EQ(woke, slept);
  JointVector q(28);
  q << world.state(0).q, world.state(1).q, world.state(2).q, world.state(3).q;
  return q;
}

TEST_P(Sleep, StackThatIsHitWakesAndMovesAsIfItHadNotSlept) {
  bool slept = false;
  // from above, beside the middle. m, no unit; patches stand 2e-6 off where they fell asleep, and
  // the blow turns that into speed
  const Vec3 above(0.02, 0.005, 0.96);
  const double tolerance = GetParam() == MethodName::kVolumetric ? 1e-3 : 1e-5;
  const JointVector pressed = end_of_blow(after(0.0), above, 0.0, slept);
  EXPECT_FALSE(slept);
  const JointVector pressed_awoken = end_of_blow(after(0.1), above, 0.0, slept);
  EXPECT_TRUE(slept);
  EXPECT_LT((pressed - pressed_awoken).cwiseAbs().maxCoeff(), tolerance);
  // flat from the side at 5 m/s: which corner slips first is chance, how far the box gets is not
  const Vec3 beside(-2.2, 0.0, 0.91);
  const JointVector pushed = end_of_blow(after(0.0), beside, 5.0, slept);
  const JointVector pushed_awoken = end_of_blow(after(0.1), beside, 5.0, slept);
  EXPECT_TRUE(slept);
  EXPECT_GT(pushed[14], 0.1);                        // m: the top box was hit
  EXPECT_NEAR(pushed_awoken[14], pushed[14], 5e-3);  // m
}

TEST_P(Sleep, BlowOnASleeperKeepsTheMomentum) {
  Scene scene;
  scene.statics.push_back(floor_at(0.0, kSmooth));
  scene.systems.push_back(
      box_at("resting", Vec3(0.0, 0.0, 0.025), 2.0, Motion::zero(), Mat3::Identity(), kSmooth));
  scene.systems.push_back(box_at("sliding", Vec3(-0.6, 0.01, 0.025), 0.5,
                                 Motion::from(Vec3::Zero(), Vec3(1.0, 0.0, 0.0)), Mat3::Identity(),
                                 kSmooth));
  World world(scene, after(0.1));
  bool slept = false;
  for (int k = 0; k < 1000; ++k) {
    (void)world.step(kStep);
    slept = slept || world.asleep(0);
    const Vec3 p = 2.0 * velocity(world, 0) + 0.5 * velocity(world, 1);
    ASSERT_NEAR(p.x(), 0.5, 1e-9) << k;  // kg m/s
    ASSERT_NEAR(p.y(), 0.0, 1e-9) << k;
  }
  EXPECT_TRUE(slept);
  EXPECT_FALSE(world.asleep(0));
  EXPECT_GT(velocity(world, 0).x(), 0.1);
}

TEST_P(Sleep, EndsWithAPushAStateALostSupportAndForget) {
  const auto sleeping = [](const std::function<void(World&)>& change) {
    World world(plain_stack(2), after(0.05));
    run(world, 150);
    EXPECT_TRUE(world.asleep(0) && world.asleep(1));
    change(world);
    run(world, 100);
    return world;
  };
  const World pushed = sleeping([](World& w) { w.drive(1).tau[3] = 20.0; });  // N: slips
  EXPECT_FALSE(pushed.asleep(0));
  EXPECT_GT(pushed.state(1).q[0], 0.05);
  const World pulled = sleeping([](World& w) {
    w.drive(1).F_ext.assign(1, Force::from(Vec3::Zero(), Vec3(20.0, 0.0, 0.0)));
  });
  EXPECT_GT(pulled.state(1).q[0], 0.05);
  const World bared = sleeping([](World& w) { w.state(0).q[0] += 10.0; });
  EXPECT_LT(bared.state(1).q[2], 0.075 - 0.01);  // m: the upper one fell
  const World lost = sleeping([](World& w) { w.state(0).q[0] = kNaN; });
  EXPECT_EQ(lost.status(0), SystemStatus::kNotFinite);
  EXPECT_LT(lost.state(1).q[2], 0.075 - 0.01);
  const World thrown = sleeping([](World& w) { w.state(1).v[5] = 1.0; });
  EXPECT_GT(thrown.state(1).q[2], 0.1);
  World forgotten = sleeping([](World&) {});
  forgotten.forget();
  EXPECT_FALSE(forgotten.asleep(0) || forgotten.asleep(1));
}

// a plate with a weight on a lever that a motor holds
SceneSystem lever() {
  ModelBuilder builder;
  const ConvexMesh plate = ConvexMesh::box("plate", kBox);
  Joint floating;
  floating.type = JointType::kFloating;
  builder.add_body("plate", kWorld, "root", floating, {}, plate.mass_properties(1.0));
  Joint hinge;
  hinge.type = JointType::kRevolute;
  hinge.axis = Vec3::UnitY();
  const ConvexMesh weight =
      ConvexMesh::box("weight", Vec3::Constant(0.02), {Mat3::Identity(), Vec3(0.05, 0.0, 0.0)});
  builder.add_body("weight", 0, "hinge", hinge, {Mat3::Identity(), Vec3(0.0, 0.0, 0.1)},
                   weight.mass_properties(0.1));
  SceneSystem s{.name = "lever", .model = builder.build(), .start = {}, .shapes = {}};
  s.start = neutral_state(s.model);
  s.start.q[2] = 0.025;
  s.shapes.push_back({.body = 0, .mesh = plate, .surface = kRough});
  return s;
}

TEST_P(Sleep, RobotSleepsOnlyWhileItsDrivesAreConstant) {
  const auto held = [](double tremor) {
    Scene scene;
    scene.statics.push_back(floor_at(0.0, kRough));
    scene.systems.push_back(lever());
    World world(scene, after(0.1));
    bool slept = false;
    for (int k = 0; k < 1500; ++k) {
      const State& s = world.state(0);
      Drive& d = world.drive(0);
      d.tau[6] = -5.0 * (s.q[7] + kStep * s.v[6]) - 0.1 * s.v[6] + (k % 2 == 0 ? tremor : -tremor);
      d.added_inertia[6] = kStep * 0.1 + kStep * kStep * 5.0;
      (void)world.step(kStep);
      slept = slept || world.asleep(0);
    }
    EXPECT_EQ(slept, world.asleep(0));  // once asleep it stays so
    EXPECT_NEAR(carried(world), 1.1 * kG, 2e-2 * kG);
    return slept;
  };
  EXPECT_TRUE(held(0.0));
  EXPECT_FALSE(held(1e-4));  // N m, of 0.05
}

TEST_P(Sleep, TwoHundredRestingBoxesCostNothing) {
  const auto end_of = [](double time, long& last) {
    Scene scene;
    scene.statics.push_back(floor_at(0.0, kRough));
    for (int i = 0; i < 200; ++i) {
      const int row = i / 20;
      scene.systems.push_back(
          box_at("box" + std::to_string(i), Vec3(0.3 * (i % 20), 0.2 * row, 0.025), 1.0));
    }
    World world(scene, after(time), {.bodies = 32, .points = 1024});
    run(world, 60);
    last = world.counters().iterations;
    run(world, 20);
    last = world.counters().iterations - last;
    EXPECT_NEAR(carried(world), 200.0 * kG, 1e-3 * 200.0 * kG);
    return world.counters().asleep;
  };
  long last = 0;
  EXPECT_EQ(end_of(0.0, last), 0);
  const long awake = last;
  EXPECT_GE(awake, 20);  // one of each box, or of all together, a step
  EXPECT_GE(end_of(0.03, last), 4000);
  EXPECT_EQ(last, 0);
}

TEST_P(Sleep, AllocatesNothing) {
  World world(plain_stack(3), after(0.05));
  world.drive(0).F_ext.reserve(1);
  run(world, 10);
  const test::NoAlloc guard;
  run(world, 140);
  const bool slept = world.asleep(0);
  world.drive(2).tau[3] = 20.0;  // N
  run(world, 50);
  EXPECT_EQ(guard.count(), 0);
  EXPECT_TRUE(slept);
  EXPECT_FALSE(world.asleep(0));
}

}  // namespace
}  // namespace kagami::models
