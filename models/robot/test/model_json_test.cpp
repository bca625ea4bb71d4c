// The oracles' model files through the reader of production, and what it refuses.
#include "models/robot/model_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/test/support/model_json.hpp"
#include "models/test/support/random_tree.hpp"

namespace kagami::models {
namespace {

using nlohmann::json;

json two_bodies() {
  return json::parse(R"({
    "gravity": [0, 0, -9.81],
    "bodies": [
      {"name": "a", "parent": -1, "mass": 1, "com": [0, 0, 0.5],
       "inertia": [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]],
       "joint": {"name": "ja", "type": "revolute", "axis": [0, 2, 0], "xyz": [0, 0, 0]}},
      {"name": "b", "parent": 0, "mass": 1, "com": [0, 0, 0.5],
       "inertia": [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]],
       "joint": {"name": "jb", "type": "universal", "axis": [1, 0, 0], "axis2": [0, 1, 0],
                 "xyz": [0, 0, 1]}}],
    "loops": [{"type": "spherical", "body_a": "b", "point_a": [0, 0, 1], "point_b": [1, 0, 0]}]})");
}

Model read_json(const json& value, std::optional<BaseKind> base = std::nullopt) {
  std::vector<std::string> notices;
  return read_model_json(ConfigNode(value, "bot.json", ""), base, notices);
}

