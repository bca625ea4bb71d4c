// Oracles O14a, f, g, k: incline, spin, tipping and oblique pushes of a box on four corners.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "models/contact/world/world.hpp"
#include "models/spatial/rotation.hpp"
#include "models/test/support/contact_boxes.hpp"
#include "models/test/support/contact_probe.hpp"
#include "models/test/support/model_json.hpp"

namespace kagami::models {
namespace {

using test::kDegree;
using test::kStep;  // first order: 2 % in times and distances, as the oracle says

class FrictionOfEveryMethod : public test::ByMethod {
 protected:
  [[nodiscard]] static bool relaxed() { return GetParam() == MethodName::kRelaxed; }
  // sweeps that are cut off answer admissibly
  [[nodiscard]] static WorldStatus worst() {
    return GetParam() == MethodName::kVolumetric ? WorldStatus::kNotConverged : WorldStatus::kOk;
  }
  // m, what merely touches is no overlap: a step without contact would set a pushed box in motion
  [[nodiscard]] static double start_depth() {
    return GetParam() == MethodName::kVolumetric ? settings().volumetric.rest_depth : 0.0;
  }
  static ContactSettings settings() {
    ContactSettings s;
    s.method = GetParam();
    // a pyramid of P edges holds cos(pi/P) of its cone between them: 1.9 % less for the default 16,
    // 0.5 % for 32
    s.volumetric.pyramid_edges = 32;
    return s;
  }
  // one box of 1 kg on a plane
  static World box_on(const StaticShape& ground, const Vec3& size, const Surface& surface,
                      const Pose& X_WB, const Motion& V_WB_B, double smoothing = 1000.0) {
    Scene scene;
    scene.statics.push_back(ground);
    Pose start = X_WB;
    start.p -= start_depth() * ground.n;
    scene.systems.push_back(
        free_body("box", ConvexMesh::box("box", size), 1.0, surface, start, V_WB_B));
    ContactSettings chosen = settings();
    chosen.friction_smoothing = smoothing;
    return {scene, chosen};
  }
};
INSTANTIATE_TEST_SUITE_P(Methods, FrictionOfEveryMethod, ::testing::ValuesIn(test::kEveryMethod),
                         [](const auto& p) { return std::string(name(p.param)); });

// a box lying on a slope, how far it has gone down and how fast it goes
struct Incline {
  Incline(double alpha, const Vec3& size)
      : R(rotation_about(Vec3::UnitY(), alpha)), start(R * Vec3(0.0, 0.0, 0.5 * size.z())) {}
  [[nodiscard]] Pose pose() const { return {R, start}; }
  [[nodiscard]] double way(const World& w) const {
    return R.col(0).dot(Vec3(w.state(0).q.head<3>()) - start);
  }
  [[nodiscard]] static double speed(const World& w) { return w.state(0).v[3]; }

