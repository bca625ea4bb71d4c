// Models from folders and files; states that a model refuses.
#include "models/robot/read_model.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "models/base/errors.hpp"
#include "models/robot/builder.hpp"
#include "models/robot/robot_folder.hpp"
#include "models/robot/state.hpp"

namespace kagami::models {
namespace {

constexpr const char* kUrdf = R"(<robot name="r">
  <link name="base"><inertial><mass value="1"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <link name="slide"><inertial><mass value="1"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <link name="tip"><inertial><mass value="1"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <link name="sole"/>
  <joint name="rail" type="prismatic"><parent link="base"/><child link="slide"/>
    <axis xyz="1 0 0"/><limit lower="-0.5" upper="0.5" effort="10" velocity="2"/></joint>
  <joint name="ball" type="continuous"><parent link="slide"/><child link="tip"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="glue" type="fixed"><parent link="tip"/><child link="sole"/>
    <origin xyz="0 0 1"/></joint>
</robot>)";

constexpr const char* kModelJson = R"({"name": "pole", "bodies": [
  {"name": "pole", "parent": -1, "mass": 1, "com": [0, 0, 0.5],
   "inertia": [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]],
   "joint": {"name": "hinge", "type": "revolute", "axis": [0, 1, 0], "xyz": [0, 0, 0]}}]})";

class Folder : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) /
              (std::string("kagami-read-model-") + info->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  // what() of the error, "" when there is none
  std::string refusal() const {
    try {
      read_model(folder_);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }
  void expect_refusal(const char* message) const {
    const std::string text = refusal();
    EXPECT_NE(text.find(message), std::string::npos) << text;
  }

  std::filesystem::path folder_;
};

TEST_F(Folder, UrdfAloneIsEnough) {
  write("robot.urdf", kUrdf);
  const ModelDescription d = read_model(folder_);
  EXPECT_EQ(d.name, folder_.filename().string());
  EXPECT_EQ(d.joint_names, (std::vector<std::string>{"rail", "ball"}));
  EXPECT_EQ(d.model.body(1).joint.type, JointType::kPrismatic);
  EXPECT_EQ(d.model.limits(0).q_max, 0.5);  // m
  EXPECT_EQ(read_model(folder_ / "robot.urdf", BaseKind::kFloating).model.num_v(), 8);
}

TEST_F(Folder, RobotJsonAddsJointTypesAndLoops) {
  write("robot.urdf", kUrdf);
  write("robot.json", R"({"name": "crank", "joint_types": {"ball": {"type": "spherical"}},
    "loops": [{"type": "spherical", "body_a": "sole", "point_a": [0, 0, 0],
               "point_b": [0, 0, 1]}]})");
  const ModelDescription d = read_model(folder_);
  EXPECT_EQ(d.name, "crank");
  EXPECT_EQ(d.model.body(2).joint.type, JointType::kSpherical);
  ASSERT_EQ(d.model.loops().size(), 1u);
  // the sole is a frame of the tip, 1 m up
  EXPECT_EQ(d.model.loops()[0].body_a, d.model.find_body("tip"));
  EXPECT_EQ(d.model.loops()[0].X_AL.p, Vec3(0.0, 0.0, 1.0));
}

TEST_F(Folder, ModelJsonStandsInForTheUrdf) {
  write("model.json", kModelJson);
  EXPECT_EQ(read_model(folder_).model.num_v(), 1);
  EXPECT_EQ(read_model(folder_ / "model.json").joint_names, std::vector<std::string>{"hinge"});
}

TEST_F(Folder, WholeRobotsGiveTheSameModelEitherWay) {
  const std::string khr1 = std::string(KAGAMI_SOURCE_DIR) + "/models/data/khr1";
  const ModelDescription d = read_model(khr1);
  EXPECT_EQ(d.name, "khr1");
  EXPECT_EQ(d.joint_names, read_robot_folder(khr1, BaseKind::kFixed).joint_names);
  EXPECT_EQ(d.model.rotor_inertia()[3], 0.001);
}

