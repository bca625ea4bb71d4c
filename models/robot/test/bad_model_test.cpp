// Impossible robots: the message of each reader of a Model. The files' own mistakes are in
// model_urdf_test and model_json_test.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/robot/builder.hpp"
#include "models/robot/model_json.hpp"
#include "models/robot/model_urdf.hpp"
#include "models/test/support/infinity.hpp"

namespace kagami::models {
namespace {

using test::kInf;

MassProperties good_mass() {
  return {2.0, Vec3(0.0, 0.0, 0.1), 0.01 * Mat3::Identity()};
}

Joint hinge() {
  return {JointType::kRevolute, Vec3::UnitY(), Vec3::Zero()};
}

// message of the builder, "(accepted)" when there is none
std::string builder_refusal(const std::function<void(ModelBuilder&)>& call) {
  ModelBuilder builder;
  builder.add_body("base", kWorld, "root", {}, {}, good_mass());
  builder.add_body("arm", 0, "shoulder", hinge(), {}, good_mass());
  try {
    call(builder);
  } catch (const ModelError& e) {
    return e.what();
  }
  return "(accepted)";
}

std::string refused_body(const Joint& joint, const Pose& X_PJ, const MassProperties& mass,
                         BodyIndex parent = 1) {
  return builder_refusal(
      [&](ModelBuilder& b) { b.add_body("tip", parent, "wrist", joint, X_PJ, mass); });
}

std::string refused_mass(const MassProperties& mass) {
  return refused_body(hinge(), {}, mass);
}

void expect_has(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << message << "\n  lacks: " << part;
}

TEST(BadBody, MasslessMovingLeafIsNamedWithItsMass) {
  EXPECT_EQ(refused_mass({}), "link 'tip': mass 0 kg, expected a finite value above 0");
  // what is welded may be massless
  EXPECT_EQ(refused_body({}, {}, {}), "(accepted)");
}

TEST(BadBody, MassAndCentreMustBeFinite) {
  MassProperties mass = good_mass();
  for (const double bad : {-1.0, kNaN, kInf}) {
    mass.mass = bad;
    expect_has(refused_mass(mass), "link 'tip': mass ");
  }
  for (const double bad : {kNaN, kInf, -kInf}) {
    mass = good_mass();
    mass.com[1] = bad;
    expect_has(refused_mass(mass), "link 'tip': its mass centre is not finite");
    // a welded body without mass would carry it into its parent
    mass.mass = 0.0;
    mass.I_com.setZero();
    expect_has(refused_body({}, {}, mass), "its mass centre is not finite");
  }
}

TEST(BadBody, InertiaMustBePositiveDefiniteAndPossible) {
  const auto with = [](double xx, double yy, double zz, double xy) {
    MassProperties mass = good_mass();
    mass.I_com << xx, xy, 0.0, xy, yy, 0.0, 0.0, 0.0, zz;
    return refused_mass(mass);
  };
  expect_has(with(0.01, 0.01, -0.01, 0.0), "principal values -0.01, 0.01, 0.01 kg m^2");
  expect_has(with(0.01, 0.01, 0.0, 0.0), "expected all above 0");
  expect_has(with(0.01, 0.01, 0.01, 0.02), "expected all above 0");  // only off the diagonal
  expect_has(with(0.01, 0.01, 0.03, 0.0), "triangle inequality");
  expect_has(with(kNaN, 0.01, 0.01, 0.0), "inertia has a value that is not finite");
  expect_has(with(kInf, kInf, kInf, 0.0), "inertia has a value that is not finite");
  EXPECT_EQ(with(0.01, 0.01, 0.02, 0.0), "(accepted)");  // a disc

  MassProperties mass = good_mass();
  mass.I_com(0, 1) = 0.001;
  expect_has(refused_mass(mass), "inertia is not symmetric");
}

TEST(BadBody, NumbersThatOverflowOnTheWayToTheJointAreRefused) {
  MassProperties mass = good_mass();
  mass.mass = 1e200;
  mass.com = Vec3(0.0, 1e100, 0.0);
  expect_has(refused_mass(mass), "mass 1e+200 kg at 1e+100 m");
}

TEST(BadBody, NamesAndParentsMustExistOnce) {
  expect_has(refused_body(hinge(), {}, good_mass(), 7), "body index 7 is outside [0, 2)");
  expect_has(refused_body(hinge(), {}, good_mass(), -2), "body index -2 is outside");
  const auto named = [](const std::string& link, const std::string& joint) {
    return builder_refusal(
        [&](ModelBuilder& b) { b.add_body(link, 1, joint, hinge(), {}, good_mass()); });
  };
  expect_has(named("", "wrist"), "without a name");
  expect_has(named("tip", ""), "link 'tip': its joint has no name");
  expect_has(named("arm", "wrist"), "duplicate link 'arm'");
  expect_has(named("tip", "shoulder"), "duplicate joint 'shoulder'");
  EXPECT_THROW(ModelBuilder().build(), ModelError);
}

TEST(BadJoint, AxesMustBeUnitAndPerpendicular) {
  for (const JointType type :
       {JointType::kRevolute, JointType::kPrismatic, JointType::kUniversal}) {
    SCOPED_TRACE(joint_type_name(type));
    const auto with = [&](const Vec3& axis) {
      return refused_body({type, axis, Vec3::UnitZ()}, {}, good_mass());
    };
    expect_has(with(Vec3::Zero()), "joint 'wrist': axis of length 0, expected a unit vector");
    expect_has(with(Vec3(0.0, 2.0, 0.0)), "axis of length 2");
    expect_has(with(Vec3(0.0, kNaN, 0.0)), "axis of length nan");
    expect_has(with(Vec3(0.0, kInf, 0.0)), "axis of length inf");
  }
  const auto cross = [](const Vec3& axis2) {
    return refused_body({JointType::kUniversal, Vec3::UnitY(), axis2}, {}, good_mass());
  };
  expect_has(cross(Vec3::Zero()), "joint 'wrist': axis2 of length 0");
  expect_has(cross(Vec3(0.0, 0.6, 0.8)), "cosine 0.6, expected perpendicular axes");
  expect_has(cross(Vec3::UnitY()), "cosine 1, expected perpendicular axes");
}

TEST(BadJoint, FloatingHangsFromTheWorldAlone) {
  const Joint floating{JointType::kFloating, Vec3::Zero(), Vec3::Zero()};
  expect_has(refused_body(floating, {}, good_mass()),
             "joint 'wrist': a floating joint must hang from the world");
}

TEST(BadJoint, ItsFrameMustBeAFinitePose) {
  expect_has(refused_body(hinge(), {Mat3::Identity(), Vec3(0.0, kNaN, 0.0)}, good_mass()),
             "'wrist': its origin is not finite");
  expect_has(refused_body(hinge(), {Mat3::Constant(kNaN), Vec3::Zero()}, good_mass()),
             "'wrist': its origin is not finite");
  expect_has(refused_body(hinge(), {2.0 * Mat3::Identity(), Vec3::Zero()}, good_mass()),
             "'wrist': its orientation is not a rotation");
  expect_has(refused_body(hinge(), {-Mat3::Identity(), Vec3::Zero()}, good_mass()),
             "'wrist': its orientation is not a rotation");
  expect_has(builder_refusal([](ModelBuilder& b) {
               b.add_frame("sole", 1, {Mat3::Zero(), Vec3::Zero()});
             }),
             "frame 'sole': its orientation is not a rotation");
}

TEST(BadJoint, LimitsRotorsAndGravityMustBeNumbers) {
  const auto limits = [](double lower, double upper, double speed, double effort) {
    return builder_refusal([&](ModelBuilder& b) {
      b.set_limits(1, DofLimits{lower, upper, speed, effort});
    });
  };
  for (const std::string& message : {limits(1.0, -1.0, 1.0, 1.0), limits(kNaN, 1.0, 1.0, 1.0),
                                     limits(-1.0, 1.0, kNaN, 1.0), limits(-1.0, 1.0, 1.0, -1.0)})
    expect_has(message, "joint 'shoulder': limits lower ");
  for (const double bad : {-1.0, kNaN, kInf})
    expect_has(builder_refusal([&](ModelBuilder& b) { b.set_rotor_inertia(1, bad); }),
               "joint 'shoulder': rotor inertia ");
  // the base is welded: there is nothing to limit or to turn
  expect_has(builder_refusal([](ModelBuilder& b) { b.set_limits(0, {}); }),
             "joint 'root': limits require");
  expect_has(builder_refusal([](ModelBuilder& b) { b.set_rotor_inertia(0, 1.0); }), "joint 'root'");
  expect_has(builder_refusal([](ModelBuilder& b) { b.set_gravity(Vec3(0.0, 0.0, kNaN)); }),
             "gravity");
}

TEST(BadLoop, WhatClosesNothingIsRefused) {
  const auto loop = [](BodyIndex a, BodyIndex b, const Joint& joint) {
    return builder_refusal([&](ModelBuilder& m) { m.add_loop("ring", a, {}, b, {}, joint); });
  };
  const Joint weld{};
  EXPECT_EQ(loop(1, kWorld, weld), "(accepted)");
  expect_has(loop(kWorld, 1, weld), "loop 'ring': body_a is the world, expected a body");
  expect_has(loop(1, 9, weld), "loop 'ring': body index 9 is outside [-1, 2)");
  expect_has(loop(1, 1, weld), "loop 'ring': its bodies cannot move against each other");
  expect_has(loop(0, kWorld, weld), "loop 'ring': its bodies cannot move against each other");
  expect_has(loop(1, 0, {JointType::kFloating, Vec3::Zero(), Vec3::Zero()}), "cannot close a loop");
  expect_has(loop(1, 0, {JointType::kRevolute, Vec3::Zero(), Vec3::Zero()}),
             "joint 'ring': axis of length 0");
}

TEST(BadModel, MoreThanItsCapacityIsRefusedAndNamed) {
  ModelBuilder builder;
  const Joint ball{JointType::kSpherical, Vec3::Zero(), Vec3::Zero()};
  std::string message;
  for (int i = 0; i <= kMaxDofs / 4 && message.empty(); ++i) {
    const std::string n = std::to_string(i);
    try {
      builder.add_body("b" + n, i - 1, "j" + n, ball, {}, good_mass());
    } catch (const ModelError& e) {
      message = e.what();
    }
  }
  expect_has(message, "link 'b100': more than 400 coordinates");
}

// the same two robots through the files: massless leaf, impossible inertia
std::string urdf_refusal(const char* mass, const char* izz) {
  const std::string text =
      std::string(
          R"(<robot name="r"><link name="base"/><link name="tip"><inertial><mass value=")") +
      mass + R"("/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz=")" + izz +
      R"("/></inertial></link><joint name="wrist" type="continuous"><parent link="base"/>
         <child link="tip"/><axis xyz="0 1 0"/></joint></robot>)";
  std::vector<std::string> notices;
  try {
    read_urdf(text, "r.urdf", {}, notices);
  } catch (const ModelError& e) {
    return e.what();
  }
  return "(accepted)";
}

std::string json_refusal(const char* mass, const char* izz) {
  const std::string text =
      std::string(R"({"bodies": [{"name": "tip", "parent": -1, "com": [0, 0, 0], "mass": )") +
      mass + R"(, "inertia": [[0.01, 0, 0], [0, 0.01, 0], [0, 0, )" + izz + R"(]],
         "joint": {"name": "wrist", "type": "revolute", "axis": [0, 1, 0], "xyz": [0, 0, 0]}}]})";
  std::vector<std::string> notices;
  try {
    const ConfigDocument document = ConfigDocument::parse(text, "r.json");
    read_model_json(document.root(), std::nullopt, notices);
  } catch (const Error& e) {
    return e.what();
  }
  return "(accepted)";
}