  Mat3 R;
  Vec3 start;
};

// tan(12 degrees) is 0.21: friction of 0.3 stops the block, and the start of 0.8 m/s takes about
// 0.4 m; with a smoothing of fixed width it crept on for ever, at 6 mm/s (0.5 ms) and 1.2 mm/s
TEST_P(FrictionOfEveryMethod, SlidBlockStopsOnAnInclineAtEveryStep) {
  const double alpha = 0.20943951023931953;
  const Vec3 size(0.2, 0.1, 0.05);
  const Surface surface{.mu_static = 0.7, .mu_kinetic = 0.3};
  const Incline incline(alpha, size);
  const Motion V = Motion::from(Vec3::Zero(), Vec3(0.8, 0.0, 0.0));
  for (const double h : {1e-3, 5e-4, 1e-4}) {
    SCOPED_TRACE(h);
    World w = box_on(slope_of(alpha, surface), size, surface, incline.pose(), V);
    const long steps = std::lround(1.5 / h);
    for (long k = 0; k < steps; ++k) ASSERT_EQ(w.step(h), WorldStatus::kOk);
    EXPECT_LT(std::abs(Incline::speed(w)), 1e-9);  // m/s, 3e-13 seen
  }
}

TEST_P(FrictionOfEveryMethod, BlockOnAnInclineDoesAsCoulombSays) {
  const Vec3 size(0.2, 0.1, 0.05);
  for (const nlohmann::json& c : test::cases_of("o14a_incline.json")) {
    const double alpha = c.at("alpha_deg").get<double>() * kDegree;
    const std::string motion = c.at("motion");
    const double v0 = c.at("v0_along_down_slope");
    const bool hysteresis = c.at("law") == "hysteresis";
    // the laws differ only where a sliding block stops on a slope between both limits
    if (v0 < 0.0 && (motion == "stops and sticks" || hysteresis) && hysteresis != relaxed()) {
      continue;
    }
    SCOPED_TRACE(c.dump());
    const Surface surface{.mu_static = c.at("mu_s"), .mu_kinetic = c.at("mu_d")};
    const Incline incline(alpha, size);
    World world = box_on(slope_of(alpha, surface), size, surface, incline.pose(),
                         Motion::from(Vec3::Zero(), Vec3(v0, 0.0, 0.0)));
    const bool stays = motion == "stays at rest";
    double t_turn = 0.0;
    double way_at_turn = 0.0;
    for (int i = 0; i < (stays ? 5000 : 1000); ++i) {
      ASSERT_LE(world.step(kStep), worst());
      const double v = Incline::speed(world);
      if (v0 != 0.0 && t_turn == 0.0 && (v0 > 0.0 ? v < 1e-4 : v > -1e-4)) {
        t_turn = (i + 1) * kStep;
        way_at_turn = incline.way(world);
      }
    }
    if (stays) {
      EXPECT_LT(std::abs(incline.way(world)), 1e-5);  // m in 5 s
    } else if (c.contains("distance_1s")) {
      EXPECT_NEAR(incline.way(world), c.at("distance_1s"),
                  0.02 * c.at("distance_1s").get<double>());
    } else if (motion == "slows and stops") {
      EXPECT_NEAR(t_turn, c.at("t_stop"), 0.02 * c.at("t_stop").get<double>());
      EXPECT_NEAR(incline.way(world), c.at("distance"), 0.02 * c.at("distance").get<double>());
      EXPECT_LT(std::abs(Incline::speed(world)), 1e-9);
    } else {
      const double turn = c.at("t_turn");
      EXPECT_NEAR(t_turn, turn, 0.02 * turn);
      EXPECT_NEAR(-way_at_turn, c.at("up_slope_distance"),
                  0.02 * c.at("up_slope_distance").get<double>());
      const double back =
          motion == "stops and sticks" ? 0.0 : c.at("acceleration_back").get<double>();
      const double left = 1.0 - turn;
      EXPECT_NEAR(incline.way(world) - way_at_turn, 0.5 * back * left * left,
                  0.03 * 0.5 * back * left * left + 1e-6);
    }
  }
}

// so much relaxation that every step gives way a little; the reference points keep the place
TEST(Relaxed, HeldBlockComesBackToItsReferencePoints) {
  const auto worst = [] { return WorldStatus::kOk; };
  const Vec3 size(0.2, 0.1, 0.05);
  const Surface surface{.mu_static = 0.5, .mu_kinetic = 0.45};
  const Incline incline(20.0 * kDegree, size);
  Scene scene;
  scene.statics.push_back(slope_of(20.0 * kDegree, surface));
  scene.systems.push_back(
      free_body("box", ConvexMesh::box("box", size), 1.0, surface, incline.pose()));
  ContactSettings settings;
  settings.relaxation = 1.0;
  World world(scene, settings);
  for (int i = 0; i < 1000; ++i) ASSERT_LE(world.step(kStep), worst());
  const double way = incline.way(world);
  EXPECT_GT(way, 1e-7);  // m, that it gives way at all
  for (int i = 0; i < 4000; ++i) ASSERT_LE(world.step(kStep), worst());
  EXPECT_NEAR(incline.way(world), way, 1e-3 * way);
}

TEST_P(FrictionOfEveryMethod, SmoothedKineticFrictionStopsAsItsFormulaSays) {
  if (!relaxed()) GTEST_SKIP() << "(21) of [Wakisaka 2013] is a formula of relaxed alone";
  const nlohmann::json c = test::read_fixture("o14a_incline.json").at("smoothed_kinetic_friction");
  const Vec3 size(0.2, 0.1, 0.05);
  const Surface surface{.mu_static = 0.4, .mu_kinetic = c.at("mu_d")};
  const Incline incline(0.0, size);
  World world =
      box_on(floor_at(0.0, surface), size, surface, incline.pose(),
             Motion::from(Vec3::Zero(), Vec3(c.at("v0").get<double>(), 0.0, 0.0)), c.at("k"));
  double t = 0.0;
  for (const nlohmann::json& sample : c.at("samples")) {
    while (t < sample.at("t").get<double>() - 0.5 * kStep) {
      ASSERT_LE(world.step(kStep), worst());
      t += kStep;
    }
    EXPECT_NEAR(incline.way(world), sample.at("x"), 0.02 * sample.at("x").get<double>());
    EXPECT_NEAR(Incline::speed(world), sample.at("v"),
                0.02 * sample.at("v").get<double>() + 4e-3);  // m/s: one step's friction
  }
}

TEST_P(FrictionOfEveryMethod, SpinningBoxStopsAsFourCornersMakeIt) {
  for (const nlohmann::json& c : test::cases_of("o14f_spin.json")) {
    SCOPED_TRACE(c.dump());
    const Vec3 size(c.at("size_xy").at(0), c.at("size_xy").at(1), 0.05);
    const Surface surface{.mu_static = c.at("mu_d"), .mu_kinetic = c.at("mu_d")};
    World world = box_on(floor_at(0.0, surface), size, surface, Incline(0.0, size).pose(),
                         Motion::from(Vec3(0.0, 0.0, c.at("omega0")), Vec3::Zero()));
    const nlohmann::json& expected = c.at("four_corners");
    double stop = 0.0;
    double angle = 0.0;
    for (int i = 0; i < 300; ++i) {
      ASSERT_LE(world.step(kStep), worst());
      angle += kStep * world.state(0).v[2];
      if (stop == 0.0 && world.state(0).v[2] < 1e-9) stop = (i + 1) * kStep;
    }
    EXPECT_NEAR(stop, expected.at("t_stop"), 0.02 * expected.at("t_stop").get<double>());
    EXPECT_NEAR(angle, expected.at("angle"), 0.02 * expected.at("angle").get<double>());
  }
}

TEST_P(FrictionOfEveryMethod, SlideAndSpinEndTogether) {
  const nlohmann::json c = test::read_fixture("o14f_spin.json").at("slide_and_spin");
  const Vec3 size(0.2, 0.1, 1e-3);  // flat: the oracle's corner loads do not shift
  const Surface surface{.mu_static = c.at("mu_d"), .mu_kinetic = c.at("mu_d")};
  World world = box_on(
      floor_at(0.0, surface), size, surface, Incline(0.0, size).pose(),
      Motion::from(Vec3(0.0, 0.0, c.at("omega0")), Vec3(c.at("v0").at(0).get<double>(), 0.0, 0.0)));
  // m/s, rad/s: what an offset of 10 um still takes back when it holds
  constexpr double kStopped = 1e-3;
  double spin_stop = 0.0;
  double slide_stop = 0.0;
  double angle = 0.0;
  for (int i = 0; i < 300; ++i) {
    ASSERT_LE(world.step(kStep), worst());
    const JointVector& v = world.state(0).v;
    angle += kStep * v[2];
    if (spin_stop == 0.0 && std::abs(v[2]) < kStopped) spin_stop = (i + 1) * kStep;
    if (slide_stop == 0.0 && v.segment<2>(3).norm() < kStopped) slide_stop = (i + 1) * kStep;
  }
  const double t = c.at("t_stop");
  EXPECT_NEAR(spin_stop, t, 0.02 * t);
  EXPECT_NEAR(slide_stop, t, 0.02 * t);
  const double scale = c.at("final_pose").at(0).get<double>();
  EXPECT_NEAR(world.state(0).q[0], c.at("final_pose").at(0), 0.02 * scale);
  EXPECT_NEAR(world.state(0).q[1], c.at("final_pose").at(1), 0.02 * scale);
  EXPECT_NEAR(angle, c.at("final_pose").at(2), 0.02 * c.at("final_pose").at(2).get<double>());
}

// how a box has left its place after being pushed or tilted
enum class Outcome { kStays, kTips, kSlides };

Outcome outcome_of(const World& world, const Incline& incline) {
  const Eigen::Vector4d q = world.state(0).q.segment<4>(3);
  const Mat3 R = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
  if (R.col(2).dot(incline.R.col(2)) < std::cos(5.0 * kDegree)) return Outcome::kTips;
  return incline.way(world) > 1e-4 ? Outcome::kSlides : Outcome::kStays;
}

TEST_P(FrictionOfEveryMethod, BoxTipsOrSlidesWithinOnePercentOfTheThreshold) {
  for (const nlohmann::json& c : test::cases_of("o14g_tipping.json")) {
    const double a = c.at("half_width");
    const double b = c.at("half_height");
    const Vec3 size(2.0 * a, 2.0 * a, 2.0 * b);
    const Surface surface{.mu_static = c.at("mu_s"), .mu_kinetic = c.at("mu_s")};
    const double tips = c.at("tip_angle_deg");
    const double slides = c.at("slide_angle_deg");
    for (const double factor : {0.99, 1.01}) {
      const double alpha = factor * std::min(tips, slides) * kDegree;
      SCOPED_TRACE("slope of " + std::to_string(alpha / kDegree) + " deg");
      const Incline incline(alpha, size);
      World world = box_on(slope_of(alpha, surface), size, surface, incline.pose(), Motion::zero());
      for (int i = 0; i < 1000; ++i) ASSERT_LE(world.step(kStep), worst());
      const Outcome expected = factor < 1.0    ? Outcome::kStays
                               : tips < slides ? Outcome::kTips
                                               : Outcome::kSlides;
      EXPECT_EQ(outcome_of(world, incline), expected);
    }
    for (const nlohmann::json& push : c.at("push")) {
      const double to_tip = push.at("force_to_tip");
      const double to_slide = push.at("force_to_slide");
      if (std::abs(to_tip - to_slide) < 0.05 * to_tip) continue;  // either
      for (const double factor : {0.99, 1.01}) {
        SCOPED_TRACE(push.dump() + " times " + std::to_string(factor));
        const Incline incline(0.0, size);
        World world = box_on(floor_at(0.0, surface), size, surface, incline.pose(), Motion::zero());
        const double F = factor * std::min(to_tip, to_slide);
        const Vec3 arm(0.0, 0.0, push.at("height").get<double>() - b);
        const Vec3 force(F, 0.0, 0.0);
        world.drive(0).F_ext = {Force::from(arm.cross(force), force)};
        for (int i = 0; i < 700; ++i) ASSERT_LE(world.step(kStep), worst());
        const Outcome expected = factor < 1.0        ? Outcome::kStays
                                 : to_tip < to_slide ? Outcome::kTips
                                                     : Outcome::kSlides;
        EXPECT_EQ(outcome_of(world, incline), expected);
      }
    }
  }
}

TEST_P(FrictionOfEveryMethod, BoxFallsAboutItsEdge) {
  const nlohmann::json c = test::read_fixture("o14g_tipping.json").at("fall_about_edge");
  const double a = c.at("half_width");
  const double b = c.at("half_height");
  const Vec3 size(2.0 * a, 2.0 * a, 2.0 * b);
  const Surface surface{.mu_static = 10.0, .mu_kinetic = 10.0};
  const double tilt = std::atan2(a, b) + c.at("tilt_from_balance_rad").get<double>();
  const Mat3 R = rotation_about(Vec3::UnitY(), tilt);
  const Vec3 edge(a, 0.0, -b);
  World world = box_on(floor_at(0.0, surface), size, surface, {R, -(R * edge)}, Motion::zero());
  double t = 0.0;
  for (const nlohmann::json& sample : c.at("samples")) {
    while (t < sample.at("t").get<double>() - 0.5 * kStep) {
      ASSERT_LE(world.step(kStep), worst());
      t += kStep;
    }
    const Eigen::Vector4d q = world.state(0).q.segment<4>(3);
    const double angle = 2.0 * std::atan2(q[2], q[0]) - std::atan2(a, b);
    EXPECT_NEAR(angle, sample.at("angle"), 0.02 * sample.at("angle").get<double>());
    EXPECT_NEAR(world.state(0).v[1], sample.at("rate"), 0.02 * sample.at("rate").get<double>());
  }
}

TEST_P(FrictionOfEveryMethod, ObliquePushSlipsAtItsForce) {
  const Vec3 size(0.4, 0.4, 0.05);
  const Surface surface{.mu_static = 0.5, .mu_kinetic = 0.45};
  // force at slip mu m g / (cos - mu sin), downwards by the angle; none from 63.4 deg on
  for (const double angle : {0.0, 30.0, 60.0, 64.0}) {
    // nearly self-locking: what the sweeps leave is more than slip_speed, and mu_k does not hold
    if (angle > 45.0 && GetParam() == MethodName::kVolumetric) continue;
    SCOPED_TRACE(angle);
    const double cosine = std::cos(angle * kDegree);
    const double sine = std::sin(angle * kDegree);
    const double slip = 0.5 * 9.81 / (cosine - 0.5 * sine);
    for (const double factor : {0.99, 1.01}) {
      const Incline incline(0.0, size);
      World world = box_on(floor_at(0.0, surface), size, surface, incline.pose(), Motion::zero());
      const double F = slip > 0.0 ? factor * slip : 500.0;
      const Vec3 force(F * cosine, 0.0, -F * sine);
      // at the height of the floor: no moment shifts the load
      const Vec3 arm(0.0, 0.0, -0.5 * size.z());
      world.drive(0).F_ext = {Force::from(arm.cross(force), force)};
      const Force push = world.drive(0).F_ext[0];
      for (int i = 0; i < 500; ++i) {
        // sweeps leave 0.1 mm/s where a push near the limit sets in at once, which counts as slip
        // of a patch: it then slides on with mu_k. For patches the push grows in 0.2 s
        const double share = GetParam() == MethodName::kVolumetric ? std::min(1.0, i / 200.0) : 1.0;
        world.drive(0).F_ext[0] = push * share;
        ASSERT_LE(world.step(kStep), worst());
      }
      EXPECT_EQ(outcome_of(world, incline),
                slip > 0.0 && factor > 1.0 ? Outcome::kSlides : Outcome::kStays);
    }
  }
}

// a rod of 1 m against a smooth wall on rough ground; O14k
TEST_P(FrictionOfEveryMethod, LadderStandsAboveTheFrictionItNeeds) {
  for (const double angle : {60.0, 45.0}) {
    const double needed = 0.5 / std::tan(angle * kDegree);
    for (const double factor : {0.98, 1.02}) {
      SCOPED_TRACE(std::to_string(angle) + " deg, times " + std::to_string(factor));
      const double mu = factor * needed;
      const Surface rough{.mu_static = mu, .mu_kinetic = mu};
      const Surface smooth{.mu_static = 0.0, .mu_kinetic = 0.0};
      const double L = 1.0;
      const Mat3 R = rotation_about(Vec3::UnitY(), angle * kDegree);  // +x end on the ground
      const Vec3 size(L, 0.1, 1e-3);                                  // one edge at each end
      const Vec3 foot = R * Vec3(0.5 * L, 0.0, -0.5e-3);
      const Vec3 head = R * Vec3(-0.5 * L, 0.0, -0.5e-3);
      Scene scene;
      scene.statics.push_back(floor_at(0.0, rough));
      scene.statics.push_back(
          {.name = "wall", .n = Vec3::UnitX(), .offset = 0.0, .mesh = {}, .surface = smooth});
      scene.systems.push_back(free_body("ladder", ConvexMesh::box("ladder", size), 1.0, rough,
                                        {R, Vec3(-head.x(), 0.0, -foot.z())}));
      World world(scene, settings());
      Vec3 start = world.state(0).q.head<3>();
      double wall = 0.0;
      double ground = 0.0;
      for (int i = 0; i < 1000; ++i) {
        ASSERT_LE(world.step(kStep), worst());
        if (i == 99) start = world.state(0).q.head<3>();  // patches have come to their rest depth
        wall = 0.0;
        ground = 0.0;
        for (const test::Push& p : test::pushes(world, scene)) {
          (p.n.x() > 0.5 ? wall : ground) += p.normal / kStep;
        }
      }
      const double moved = (Vec3(world.state(0).q.head<3>()) - start).norm();
      if (factor < 1.0) {
        EXPECT_GT(moved, 1e-2);  // m
        continue;
      }
      EXPECT_LT(moved, 1e-5);
      EXPECT_NEAR(ground, 9.81, 0.005 * 9.81);  // N
      EXPECT_NEAR(wall, 0.5 * 9.81 / std::tan(angle * kDegree), 0.005 * 9.81);
    }
  }
}

}  // namespace
}  // namespace kagami::models