TEST_F(Folder, RefusesWhatIsMissingOrDoubtful) {
  expect_refusal("robot.urdf: no such file, and neither robot.model.json nor model.json");
  write("robot.urdf", kUrdf);
  write("robot.json", R"({"colour": 1})");
  expect_refusal("unknown key 'colour'");
  write("robot.json", R"({"joint_types": {"elbow": {"type": "spherical"}}})");
  expect_refusal("/joint_types: unknown key 'elbow'");
  write("robot.json", R"({"joint_types": {"ball": {"type": "universal"}}})");
  expect_refusal("/joint_types/ball/axis2: is missing");
  write("robot.json", R"({"joint_types": {"ball": {"type": "floating"}}})");
  expect_refusal("a floating joint must hang from the world");
  write("robot.json", R"({"loops": [{"type": "spherical", "body_a": "toe", "point_a": [0, 0, 0],
    "point_b": [0, 0, 1]}]})");
  expect_refusal("/loops/0/body_a: no frame or body of the model is named 'toe'");
  write("model.json", kModelJson);
  expect_refusal("has robot.urdf and model.json, expected one model");
  std::filesystem::remove(folder_ / "robot.urdf");
  write("robot.json", R"({"joint_types": {"hinge": {"type": "spherical"}}})");
  expect_refusal("states the types of its joints itself");
}

TEST_F(Folder, WiredRobotMayBeAModelJson) {
  std::string json_text =
      read_robot_folder(std::string(KAGAMI_SOURCE_DIR) + "/models/data/khr1", BaseKind::kFixed)
          .json_text;
  // one joint of the KHR-1's seventeen is left
  const std::size_t first = json_text.find("{\"name\": \"left_knee\"");
  const std::size_t list = json_text.find("\"joints\": [") + 11;
  const std::string knee = json_text.substr(first, json_text.find('}', first) + 1 - first);
  json_text.replace(list, json_text.find("\n  ],", list) - list, knee);
  // and no servo of its own
  const std::size_t servos = json_text.find("\"joints\": {") + 11;
  json_text.replace(servos, json_text.find("\n    },", servos) - servos, "");
  // nor a pose of the others
  const std::size_t sit = json_text.find("  \"sit_pose_deg\"");
  json_text.erase(sit, json_text.find('\n', sit) + 1 - sit);
  const std::string model = kModelJson;
  EXPECT_THROW(read_robot_texts(model, json_text, "bot", BaseKind::kFixed), ModelError);
  std::string knee_model = model;
  knee_model.replace(knee_model.find("hinge"), 5, "left_knee");
  const RobotDescription robot = read_robot_texts(knee_model, json_text, "bot", BaseKind::kFixed);
  EXPECT_EQ(robot.joint_names, std::vector<std::string>{"left_knee"});
  EXPECT_EQ(robot.model.rotor_inertia()[0], 0.001);
}

TEST(State, NamesWhatIsWrong) {
  ModelBuilder builder;
  builder.add_body("ball", kWorld, "socket", {JointType::kSpherical, Vec3::Zero(), Vec3::Zero()},
                   Pose{}, {1.0, Vec3::Zero(), Mat3::Identity()});
  const Model model = builder.build();
  State s = neutral_state(model);
  EXPECT_EQ(state_problem(model, s.q, s.v), "");
  EXPECT_NE(state_problem(model, s.v, s.v).find("expected 4 and 3"), std::string::npos);
  s.q.setZero();
  EXPECT_EQ(state_problem(model, s.q, s.v), "joint 'socket': quaternion of length 0, expected 1");
  s = neutral_state(model);
  s.v[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(state_problem(model, s.q, s.v), "joint 'socket': a value is not finite");
}

TEST(State, DifferenceAndNormalizeServeEveryJoint) {
  ModelBuilder builder;
  const MassProperties mass{1.0, Vec3::Zero(), Mat3::Identity()};
  builder.add_body("base", kWorld, "free", {JointType::kFloating, Vec3::Zero(), Vec3::Zero()},
                   Pose{}, mass);
  builder.add_body("arm", 0, "hinge", {JointType::kRevolute, Vec3::UnitX(), Vec3::Zero()}, Pose{},
                   mass);
  const Model model = builder.build();
  const State s = neutral_state(model);
  JointVector v(7);
  v << 0.1, -0.2, 0.3, 1.0, 2.0, -3.0, 0.7;
  JointVector q = s.q;
  integrate(model, v, 1.0, q);
  JointVector found(7);
  difference(model, s.q, q, found);
  EXPECT_LT((found - v).norm(), 1e-14);
}

}  // namespace
}  // namespace kagami::models
