// Every step of every method keeps its books: momenta against the forces, energy against what
// drives, contacts and the integrator supplied; a robot among free bodies, with all of it moving.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>

#include "models/contact/world/world_energy.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/spatial/rotation.hpp"
#include "models/test/support/contact_boxes.hpp"
#include "models/test/support/contact_probe.hpp"

namespace kagami::models {
namespace {

using test::kG;
using test::kRough;
using test::Push;

const Vec3 kSmallBox(0.1, 0.08, 0.05);

class EnergyOfEveryMethod : public test::ByMethod {};
INSTANTIATE_TEST_SUITE_P(Methods, EnergyOfEveryMethod, ::testing::ValuesIn(test::kEveryMethod),
                         [](const auto& p) { return std::string(name(p.param)); });

// a biped that lands, carries a box on its head and is hit from behind by another
Scene crowd(const Surface& surface = kRough) {
  Scene scene;
  scene.systems.push_back(test::biped(0.03));
  for (BodyShape& shape : scene.systems[0].shapes) shape.surface = surface;
  scene.systems[0].shapes.push_back(
      {.body = 0,
       .mesh = ConvexMesh::box("trunk", Vec3(0.06, 0.08, 0.12), {Mat3::Identity(), {0, 0, 0.04}}),
       .surface = surface});
  scene.systems[0].start.v[3] = 0.1;  // m/s forward
  scene.systems.push_back(free_body("thrown", ConvexMesh::box("thrown", kSmallBox), 0.3, surface,
                                    {rotation_rpy(0.4, 0.2, 0.1), Vec3(-0.5, 0.01, 0.25)},
                                    Motion::from(Vec3(3.0, 5.0, 2.0), Vec3(2.0, 0.0, 0.5))));
  // on the trunk's head, 5 mm above
  scene.systems.push_back(free_body("carried", ConvexMesh::box("carried", kSmallBox), 0.2, surface,
                                    {Mat3::Identity(), Vec3(0.0, 0.01, 0.368)}));
  scene.statics.push_back(floor_at(0.0, surface));
  return scene;
}

Vec6 wrench_about_origin(const Push& p) {
  Vec6 w = p.impulse.c;
  w.head<3>() += p.p.cross(p.impulse.force());
  return w;
}

// what a free body's momenta about Wo gain in a step of h (its momenta are kept in W)
Vec6 momenta(const World& world, int s) {
  Kinematics k(world.model(s));
  forward_kinematics(world.model(s), world.state(s).q, world.state(s).v, k);
  return momentum(world.model(s), k).c;
}

// The root's six rows of inverse dynamics ask for the wrench that moved the robot: that of the
// contacts, since nothing else holds the root. Exact for the step's accelerations.
TEST_P(EnergyOfEveryMethod, RobotAndBodiesTogetherKeepTheMomentumBalanceInEveryStep) {
  const Scene scene = crowd();
  World world(scene, settings());
  const double h = 1e-3;
  RneaWorkspace rnea_work(world.model(0));
  Kinematics k(world.model(0));
  JointVector asked;
  int between = 0;
  double largest = 0.0;
  for (int i = 0; i < 1500; ++i) {
    test::hold_biped(world, 0, h);
    const State before = world.state(0);
    std::vector<Vec6> gained;
    for (int s = 1; s < 3; ++s) gained.push_back(-momenta(world, s));
    forward_kinematics(world.model(0), before.q, before.v, k);
    ASSERT_LE(world.step(h), WorldStatus::kNotConverged) << i;

    Vec6 on_robot = Vec6::Zero();  // N s about Wo
    for (int s = 1; s < 3; ++s) gained[static_cast<std::size_t>(s - 1)] += momenta(world, s);
    for (const Push& p : test::pushes(world, scene)) {
      const Vec6 P = wrench_about_origin(p);
      if (p.system == 0) on_robot += P;
      if (p.other == 0) on_robot -= P;
      if (p.system > 0) gained[static_cast<std::size_t>(p.system - 1)] -= P;
      if (p.other > 0) gained[static_cast<std::size_t>(p.other - 1)] += P;
      between += p.other != kStaticBody && p.normal > 0.0 ? 1 : 0;
      largest = std::max(largest, P.tail<3>().norm());
    }
    rnea(world.model(0), before.q, before.v, world.vdot(0), rnea_work, asked);
    const Pose& X_WB = k.X_WB[0];
    const Force F_B = Force::from(asked.head<3>(), asked.segment<3>(3));
    Vec6 needed = (X_WB * F_B).c * h;
    EXPECT_LT((needed - on_robot).norm(), 1e-10) << i;  // N s, N m s; the impacts give 1 N s
    for (int s = 1; s < 3; ++s) {
      const double m = world.model(s).total_mass();
      Vec6 left = gained[static_cast<std::size_t>(s - 1)];
      left.tail<3>() += Vec3(0.0, 0.0, m * kG * h);
      EXPECT_LT(left.tail<3>().norm(), 1e-13) << i;  // N s
      // about Wo gravity acts at the centre of the start, the centre moves with its end's velocity
      const Eigen::Quaterniond q(world.state(s).q[3], world.state(s).q[4], world.state(s).q[5],
                                 world.state(s).q[6]);
      const Vec3 v = q * Vec3(world.state(s).v.segment<3>(3));
      const Vec3 start = world.state(s).q.head<3>() - h * v;
      left.head<3>() += h * start.cross(Vec3(0.0, 0.0, m * kG));
      EXPECT_LT(left.head<3>().norm(), 1e-12) << i;  // N m s
    }
  }
  EXPECT_GT(between, 10);    // robot and boxes did meet
  EXPECT_GT(largest, 0.05);  // N s
}

// work of the impulses at the mean of the velocities before and after, all at the step's start
double work_at_mean_velocity(const std::vector<Push>& all, const std::vector<Kinematics>& before,
                             const std::vector<Kinematics>& after) {
  const auto at_point = [](const Kinematics& k, BodyIndex body, const Vec3& p) {
    const std::size_t b = static_cast<std::size_t>(body);
    const Motion V = Pose{k.X_WB[b].R, k.X_WB[b].p - p} * k.tree.V[b];
    return V;
  };
  double work = 0.0;
  for (const Push& p : all) {
    for (const std::vector<Kinematics>* k : {&before, &after}) {
      const auto s = static_cast<std::size_t>(p.system);
      Vec6 V = at_point((*k)[s], p.body, p.p).c;
      if (p.other != kStaticBody)
        V -= at_point((*k)[static_cast<std::size_t>(p.other)], p.other_body, p.p).c;
      work += 0.5 * V.dot(p.impulse.c);
    }
  }
  return work;
}

// velocities of the step's end at the poses and in the axes of its start
JointVector at_the_start(const Model& model, const State& before, const State& after, double h) {
  JointVector v = after.v;
  const Vec3 w_end = after.v.head<3>();
  const Vec3 u_end = after.v.segment<3>(3);
  if (model.num_bodies() > 1) {
    v.segment<3>(3) = exponential(h * w_end) * u_end;
    return v;
  }
  // a free body keeps its angular momentum; its frame is its centre here
  const Eigen::Quaterniond q(before.q[3], before.q[4], before.q[5], before.q[6]);
  const Eigen::Quaterniond q_end(after.q[3], after.q[4], after.q[5], after.q[6]);
  const Mat3 I = model.body(0).inertia.about_com();
  const Vec3 L = q_end * (I * w_end);
  v.head<3>() = I.inverse() * (q.conjugate() * L);
  v.segment<3>(3) = q.conjugate() * (q_end * u_end);
  return v;
}

// the monitor knows no impulse: that what it finds is their work checks both
TEST_P(EnergyOfEveryMethod, WhatTheMonitorFindsAddedIsTheWorkOfTheImpulses) {
  const Scene scene = crowd();
  World world(scene, settings());
  WorldEnergy monitor(world);
  const double h = 1e-3;
  double most = 0.0;
  for (int i = 0; i < 1000; ++i) {
    test::hold_biped(world, 0, h);
    std::vector<State> start;
    std::vector<Kinematics> before;
    for (int s = 0; s < 3; ++s) {
      start.push_back(world.state(s));
      forward_kinematics(world.model(s), start.back().q, start.back().v,
                         before.emplace_back(world.model(s)));
    }
    ASSERT_LE(world.step(h), WorldStatus::kNotConverged) << i;
    std::vector<Kinematics> after;
    for (int s = 0; s < 3; ++s) {
      const State& b = start[static_cast<std::size_t>(s)];
      forward_kinematics(world.model(s), b.q, at_the_start(world.model(s), b, world.state(s), h),
                         after.emplace_back(world.model(s)));
    }
    const StepEnergy e = monitor.after_step(h);
    const double work = work_at_mean_velocity(test::pushes(world, scene), before, after);
    ASSERT_NEAR(e.added(), work, 1e-11) << i;  // J of some 4 J
    most = std::max(most, -work);
  }
  EXPECT_GT(most, 0.02);  // J, the largest impact
}

// what a run may show: how far the energy rose beyond all supply, and how deep anything went
struct Books {
  double unsupplied = 0.0, gain = 0.0, integrator = 0.0, lost = 0.0;  // J
  double deepest = 0.0;                                               // m
};

// `drive` before every step
template <typename Driver>
Books run(const Scene& scene, const ContactSettings& settings, double h, int steps,
          const Driver& drive) {
  World world(scene, settings);
  WorldEnergy monitor(world);
  Books books;
  for (int i = 0; i < steps; ++i) {
    drive(world);
    EXPECT_LE(world.step(h), WorldStatus::kNotConverged) << i;
    const StepEnergy e = monitor.after_step(h);
    books.deepest = std::max(books.deepest, test::deepest(world, scene));
    books.lost -= e.added();
  }
  books.unsupplied = monitor.unsupplied();
  books.gain = monitor.contact_gain();
  books.integrator = monitor.integrator();
  return books;
}

Scene with_floor(const SceneSystem& system, double slope, const Surface& surface) {
  Scene scene;
  scene.systems.push_back(system);
  scene.statics.push_back(slope_of(slope, surface));
  return scene;
}

const Vec3 kPlate(0.2, 0.1, 0.05);

SceneSystem tumbling_box(const Surface& surface) {
  return free_body("box", ConvexMesh::box("box", kPlate), 1.0, surface,
                   {rotation_rpy(0.4, 0.3, 0.2), Vec3(0.0, 0.0, 0.6)},
                   Motion::from(Vec3(3.0, -5.0, 4.0), Vec3(0.3, 0.0, 0.0)));
}

// No gain but by penetration that is taken back, which lifts the whole weight by its depth at most;
// none of that at all with points, which arrive at the surface.
void expect_no_gain(const Books& books, double weight, const std::string& what) {
  SCOPED_TRACE(what);
  EXPECT_LE(books.gain, weight * books.deepest + 1e-12);  // J
  EXPECT_GT(books.lost, 0.1);                             // J, impacts and friction did take
}

TEST_P(EnergyOfEveryMethod, FallsBouncesAndSlidesGainNothingFromContact) {
  const auto nothing = [](World&) {};
  for (const double h : {2e-3, 1e-3}) {
    for (const double e : {0.0, 0.5, 1.0}) {
      Surface s = kRough;
      s.restitution = e;
      const Books books = run(with_floor(tumbling_box(s), 0.0, s), settings(), h,
                              static_cast<int>(2.0 / h), nothing);
      expect_no_gain(books, kG, "e = " + std::to_string(e));
      if (e == 0.0) continue;
      EXPECT_LE(books.gain, 1e-12);  // J; no restitution gives more than it may
    }
    const Mat3 R = rotation_about(Vec3::UnitY(), 0.5);
    const SceneSystem box = free_body("box", ConvexMesh::box("box", kPlate), 1.0, kRough,
                                      {R, R * Vec3(0.0, 0.0, 0.025)},
                                      Motion::from(Vec3(0.0, 0.0, 5.0), Vec3(-1.0, 0.5, 0.0)));
    const Books books = run(with_floor(box, 0.5, kRough), settings(), h, 1000, nothing);
    expect_no_gain(books, kG, "slide");
    EXPECT_LE(books.unsupplied, 1e-9);  // J, while it slides every step takes
  }
}

TEST_P(EnergyOfEveryMethod, DrivenRobotsAmongBodiesGainNothingFromContact) {
  for (const double h : {2e-3, 1e-3}) {
    SCOPED_TRACE(h);
    const int n = static_cast<int>(2.0 / h);
    for (const double e : {0.0, 0.5}) {
      Surface s = kRough;
      s.restitution = e;
      const Books books =
          run(crowd(s), settings(), h, n, [h](World& w) { test::hold_biped(w, 0, h); });
      expect_no_gain(books, 1.7 * kG, "crowd, e = " + std::to_string(e));
    }
    SceneSystem khr1 = test::khr1(0.4, kRough, true);
    const Eigen::Quaterniond q = exponential(Vec3(0.5, 1.0, 0.2));
    khr1.start.q.segment<4>(3) << q.w(), q.x(), q.y(), q.z();
    const Books books = run(with_floor(khr1, 0.0, kRough), settings(), h, n,
                            [h](World& w) { test::hold_khr1(w, 0, h); });
    expect_no_gain(books, khr1.model.total_mass() * kG, "KHR-1 falls");
  }
}

// A squat's contacts hold and do no work: what the energy then gains is of first order in the step,
// of the integrator and of the impulses that are found at the pose of the start. Points alone: a
// patch adds what its depth gives back.
TEST_P(EnergyOfEveryMethod, WhatASquatGainsHalvesWithTheStep) {
  if (volumetric()) GTEST_SKIP() << "a patch gives back what its depth holds";
  Books at[2];
  for (int k = 0; k < 2; ++k) {
    const double h = k == 0 ? 2e-3 : 1e-3;
    double t = 0.0;
    at[k] = run(with_floor(test::biped(0.0), 0.0, kRough), settings(), h, static_cast<int>(2.0 / h),
                [&](World& w) {
                  t += h;
                  test::hold_biped(w, 0, h, 0.3 * (1.0 - std::cos(8.0 * t)));
                });
    EXPECT_LE(at[k].gain, 1e-12);  // J
  }
  EXPECT_NEAR(at[0].unsupplied / at[1].unsupplied, 2.0, 0.2);
  EXPECT_NEAR(at[0].integrator / at[1].integrator, 2.0, 0.2);
}

// m g^2 h^2 / 2 a step in free fall, nothing at rest, and the same to rounding for a robot's fall
TEST(WorldEnergy, KnowsTheErrorOfFreeFallAndRest) {
  const double h = 1e-3;
  Scene scene = with_floor(free_body("box", ConvexMesh::box("box", kPlate), 2.0, kRough,
                                     {Mat3::Identity(), Vec3(0.0, 0.0, 5.0)}),
                           0.0, kRough);
  scene.systems.push_back(test::biped(3.0));
  World world(scene, {});
  WorldEnergy monitor(world);
  const double mass = 2.0 + world.model(1).total_mass();
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(world.step(h), WorldStatus::kOk);
    const StepEnergy e = monitor.after_step(h);
    EXPECT_NEAR(e.integrator, -0.5 * mass * kG * kG * h * h, 1e-11);  // J
    EXPECT_NEAR(e.added(), 0.0, 1e-11);
  }
  World rest(with_floor(free_body("box", ConvexMesh::box("box", kPlate), 2.0, kRough,
                                  {Mat3::Identity(), Vec3(0.0, 0.0, 0.025)}),
                        0.0, kRough),
             {});
  for (int i = 0; i < 500; ++i) ASSERT_EQ(rest.step(h), WorldStatus::kOk);
  WorldEnergy still(rest);
  ASSERT_EQ(rest.step(h), WorldStatus::kOk);
  const StepEnergy e = still.after_step(h);
  EXPECT_NEAR(e.integrator, 0.0, 1e-14);
  EXPECT_NEAR(e.added(), 0.0, 1e-14);
}

TEST(WorldEnergy, SeesWhatNobodySupplied) {
  World world(with_floor(free_body("box", ConvexMesh::box("box", kPlate), 2.0, kRough,
                                   {Mat3::Identity(), Vec3(0.0, 0.0, 5.0)}),
                         0.0, kRough),
              {});
  WorldEnergy monitor(world);
  for (int i = 0; i < 10; ++i) {
    if (i == 5) world.state(0).v[3] = 3.0;  // m/s, set from outside
    ASSERT_EQ(world.step(1e-3), WorldStatus::kOk);
    (void)monitor.after_step(1e-3);
  }
  EXPECT_NEAR(monitor.unsupplied(), 0.5 * 2.0 * 9.0, 1e-9);  // J
}

}  // namespace
}  // namespace kagami::models