TEST(BadModel, FilesNameThemselvesThePlaceTheValueAndWhatWasExpected) {
  EXPECT_EQ(urdf_refusal("1", "0.01"), "(accepted)");
  EXPECT_EQ(json_refusal("1", "0.01"), "(accepted)");
  EXPECT_EQ(urdf_refusal("0", "0.01"),
            "r.urdf: link 'tip': mass 0 kg, expected a finite value above 0");
  EXPECT_EQ(json_refusal("0", "0.01"),
            "r.json: /bodies/0: link 'tip': mass 0 kg, expected a finite value above 0");
  const std::string values =
      "link 'tip': inertia has the principal values -0.01, 0.01, 0.01 "
      "kg m^2, expected all above 0";
  EXPECT_EQ(urdf_refusal("1", "-0.01"), "r.urdf: " + values);
  EXPECT_EQ(json_refusal("1", "-0.01"), "r.json: /bodies/0: " + values);
  for (const char* bad : {"nan", "inf", "1e999", "heavy"}) {
    EXPECT_EQ(urdf_refusal(bad, "0.01").rfind("r.urdf: ", 0), 0u) << bad;
    EXPECT_EQ(urdf_refusal("1", bad).rfind("r.urdf: ", 0), 0u) << bad;
    EXPECT_EQ(json_refusal(bad, "0.01").rfind("r.json: ", 0), 0u) << bad;
    EXPECT_EQ(json_refusal("1", bad).rfind("r.json: ", 0), 0u) << bad;
  }
}

}  // namespace
}  // namespace kagami::models
