// Scenario files: what is read, and the error for each wrong key.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"
#include "models/base/test/support/long_run.hpp"
#include "models/contact/world/world.hpp"
#include "tools/scenario/scenario.hpp"
#include "tools/scenario/scenario_robot.hpp"
#include "tools/scenario/test/shipped_folders.hpp"
#include "tools/test/temp_folder.hpp"
#include "tools/trace/trace.hpp"

namespace kagami::tools {
namespace {

using nlohmann::json;
using test::kData;

// one box on the floor and a robot of two links; every test changes a copy
json sample() {
  return json::parse(R"({
    "schema": "kagami.scenario/1", "duration": 1.0, "step": 0.002,
    "surface": {"mu_static": 0.7},
    "ground": {"height": 0.1},
    "obstacles": [{"name": "step", "box": [1, 1, 0.2], "at": [2, 0, 0.1], "surface": {"restitution": 0.5}}],
    "bodies": [{"name": "box", "box": [0.2, 0.1, 0.05], "mass": 2, "at": [0, 0, 1],
                "rpy": [0, 0, 1.5707963267948966], "velocity": [1, 0, 0], "turn_rate": [0, 2, 0]}],
    "robots": [{"name": "arm", "model": "planar_2r", "at": [0, 0, 3], "joints": {"joint2": 0.5},
                "joint_rates": {"joint1": -0.25},
                "hold": {"kp": 4, "kd": 0.1, "joints": {"joint2": {"kp": 1}}},
                "shapes": [{"body": "link2", "box": [0.1, 0.1, 1], "at": [0, 0, 0.5]}]}],
    "contact": {"method": "multipoint", "max_points": 40},
    "write": {"states": "s.csv", "every": 5}})");
}

class ScenarioFile : public ::testing::Test {
 protected:
  Scenario read(const json& scenario) {
    write_file_atomically(folder_.file("s.json"), scenario.dump());
    return read_scenario(folder_.file("s.json"), kData);
  }
  // message of the reader; empty when it accepts
  std::string refusal(const json& scenario) {
    try {
      static_cast<void>(read(scenario));
    } catch (const ConfigError& error) {
      return error.what();
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  }
  // the sample with `value` at `place` is refused by a message with the file's place and `expected`
  void expect_refused(const std::string& place, const json& value, const std::string& where,
                      const std::string& expected) {
    json s = sample();
    s[json::json_pointer(place)] = value;
    const std::string message = refusal(s);
    EXPECT_NE(message.find("s.json: " + where), std::string::npos) << place << ": " << message;
    EXPECT_NE(message.find(expected), std::string::npos) << place << ": " << message;
  }

  test::TempFolder folder_;
};

TEST_F(ScenarioFile, HasEverythingThatARunNeeds) {
  const Scenario s = read(sample());
  EXPECT_EQ(s.name, "s");
  EXPECT_EQ(s.step, 0.002);
  EXPECT_EQ(s.contact.method, models::MethodName::kMultipoint);
  EXPECT_EQ(s.capacity.points, 40);
  EXPECT_EQ(s.write.every, 5);
  ASSERT_EQ(s.scene.systems.size(), 2u);
  ASSERT_EQ(s.scene.statics.size(), 2u);
  EXPECT_EQ(s.scene.statics[0].offset, 0.1);
  EXPECT_EQ(s.scene.statics[1].surface.restitution, 0.5);
  EXPECT_EQ(s.scene.statics[1].surface.mu_kinetic, 0.7);  // the static one alone: both
  // world velocities become the body's own: a quarter turn about z
  const models::State& box = s.scene.systems[0].start;
  EXPECT_LT((box.v - (JointVector(6) << 2, 0, 0, 0, -1, 0).finished()).norm(), 1e-15);
  const models::SceneSystem& arm = s.scene.systems[1];
  EXPECT_EQ(arm.start.q[1], 0.5);
  EXPECT_EQ(arm.start.v[0], -0.25);
  EXPECT_EQ(arm.shapes[0].body, 1);
  EXPECT_EQ(s.holds[1].kp[0], 4.0);
  EXPECT_EQ(s.holds[1].kp[1], 1.0);
  EXPECT_EQ(s.holds[1].kd[1], 0.1);
}

TEST_F(ScenarioFile, AFixedRobotStandsWhereTheFilePutsIt) {
  const Scenario s = read(sample());
  const models::Model& model = s.scene.systems[1].model;
  EXPECT_EQ(model.body(0).X_PJ.p, Vec3(0, 0, 3));
  EXPECT_EQ(model.body(1).X_PJ.p, Vec3(0, 0, 1));
  EXPECT_NEAR(model.body(1).inertia.about_com()(0, 0), 1.0 / 12.0, 1e-15);  // kg m^2
}

TEST_F(ScenarioFile, RefusesWrongValuesByPlaceAndExpectation) {
  expect_refused("/schema", "kagami.scenario/2", "/schema", "kagami.scenario/1");
  expect_refused("/duration", -1, "/duration", "[0, 1e+05] s");
  expect_refused("/step", 0.5, "/step", "[1e-06, 0.1] s");
  expect_refused("/duration", 1e5 * 3, "/duration", "outside");
  expect_refused("/surface/mu_kinetic", 0.9, "/surface", "mu_kinetic");
  expect_refused("/surface/mu_static", -0.1, "/surface/mu_static", "outside");
  expect_refused("/obstacles/0/surface/restitution", 1.5, "/obstacles/0/surface", "[0, 1]");
  expect_refused("/ground/slope", 2, "/ground/slope", "[-1.5, 1.5] rad");
  expect_refused("/bodies/0/mass", 0, "/bodies/0/mass", "kg");
  expect_refused("/bodies/0/box", json::array({1, 0, 1}), "/bodies/0/box", "m");
  expect_refused("/bodies/0/box", json::array({1e-6, 1e3, 1e3}), "/bodies/0/box", "repeats");
  expect_refused("/robots/0/model", "./s.json", "/robots/0/model", "s.json");
  expect_refused("/bodies/0/wedge", json::array({1, 1, 1}), "/bodies/0/wedge", "one shape");
  expect_refused("/bodies/0/quaternion", json::array({1, 0, 0, 0}), "/bodies/0/quaternion", "rpy");
  expect_refused("/bodies/0/name", "", "/bodies/0/name", "1 to 100");
  expect_refused("/robots/0/model", "planar_2", "/robots/0/model", "planar_2r");
  expect_refused("/robots/0/model", "./nowhere", "/robots/0/model", "nowhere");
  expect_refused("/robots/0/base", "flying", "/robots/0/base", "floating, fixed");
  expect_refused("/robots/0/joints/knee", 1, "/robots/0/joints/knee", "is not a joint");
  expect_refused("/robots/0/joints/joint1", "x", "/robots/0/joints/joint1", "not a number");
  expect_refused("/robots/0/velocity", json::array({1, 0, 0}), "/robots/0/velocity", "fixed");
  expect_refused("/robots/0/hold/kp", -1, "/robots/0/hold/kp", "N m/rad");
  expect_refused("/robots/0/hold/joints/knee", json::object(), "/robots/0/hold/joints/knee",
                 "is not a joint");
  expect_refused("/robots/0/shapes/0/body", "tail", "/robots/0/shapes/0/body", "tail");
  expect_refused("/contact/method", "penalty", "/contact/method",
                 "relaxed, multipoint, volumetric");
  expect_refused("/contact/max_points", 0, "/contact/max_points", "[1, 1e+05]");
  expect_refused("/contact/volumetric", json{{"max_sweeps", 0}}, "/contact/volumetric/max_sweeps",
                 "[1, 10000]");
  expect_refused("/bodies/0/copies", json{{"count", 0}}, "/bodies/0/copies/count", "[1, 1000]");
  expect_refused("/write/every", 0, "/write/every", "steps");
}

TEST_F(ScenarioFile, RefusesUnknownKeysEverywhere) {
  for (const char* place :
       {"/wind", "/surface/mu", "/ground/colour", "/obstacles/0/mass", "/bodies/0/colour",
        "/robots/0/tail", "/robots/0/hold/ki", "/robots/0/hold/joints/joint2/ki",
        "/robots/0/shapes/0/mass", "/contact/erp", "/write/video"})
    expect_refused(place, 1, "", "unknown key");
}

TEST_F(ScenarioFile, ControllersAndMotionsAreRefusedByName) {
  for (const char* key : {"/controller", "/motion", "/clock"})
    expect_refused(key, json::object(), key, "belongs to a scenario with a 'motion'");
  expect_refused("/robots/0/controller", json::object(), "/robots/0/controller",
                 "belongs to a scenario with a 'motion'");
}

TEST_F(ScenarioFile, MeshesAreRefusedByFaceAndVertex) {
  json mesh = {{"vertices", {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
               {"faces", {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}}};
  json s = sample();
  s["bodies"][0].erase("box");
  s["bodies"][0]["mesh"] = mesh;
  EXPECT_EQ(refusal(s), "");
  const auto refused = [&](const char* key, const json& value, const std::string& expected) {
    json wrong =
        s;  // NOLINT(performance-unnecessary-copy-initialization): changed by the next line
    wrong["bodies"][0]["mesh"][key] = value;
    const std::string message = refusal(wrong);
    EXPECT_NE(message.find("s.json: /bodies/0/mesh"), std::string::npos) << message;
    EXPECT_NE(message.find(expected), std::string::npos) << message;
  };
  refused("faces", {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}}, "box");  // open; named after the body
  refused("faces", {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 4}}, "4 is not the number of a vertex");
  refused("faces", 3, "list of lists");
  refused("faces", {1, 2}, "not a list of vertex numbers");
  refused("vertices", 3, "list of points");
  refused("vertices", json(std::vector<json>(65, json::array({0, 0, 0}))), "at most 64");
  refused("colour", 3, "unknown");
}

TEST_F(ScenarioFile, TenThousandBodiesAreTooMany) {
  json s = sample();
  s["bodies"] = std::vector<json>(10000, sample()["bodies"][0]);
  EXPECT_NE(refusal(s).find("/bodies: 10000 entries, expected at most 1000"), std::string::npos);
  s = sample();
  s["bodies"] = std::vector<json>(1000, sample()["bodies"][0]);
  EXPECT_NE(refusal(s).find("1001 bodies and robots together"), std::string::npos);
}

TEST_F(ScenarioFile, CopiesAreTheSameOnEveryReading) {
  json s = sample();
  s["bodies"][0]["copies"] = {{"count", 20},
                              {"offset", {0, 0, 0.5}},
                              {"scatter", {0.1, 0, 0}},
                              {"turned", true},
                              {"seed", 7}};
  const Scenario a = read(s);
  const Scenario b = read(s);
  ASSERT_EQ(a.scene.systems.size(), 21u);
  double widest = 0.0;
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(a.scene.systems[i].name, "box_" + std::to_string(i + 1));
    const JointVector& q = a.scene.systems[i].start.q;
    EXPECT_EQ(q, b.scene.systems[i].start.q);
    EXPECT_EQ(q[2], 1.0 + 0.5 * static_cast<double>(i));
    EXPECT_EQ(q[1], 0.0);
    widest = std::max(widest, std::abs(q[0]));
    EXPECT_NEAR(q.segment<4>(3).norm(), 1.0, 1e-14);
  }
  EXPECT_GT(widest, 0.05);  // m, of 20 draws within 0.1
  EXPECT_LE(widest, 0.1);
  s["bodies"][0]["copies"]["seed"] = 8;
  EXPECT_NE(read(s).scene.systems[0].start.q, a.scene.systems[0].start.q);
  s["bodies"].push_back(s["bodies"][0]);
  s["bodies"][1]["copies"]["count"] = 990;
  EXPECT_NE(refusal(s).find("1010 with copies, expected at most 1000"), std::string::npos);
}

TEST_F(ScenarioFile, ARobotWithoutShapesTakesTheBoxesOfItsUrdf) {
  json s = {{"schema", "kagami.scenario/1"},
            {"duration", 1.0},
            {"ground", json::object()},
            {"robots", json::array({{{"name", "r"}, {"model", "khr1"}, {"base", "floating"}}})}};
  const Scenario a = read(s);
  s["robots"][0]["shapes"] = "collision";
  s["robots"][0]["surface"]["mu_static"] = 0.8;
  const Scenario b = read(s);
  ASSERT_EQ(a.scene.systems[0].shapes.size(), 18u);  // <collision> tags of its robot.urdf
  ASSERT_EQ(b.scene.systems[0].shapes.size(), 18u);
  EXPECT_EQ(b.scene.systems[0].shapes[3].surface.mu_static, 0.8);
  // the sole as khr1_standing spells it
  const Scenario standing = read_scenario(find_scenario(kData, "khr1_standing"), kData);
  const models::BodyShape& sole = standing.scene.systems[0].shapes[0];
  int soles = 0;
  for (const models::BodyShape& shape : a.scene.systems[0].shapes) {
    if (shape.mesh.name() != "left_foot") continue;
    ++soles;
    EXPECT_EQ(shape.body, sole.body);
    for (std::size_t i = 0; i < 8; ++i)
      EXPECT_LT((shape.mesh.vertices()[i] - sole.mesh.vertices()[i]).norm(), 1e-12);  // m
  }
  EXPECT_EQ(soles, 1);
  s["robots"][0]["shapes"] = "visual";
  EXPECT_NE(refusal(s).find("/robots/0/shapes"), std::string::npos);
  EXPECT_NE(refusal(s).find("collision"), std::string::npos);
}

TEST_F(ScenarioFile, CollisionShapesThatAreNoBoxesAreRefusedByLink) {
  json s = sample();
  s["robots"][0] = {{"name", "r"}, {"model", "./r.urdf"}};
  const auto urdf = [&](const std::string& geometry) {
    const std::string solid =
        "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
        "</inertial><collision><geometry>";
    write_file_atomically(
        folder_.file("r.urdf"),
        "<robot name='r'><link name='root'>" + solid + "<box size='1 1 1'/>" +
            "</geometry></collision></link><link name='tip'>" + solid + geometry +
            "</geometry></collision></link><joint name='j' type='revolute'>"
            "<parent link='root'/><child link='tip'/><axis xyz='0 0 1'/>"
            "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>");
  };
  urdf("<box size='1 2 3'/>");
  const Scenario fixed = read(s);
  ASSERT_EQ(fixed.scene.systems[1].shapes.size(), 1u);  // the root is held
  bool reported = false;
  for (const std::string& notice : fixed.notices)
    reported |= notice.find("link root does not move") != std::string::npos;
  EXPECT_TRUE(reported);
  s["robots"][0]["base"] = "floating";
  EXPECT_EQ(read(s).scene.systems[1].shapes.size(), 2u);
  for (const char* geometry :
       {"<sphere radius='1'/>", "<cylinder radius='1' length='1'/>", "<mesh filename='x.stl'/>"}) {
    urdf(geometry);
    EXPECT_NE(refusal(s).find("s.json: /robots/0/shapes"), std::string::npos) << geometry;
    EXPECT_NE(refusal(s).find("link tip"), std::string::npos) << refusal(s);
  }
  for (const char* geometry : {"<box size='0 1 1'/>", "<box size='1 -1 1'/>",
                               "<box size='nan 1 1'/>", "<box size='1 1'/>", "<box/>", "<ball/>"}) {
    urdf(geometry);
    const std::string problem = refusal(s);  // some by the URDF's reader, with its own message
    EXPECT_NE(problem.find("tip"), std::string::npos) << geometry << problem;
    EXPECT_TRUE(problem.find("s.json: /robots/0/shapes") != std::string::npos ||
                problem.find("r.urdf: ") != std::string::npos)
        << problem;
  }
  s["robots"][0] = {{"name", "arm"}, {"model", "planar_2r"}};  // a model JSON has no shapes
  EXPECT_NE(refusal(s).find("/robots/0/shapes: the model has no collision boxes"),
            std::string::npos);
  s["robots"][0]["shapes"] = json::array();
  EXPECT_EQ(refusal(s), "");
}

TEST_F(ScenarioFile, HostileFilesAreRefusedBeforeTheyAreBelieved) {
  const std::string good = sample().dump();
  const std::pair<std::string, const char*> cases[] = {
      {"", "s.json"},
      {good.substr(0, good.size() / 2), "s.json"},
      {std::string(100, '\0'), "s.json"},
      {"[]", "object"},
      {std::string(100000, '['), "nest"},
      {R"({"schema": "kagami.scenario/1", "duration": NaN})", "s.json"},
      {R"({"schema": "kagami.scenario/1", "duration": 1e999})", "s.json"},
      {R"({"schema": "kagami.scenario/1", "duration": 1, "duration": 2})", "duration"}};
  for (const auto& [text, expected] : cases) {
    write_file_atomically(folder_.file("s.json"), text);
    try {
      static_cast<void>(read_scenario(folder_.file("s.json"), kData));
      ADD_FAILURE() << "accepted: " << text.substr(0, 60);
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(static_cast<void>(read_scenario(folder_.path(), kData)), ConfigError);
}

// every value of the file in turn becomes something else; what is still accepted must step
TEST_F(ScenarioFile, MutatedValuesAreRefusedOrRunButNeverCrash) {
  const json flat = sample().flatten();
  const std::vector<json> hostile = {nullptr,
                                     true,
                                     -1,
                                     0,
                                     1e308,
                                     -1e-308,
                                     9223372036854775807,
                                     "",
                                     "../khr1\n",
                                     json::array(),
                                     json::object(),
                                     json::array({1, 2, 3}),
                                     std::string(5000, 'x')};
  std::mt19937 random(5);
  const int rounds = static_cast<int>(test::rounds(400));
  int accepted = 0;
  for (int k = 0; k < rounds; ++k) {
    json s = sample();
    std::string place;
    for (int changes = 1 + static_cast<int>(random() % 2); changes > 0; --changes) {
      place = std::next(flat.begin(), static_cast<std::ptrdiff_t>(random() % flat.size())).key();
      json::json_pointer at(place);
      if (random() % 3 == 0) at = at.parent_pointer();
      try {
        s[at] = hostile[random() % hostile.size()];
      } catch (const json::exception&) {
        continue;  // the first change took the second's place away
      }
    }
    SCOPED_TRACE(place);
    try {
      const Scenario read_back = read(s);
      models::World world(read_back.scene, read_back.contact, read_back.capacity);
      static_cast<void>(world.step(read_back.step));
      ++accepted;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()), "");
    }
  }
  EXPECT_GT(accepted, 20);
  EXPECT_LT(accepted, rounds / 2);
}

TEST_F(ScenarioFile, AnEmptyWorldIsRefused) {
  json s = sample();
  s.erase("bodies");
  s.erase("robots");
  EXPECT_NE(refusal(s).find("expected at least one body or robot"), std::string::npos);
}

TEST(ShippedScenarios, AreReadAndAcceptedByTheWorld) {
  const std::vector<std::string> names = shipped_scenarios(kData);
  EXPECT_GE(names.size(), 8u);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const Scenario s = read_scenario(find_scenario(kData, name), kData);
    EXPECT_FALSE(s.note.empty());
    models::World world(s.scene, s.contact, s.capacity);
    EXPECT_EQ(world.step(s.step), models::WorldStatus::kOk);
  }
}

TEST(ShippedScenarios, TheTowerConvergesAtEveryStep) {
  const Scenario s = read_scenario(find_scenario(kData, "tower"), kData);
  models::World world(s.scene, s.contact, s.capacity);
  for (int k = 0; k < 2000; ++k) ASSERT_EQ(world.step(s.step), models::WorldStatus::kOk) << k;
}

}  // namespace
}  // namespace kagami::tools
