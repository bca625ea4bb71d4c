// The KHR-1 in the plant, and the plant as a whole.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "drivers/virtual/plant.hpp"
#include "drivers/virtual/test/virtual_host.hpp"
#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/robot/builder.hpp"

namespace kagami::drivers::virtual_robot {
namespace {

models::RobotDescription khr1() {
  return models::read_robot_folder(test::khr1_folder(), models::BaseKind::kFixed);
}

// place of every link's mass centre and hinge in the world, at these link angles
struct Placed {
  Vec3 com;
  Vec3 pivot;
  Vec3 axis;
};

std::vector<Placed> placed(const PlantBody& body, const std::vector<double>& q) {
  std::vector<Mat3> R(body.links.size());
  std::vector<Vec3> p(body.links.size());
  std::vector<Placed> result;
  for (std::size_t k = 0; k < body.links.size(); ++k) {
    const PlantLink& link = body.links[k];
    Mat3 R_WP = Mat3::Identity();
    Vec3 p_WP = Vec3::Zero();
    if (link.parent != kWorld) {
      R_WP = R[static_cast<std::size_t>(link.parent)];
      p_WP = p[static_cast<std::size_t>(link.parent)];
    }
    R[k] = R_WP * link.R_PB * Eigen::AngleAxisd(q[k], link.axis).toRotationMatrix();
    p[k] = p_WP + R_WP * link.p_PB;
    result.push_back({p[k] + R[k] * link.com, p[k], R[k] * link.axis});
  }
  return result;
}

bool carries(const PlantBody& body, int ancestor, int link) {
  while (link != kWorld && link != ancestor)
    link = body.links[static_cast<std::size_t>(link)].parent;
  return link == ancestor;
}

TEST(PlantBody, WeighsWhatTheModelWeighsWithoutItsBase) {
  const models::RobotDescription robot = khr1();
  const PlantBody body = plant_body(robot, robot.servos);
  ASSERT_EQ(body.link_of_joint.size(), 17u);
  double mass = 0.0;
  for (const PlantLink& link : body.links) mass += link.mass;
  double base = 0.0;
  for (int k = 0; k < robot.model.num_bodies(); ++k) {
    const models::Body& part = robot.model.body(k);
    if (part.parent == kWorld) base += part.inertia.mass;
  }
  EXPECT_GT(base, 0.4);
  EXPECT_NEAR(mass + base, robot.model.total_mass(), 1e-12);
}

TEST(PlantBody, ServosNameTheMassOfALink) {
  models::RobotDescription robot = khr1();
  const PlantBody body = plant_body(robot, robot.servos);
  robot.servos.joints[3].link_mass_scale = 1.25;
  const PlantBody changed = plant_body(robot, robot.servos);
  for (std::size_t j = 0; j < body.link_of_joint.size(); ++j) {
    const auto k = static_cast<std::size_t>(body.link_of_joint[j]);
    const double scale = j == 3 ? 1.25 : 1.0;
    EXPECT_NEAR(changed.links[k].mass, scale * body.links[k].mass, 1e-15);
    EXPECT_NEAR((changed.links[k].inertia - scale * body.links[k].inertia).norm(), 0.0, 1e-15);
    EXPECT_NEAR((changed.links[k].com - body.links[k].com).norm(), 0.0, 1e-15);
  }
}

TEST(PlantBody, WeldedLinkCountsWithWhatCarriesIt) {
  // a rod of two halves: the outer one on a fixed joint, turned by a right angle
  models::RobotDescription robot;
  models::ModelBuilder builder;
  const Mat3 half = Vec3(0.1 * 0.05 * 0.05 / 12.0, 0.1 * 0.05 * 0.05 / 12.0, 1e-6).asDiagonal();
  models::Joint hinge;
  hinge.type = models::JointType::kRevolute;
  hinge.axis = Vec3::UnitY();
  const auto inner =
      builder.add_body("inner", kWorld, "hinge", hinge, {}, {0.1, Vec3(0.0, 0.0, -0.025), half});
  models::Pose X_PJ;
  X_PJ.R = Eigen::AngleAxisd(M_PI / 2.0, Vec3::UnitX()).toRotationMatrix();
  X_PJ.p = Vec3(0.0, 0.0, -0.05);
  // along -z of the inner half = along -y of the turned frame
  const Mat3 turned = X_PJ.R.transpose() * half * X_PJ.R;
  const Vec3 com = X_PJ.R.transpose() * Vec3(0.0, 0.0, -0.025);
  builder.add_body("outer", inner, "weld", {}, X_PJ, {0.1, com, turned});
  robot.model = builder.build();
  robot.joint_names = {"hinge"};

  const PlantBody body = plant_body(robot, robot.servos);
  ASSERT_EQ(body.links.size(), 1u);
  EXPECT_NEAR(body.links[0].mass, 0.2, 1e-15);
  EXPECT_NEAR(body.links[0].com.z(), -0.05, 1e-15);
  // a rod of 0.2 kg and 0.1 m: m l^2 / 12
  EXPECT_NEAR(body.links[0].inertia(1, 1), 0.2 * 0.1 * 0.1 / 12.0, 1e-15);
  EXPECT_NEAR(body.links[0].inertia(2, 2), 2e-6, 1e-15);
}

TEST(PlantBody, JointThatDoesNotExistIsNamed) {
  models::RobotDescription robot = khr1();
  robot.joint_names[4] = "left_tail";
  try {
    plant_body(robot, robot.servos);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("left_tail"), std::string::npos);
  }
}

TEST(Plant, HoldingTorquesOfTheKhr1BalanceGravity) {
  const PlantBody body = plant_body(khr1(), khr1().servos);
  Plant plant(body, test::quick_servos());
  std::vector<double> angles(17, 0.0);
  std::vector<ServoCommand> commands(17);
  for (std::size_t j = 0; j < 17; ++j) {
    angles[j] = 0.6 * std::sin(1.0 + static_cast<double>(j));
    commands[j] = {angles[j], true};
  }
  plant.place(angles);
  for (int k = 0; k < 4000; ++k) plant.step(commands);

  std::vector<double> q(body.links.size(), 0.0);
  for (int j = 0; j < 17; ++j) {
    q[static_cast<std::size_t>(body.link_of_joint[static_cast<std::size_t>(j)])] = plant.angle(j);
  }
  const std::vector<Placed> links = placed(body, q);
  for (int j = 0; j < 17; ++j) {
    const int own = body.link_of_joint[static_cast<std::size_t>(j)];
    const Placed& joint = links[static_cast<std::size_t>(own)];
    double moment = 0.0;
    for (std::size_t k = 0; k < links.size(); ++k) {
      if (!carries(body, own, static_cast<int>(k))) continue;
      const Vec3 weight = body.links[k].mass * body.gravity;
      moment += joint.axis.dot((links[k].com - joint.pivot).cross(weight));
    }
    // hinges give way by error reduction and CFM: some 1e-6 N m
    EXPECT_NEAR(plant.torque(j), -moment, 1e-5) << j;
  }
}

ServoSet heavy_rod_servos(double sag) {
  ServoSet servos = test::quick_servos();
  servos.joints.resize(1);
  servos.supply.sag = sag;
  return servos;
}

PlantBody one_heavy_rod() {
  PlantLink link;
  link.joint = "rod";
  link.axis = Vec3::UnitY();
  link.mass = 1.0;
  link.com = Vec3(0.0, 0.0, -0.05);
  link.inertia = Vec3(1e-3, 1e-3, 1e-3).asDiagonal();
  PlantBody body;
  body.links = {link};
  body.link_of_joint = {0};
  return body;
}

TEST(Plant, SupplySagsWithTheShareOfTheStallTorque) {
  Plant plant(one_heavy_rod(), heavy_rod_servos(0.5));
  EXPECT_EQ(plant.supply(), 1.0);
  plant.place({M_PI / 2.0});
  for (int k = 0; k < 3000; ++k) plant.step({{M_PI / 2.0, true}});
  // 1 kg at 50 mm, level
  EXPECT_NEAR(plant.torque(0), 9.81 * 0.05, 1e-4);
  EXPECT_NEAR(plant.supply(), 1.0 - 0.5 * plant.torque(0) / 0.853, 1e-12);
  // with this supply the servo gives 0.608 N m at most and cannot lift 0.7 N m
  PlantBody heavy = one_heavy_rod();
  heavy.links[0].com = Vec3(0.0, 0.0, -0.0713);
  Plant weak(heavy, heavy_rod_servos(0.5));
  Plant strong(heavy, heavy_rod_servos(0.0));
  weak.place({M_PI / 2.0});
  strong.place({M_PI / 2.0});
  for (int k = 0; k < 2000; ++k) {
    weak.step({{M_PI / 2.0, true}});
    strong.step({{M_PI / 2.0, true}});
  }
  EXPECT_NEAR(strong.angle(0), M_PI / 2.0, 0.01);
  EXPECT_LT(weak.angle(0), 1.4);
}

TEST(Plant, AngleBetweenStepsIsInterpolatedAndKeptForALongTime) {
  Plant plant(one_heavy_rod(), heavy_rod_servos(0.0));
  plant.place({0.5});
  std::vector<double> angles = {0.5};
  for (int k = 0; k < 700; ++k) {
    plant.step({{0.0, false}});
    angles.push_back(plant.angle(0));
  }
  EXPECT_EQ(plant.angle_at(0, 700'000'000), angles[700]);
  EXPECT_EQ(plant.angle_at(0, 300'000'000), angles[300]);
  EXPECT_DOUBLE_EQ(plant.angle_at(0, 300'250'000), 0.75 * angles[300] + 0.25 * angles[301]);
  const double ahead = plant.angle_at(0, 700'500'000);
  plant.step({{0.0, false}});
  EXPECT_NEAR(ahead, 0.5 * (angles[700] + plant.angle(0)), 1e-4);
}

TEST(Plant, ServoThatGetsItsDriveBackStartsWhereItStands) {
  ServoSet servos = heavy_rod_servos(0.0);
  servos.joints[0] = ServoParameters{};
  Plant plant(one_heavy_rod(), servos);
  plant.place({1.5});
  while (plant.angle(0) > 0.5) plant.step({{1.5, false}});
  // commanded to stay where it was caught: the filters must not remember the 1.5 rad of before
  const double caught = plant.angle(0);
  double highest = -10.0;
  for (int k = 0; k < 1000; ++k) {
    plant.step({{caught, true}});
    highest = std::max(highest, plant.angle(0));
  }
  EXPECT_LT(highest, caught + 0.02);
  // 20 N m/rad against the weight
  EXPECT_NEAR(plant.angle(0), caught, 9.81 * 0.05 / 20.0);
}

TEST(Plant, WrongNumberOfServosIsRefused) {
  ServoSet servos = heavy_rod_servos(0.0);
  servos.joints.resize(2);
  EXPECT_THROW(Plant(one_heavy_rod(), servos), ConfigError);
}

}  // namespace
}  // namespace kagami::drivers::virtual_robot