// what() of the error, "" when there is none
std::string refusal_of_json(const json& value, std::optional<BaseKind> base = std::nullopt) {
  try {
    read_json(value, base);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(ModelJson, ReadsBodiesJointsAndLoops) {
  const Model model = read_json(two_bodies());
  ASSERT_EQ(model.num_bodies(), 2);
  EXPECT_EQ(model.num_v(), 3);
  EXPECT_EQ(model.body(0).joint.axis, Vec3(0.0, 1.0, 0.0));  // unit length
  EXPECT_EQ(model.body(1).joint.type, JointType::kUniversal);
  EXPECT_EQ(model.body(1).X_PJ.p, Vec3(0.0, 0.0, 1.0));
  ASSERT_EQ(model.loops().size(), 1u);
  EXPECT_EQ(model.loops()[0].name, "loop0");
  EXPECT_EQ(model.loops()[0].body_a, 1);
  EXPECT_EQ(model.loops()[0].body_b, kWorld);
  EXPECT_EQ(model.loops()[0].X_BJ.p, Vec3(1.0, 0.0, 0.0));
  EXPECT_EQ(model.num_loop_constraints(), 3);
}

TEST(ModelJson, AFloatingBaseCanBeRequested) {
  json value = two_bodies();
  EXPECT_NE(refusal_of_json(value, BaseKind::kFloating).find("/bodies/0/joint/type"),
            std::string::npos);
  value["bodies"][0]["joint"]["type"] = "fixed";
  value["bodies"][0]["joint"].erase("axis");
  EXPECT_EQ(read_json(value, BaseKind::kFloating).num_v(), 8);
  EXPECT_EQ(read_json(value).num_v(), 2);
}

TEST(ModelJson, ThinRodGetsAnInertiaAboutItsAxisAndANotice) {
  json value = two_bodies();
  value["bodies"][1]["inertia"] = {{0.0, 0.0, 0.0}, {0.0, 0.1, 0.0}, {0.0, 0.0, 0.1}};
  std::vector<std::string> notices;
  const Model model = read_model_json(ConfigNode(value, "bot.json", ""), std::nullopt, notices);
  EXPECT_NEAR(model.body(1).inertia.about_com()(0, 0), 1e-3, 1e-16);
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_NE(notices[0].find("0.001 kg m^2 serves in its place: b"), std::string::npos);
}

// where frame L of the loop is, seen from frame J
Pose loop_pose(const Loop& loop, const Kinematics& k) {
  const Pose X_WB = loop.body_b == kWorld ? Pose{} : k.X_WB[static_cast<std::size_t>(loop.body_b)];
  return inverse(X_WB * loop.X_BJ) * (k.X_WB[static_cast<std::size_t>(loop.body_a)] * loop.X_AL);
}

TEST(ModelJson, LoopsOfTheOraclesAreClosedAtTheirStates) {
  const json file = test::read_fixture("o10_loops.json");
  int loops = 0;
  for (const json& c : file.at("cases")) {
    const Model model = test::model_from_json(c);
    Kinematics k(model);
    forward_kinematics(model, test::vector_from_json(c.at("q")), test::vector_from_json(c.at("v")),
                       k);
    ASSERT_EQ(model.loops().size(), c.at("loops").size());
    EXPECT_EQ(model.num_loop_constraints(), c.at("constraints").get<int>());
    for (const Loop& loop : model.loops()) {
      const Pose X_JL = loop_pose(loop, k);
      EXPECT_LT(X_JL.p.norm(), 1e-12);  // m; states are given to 15 digits
      if (loop.joint.type == JointType::kRevolute) {
        EXPECT_LT((X_JL.R.col(2) - Vec3::UnitZ()).norm(), 1e-12);
      } else if (loop.joint.type == JointType::kFixed) {
        EXPECT_LT((X_JL.R - Mat3::Identity()).norm(), 1e-12);
      }
      ++loops;
    }
  }
  EXPECT_EQ(loops, 10);
}

TEST(ModelJson, PrismaticAndUniversalLoopsPutTheirAxesAsInTheFile) {
  json value = two_bodies();
  value["bodies"][1]["joint"] = {{"name", "jb"}, {"type", "spherical"}, {"xyz", {0, 0, 1}}};
  value["loops"] = json::parse(R"([
    {"name": "slider", "type": "prismatic", "body_a": 1, "body_b": -1, "point_a": [0, 0, 1],
     "point_b": [0, 0, 2], "axis_b": [3, 0, 0]},
    {"name": "cross", "type": "universal", "body_a": 1, "body_b": "world", "point_a": [0, 0, 1],
     "point_b": [0, 0, 2], "axis_b": [0, 0, 1], "axis_a": [1, 0, 0]}])");
  const Model model = read_json(value);
  EXPECT_EQ(model.num_loop_constraints(), 9);
  const Loop& slider = model.loops()[0];
  EXPECT_EQ(slider.X_BJ.R * slider.joint.axis, Vec3(1.0, 0.0, 0.0));
  const Loop& cross = model.loops()[1];
  EXPECT_LT((cross.X_BJ.R * cross.joint.axis - Vec3::UnitZ()).norm(), 1e-15);
  EXPECT_LT((cross.X_AL.R * cross.joint.axis2 - Vec3::UnitX()).norm(), 1e-15);
}

TEST(ModelJson, ChainsOf384LinksFitAndMoreThanTheLimitIsRefused) {
  json value = two_bodies();
  value.erase("loops");
  const auto chain = [&](int links) {
    value["bodies"] = json::array();
    for (int i = 0; i < links; ++i) {
      json body = two_bodies()["bodies"][0];
      body["name"] = "link" + std::to_string(i);
      body["parent"] = i - 1;
      body["joint"]["name"] = "joint" + std::to_string(i);
      value["bodies"].push_back(body);
    }
    return value;
  };
  EXPECT_EQ(read_json(chain(384)).num_v(), 384);
  EXPECT_NE(refusal_of_json(chain(kMaxBodies + 1)).find("more than 400"), std::string::npos);
}

TEST(ModelJson, DamagedFilesGiveErrorsAndNothingElse) {
  const std::string text = two_bodies().dump();
  test::Random random(21);
  int read_well = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = text;
    for (int k = 0; k <= random.index(3); ++k) {
      damaged[static_cast<std::size_t>(random.index(static_cast<int>(text.size())))] =
          static_cast<char>(random.index(96) + 32);
    }
    try {
      const ConfigDocument document = ConfigDocument::parse(damaged, "bot.json");
      std::vector<std::string> notices;
      const Model model = read_model_json(document.root(), std::nullopt, notices);
      EXPECT_LE(model.num_bodies(), 2);
      ++read_well;
    } catch (const Error&) {
    }
  }
  EXPECT_GT(read_well, 10);  // a digit or a name changed, seldom
  EXPECT_LT(read_well, 2900);
}

struct BadValue {
  const char* pointer;  ///< where in two_bodies()
  const char* value;    ///< the value there instead
  const char* message;  ///< part of the error
};

class ModelJsonRefuses : public ::testing::TestWithParam<BadValue> {};

TEST_P(ModelJsonRefuses, WithPlaceAndCause) {
  json value = two_bodies();
  value[json::json_pointer(GetParam().pointer)] = json::parse(GetParam().value);
  const std::string text = refusal_of_json(value);
  EXPECT_NE(text.find("bot.json: /"), std::string::npos) << text;
  EXPECT_NE(text.find(GetParam().message), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Bodies, ModelJsonRefuses,
    ::testing::Values(
        BadValue{"/bodies/1/mass", "0", "mass 0 kg, expected a finite value above 0"},
        BadValue{"/bodies/1/mass", "-1", "/bodies/1/mass: -1 is outside"},
        BadValue{"/bodies/1/mass", "null", "/bodies/1/mass"},
        BadValue{"/bodies/1/inertia", "[[-0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]",
                 "/bodies/1: link 'b': inertia has the principal values -0.1, 0.1, 0.1"},
        BadValue{"/bodies/1/inertia", "[[1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]",
                 "triangle inequality"},
        BadValue{"/bodies/1/inertia", "[[0.1, 0.05, 0], [0, 0.1, 0], [0, 0, 0.1]]",
                 "not symmetric"},
        BadValue{"/bodies/1/inertia", "[[0.1, 0, 0], [0, 0.1, 0]]", "/bodies/1/inertia"},
        BadValue{"/bodies/1/inertia/2", "[0, 0]", "/bodies/1/inertia/2"},
        BadValue{"/bodies/1/parent", "1", "/bodies/1/parent: 1 is outside"},
        BadValue{"/bodies/1/name", "\"a\"", "duplicate link 'a'"},
        BadValue{"/bodies/1/joint/name", "\"ja\"", "duplicate joint 'ja'"},
        BadValue{"/bodies/1/joint/type", "\"helical\"", "'helical' is unknown"},
        BadValue{"/bodies/1/joint/type", "\"floating\"",
                 "a floating joint must hang from the world"},
        BadValue{"/bodies/1/joint/axis", "[0, 0, 0]", "/bodies/1/joint/axis: is of length 0"},
        BadValue{"/bodies/1/joint/axis2", "[1, 1, 0]", "expected perpendicular axes"},
        BadValue{"/bodies/1/joint/R", "[[1, 0, 0], [0, 1, 0], [0, 0, -1]]", "is not a rotation"},
        BadValue{"/bodies/1/joint/colour", "1", "unknown key 'colour'"},
        BadValue{"/bodies/1/colour", "1", "unknown key 'colour'"},
        BadValue{"/colour", "1", "unknown key 'colour'"},
        BadValue{"/bodies", "[]", "a model without bodies"}));

INSTANTIATE_TEST_SUITE_P(
    Loops, ModelJsonRefuses,
    ::testing::Values(
        BadValue{"/loops/0/body_a", "\"c\"",
                 "/loops/0/body_a: no frame or body of the model is named"},
        BadValue{"/loops/0/body_a", "7", "/loops/0/body_a: 7 is outside"},
        BadValue{"/loops/0/body_a", "-1", "/loops/0: loop 'loop0': body_a is the world"},
        BadValue{"/loops/0/body_b", "\"b\"", "its bodies cannot move against each other"},
        BadValue{"/loops/0/type", "\"floating\"", "a floating joint cannot close a loop"},
        BadValue{"/loops/0/type", "\"weld\"", "'weld' is unknown"},
        BadValue{"/loops/0/type", "\"revolute\"", "/loops/0/axis_a: is missing"},
        BadValue{"/loops/0/axis_a", "[0, 0, 1]", "unknown key 'axis_a'"},
        BadValue{"/loops/0/point_a", "[0, 0]", "/loops/0/point_a"}));

}  // namespace
}  // namespace kagami::models
