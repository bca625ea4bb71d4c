// The shipped robots against their sources: masses, lengths, limits, symmetry; the models of the
// worked examples against those examples' own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "models/base/angle.hpp"
#include "models/closed_chains/loop_kinematics.hpp"
#include "models/dynamics/crba.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/hybrid/model_hash.hpp"
#include "models/robot/read_model.hpp"
#include "models/robot/state.hpp"
#include "models/test/support/model_json.hpp"
#include "models/test/support/random_tree.hpp"

namespace kagami::models {
namespace {

namespace fs = std::filesystem;

const fs::path kDataFolder = fs::path(KAGAMI_SOURCE_DIR) / "models/data";

Model robot(const std::string& name, std::optional<BaseKind> base = std::nullopt) {
  return read_model(kDataFolder / name, base).model;
}

Kinematics placed(const Model& model, const JointVector& q) {
  Kinematics k(model);
  forward_kinematics(model, q, JointVector::Zero(model.num_v()), k);
  return k;
}

Kinematics at_zero(const Model& model) {
  return placed(model, neutral_state(model).q);
}

const Body& body(const Model& model, const std::string& name) {
  return model.body(model.find_body(name));
}

// the body that a joint moves
const Body& behind(const Model& model, const std::string& joint) {
  return model.body(model.find_joint(joint));
}

// mass centre of some bodies together, and their mass
struct Lump {
  double mass = 0.0;
  Vec3 com = Vec3::Zero();
};

Lump lump(const Model& model, const Kinematics& k, const std::vector<std::string>& names) {
  Lump sum;
  for (const std::string& name : names) {
    const Body& b = body(model, name);
    sum.mass += b.inertia.mass;
    sum.com += b.inertia.mass *
               (k.X_WB[static_cast<std::size_t>(model.find_body(name))] * b.inertia.com());
  }
  sum.com /= sum.mass;
  return sum;
}

TEST(ShippedRobots, EveryFolderReadsWithoutRemarkAndTheReadmeNamesIt) {
  std::ifstream file(kDataFolder / "README.md");
  std::ostringstream readme;
  readme << file.rdbuf();
  int count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(kDataFolder)) {
    if (!entry.is_directory()) continue;
    const std::string name = entry.path().filename().string();
    if (name == "scenes") continue;  // scenarios, which lie beside the robots they use
    SCOPED_TRACE(name);
    ++count;
    const ModelDescription robot = read_model(entry.path());
    EXPECT_EQ(robot.notices, std::vector<std::string>{});
    EXPECT_GT(robot.model.num_v() + robot.model.num_bodies(), 1);
    // the chains' names differ in the number of links alone
    std::string family = name;
    for (const char* chain : {"chain3d_", "planar_"}) {
      const std::size_t digits = std::string(chain).size();
      if (name.rfind(chain, 0) == 0 && std::isdigit(name[digits]) != 0)
        family = std::string(chain) + "1";
    }
    EXPECT_NE(readme.str().find("`" + family), std::string::npos);
  }
  EXPECT_GT(count, 30);
}

TEST(ShippedRobots, HaveTheJointsAndTheMassOfTheirSources) {
  struct Case {
    const char* name;
    int joints;
    double mass;
  };
  // kg; to the digits of the sources
  for (const Case& c :
       {Case{"khr1", 17, 1.202}, Case{"hoap2", 25, 7.16217}, Case{"hoap1", 20, 5.8854},
        Case{"pa10", 7, 31.17}, Case{"hoap2_10dof", 10, 7.0}}) {
    SCOPED_TRACE(c.name);
    const ModelDescription r = read_model(kDataFolder / c.name);
    EXPECT_EQ(r.joint_names.size(), static_cast<std::size_t>(c.joints));
    EXPECT_NEAR(r.model.total_mass(), c.mass, 1e-5);
  }
}

// the part of a name behind "left_"; "" for any other
std::string of_left(const std::string& name) {
  return name.rfind("left_", 0) == 0 ? name.substr(5) : "";
}

// q with left and right exchanged: turns about x and z change their sign
JointVector mirrored(const Model& model, const JointVector& q) {
  JointVector m = q;
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    if (b.nv != 1) continue;
    std::string twin = b.joint_name;
    if (twin.rfind("left_", 0) == 0) {
      twin.replace(0, 4, "right");
    } else if (twin.rfind("right_", 0) == 0) {
      twin.replace(0, 5, "left");
    }
    const double sign = b.joint.axis.y() > 0.5 ? 1.0 : -1.0;
    m[b.q_index] = sign * q[behind(model, twin).q_index];
  }
  return m;
}

constexpr const char* kHumanoids[] = {"khr1", "hoap2", "hoap1"};
const Vec3 kMirror(1.0, -1.0, 1.0);

TEST(ShippedRobots, RightSideIsTheLeftOneMirrored) {
  for (const char* name : kHumanoids) {
    SCOPED_TRACE(name);
    const Model model = robot(name);
    int pairs = 0;
    for (int i = 0; i < model.num_bodies(); ++i) {
      const Body& left = model.body(i);
      const std::string joint = of_left(left.joint_name);
      if (joint.empty()) continue;
      ++pairs;
      SCOPED_TRACE(joint);
      const Body& right = behind(model, "right_" + joint);
      EXPECT_EQ(left.joint.axis, right.joint.axis);
      EXPECT_EQ(left.inertia.mass, right.inertia.mass);
      const Mat3 S = kMirror.asDiagonal();
      EXPECT_LT((S * left.inertia.com() - right.inertia.com()).norm(), 1e-15);
      EXPECT_LT((S * left.inertia.about_com() * S - right.inertia.about_com()).norm(), 1e-17);
      EXPECT_EQ(S * left.X_PJ.p, right.X_PJ.p);
      const DofLimits& l = model.limits(left.v_index);
      const DofLimits& r = model.limits(right.v_index);
      const bool keeps = left.joint.axis.y() > 0.5;  // pitch
      EXPECT_EQ(l.q_min, keeps ? r.q_min : -r.q_max);
      EXPECT_EQ(l.q_max, keeps ? r.q_max : -r.q_min);
      EXPECT_LT(l.q_min, l.q_max);
    }
    EXPECT_GE(pairs, 8);
  }
}

TEST(ShippedRobots, MirroredPostureMirrorsTheMassCentre) {
  for (const char* name : kHumanoids) {
    SCOPED_TRACE(name);
    const Model model = robot(name);
    // the trunks' own values are not symmetric: their part stays where it is
    double uneven = 0.0;
    for (int i = 0; i < model.num_bodies(); ++i) {
      const std::string& b = model.body(i).name;
      if (b == "torso" || b == "pelvis" || b == "trunk") uneven += model.body(i).inertia.h.y();
    }
    const Vec3 shift(0.0, 2.0 * uneven / model.total_mass(), 0.0);
    test::Random random(3);
    for (int n = 0; n < 20; ++n) {
      JointVector q = neutral_state(model).q;
      for (int k = 0; k < model.num_v(); ++k) {
        const DofLimits& l = model.limits(k);
        q[k] = random.between(l.q_min, l.q_max);
      }
      const Vec3 com = center_of_mass(model, placed(model, q));
      const Vec3 other = center_of_mass(model, placed(model, mirrored(model, q)));
      EXPECT_LT((kMirror.asDiagonal() * com + shift - other).norm(), 1e-14);  // m
    }
  }
}

TEST(Hoap2, StandsUprightOnLevelSolesWithHangingArms) {
  const Model model = robot("hoap2");
  const Kinematics k = at_zero(model);
  for (const double side : {1.0, -1.0}) {
    const Vec3 sole = frame_pose(k, model.frame(side > 0 ? "l_sole" : "r_sole")).p;
    EXPECT_NEAR(-sole.z(), 0.29, 0.0025);  // published to a centimetre
    EXPECT_NEAR(sole.y(), side * 0.039, 1e-15);
    const auto hand =
        static_cast<std::size_t>(model.find_body(side > 0 ? "left_hand" : "right_hand"));
    EXPECT_LT((k.X_WB[hand].p - Vec3(-0.034, side * 0.0995, 0.09 - 0.201)).norm(), 1e-15);
  }
  const Vec3 head = k.X_WB[static_cast<std::size_t>(model.find_body("head"))].p;
  EXPECT_NEAR(head.z() + 0.035 + 0.288, 0.5, 0.01);  // the published height
  // above the soles
  const Vec3 com = center_of_mass(model, k);
  EXPECT_LT(std::abs(com.x() + 0.034 - 0.0038), 0.047);
  EXPECT_LT(std::abs(com.y()), 0.001);
}

TEST(Hoap2, ArmsThatPointForwardAreThoseOfTheSource) {
  const Model model = robot("hoap2");
  JointVector q = neutral_state(model).q;
  for (const char* joint : {"left_shoulder_pitch", "right_shoulder_pitch"})
    q[behind(model, joint).q_index] = -std::numbers::pi / 2;
  const Kinematics k = placed(model, q);
  struct Link {
    const char* name;
    double along;  // m from the shoulder
    Vec3 com;      // left, m
    Vec3 inertia;  // kg m^2
  };
  for (const Link& link :
       {Link{"left_shoulder_bracket", 0.0, {0.0099, 0, -0.0023}, {2.58e-4, 2.78e-4, 8.6e-5}},
        Link{"left_upper_arm", 0.0, {0.0686, 0.0030, 0.0001}, {5.7e-5, 1.07e-4, 1.18e-4}},
        Link{"left_forearm", 0.101, {0.0462, 0.0051, -0.0053}, {4.3e-5, 1.05e-4, 1.19e-4}}}) {
    SCOPED_TRACE(link.name);
    const Pose& X_WB = k.X_WB[static_cast<std::size_t>(model.find_body(link.name))];
    const SpatialInertia& M = body(model, link.name).inertia;
    const Vec3 joint(-0.034 + link.along, 0.0995, 0.09);
    EXPECT_LT((X_WB * M.com() - joint - link.com).norm(), 1e-12);
    const Mat3 I = X_WB.R * M.about_com() * X_WB.R.transpose();
    EXPECT_LT((I - Mat3(link.inertia.asDiagonal())).norm(), 1e-12);
  }
  // limits of the source at the arm that points forward: -1.588 .. 2.635
  const DofLimits& pitch = model.limits(behind(model, "left_shoulder_pitch").v_index);
  EXPECT_NEAR(pitch.q_min + std::numbers::pi / 2, -1.588, 1e-9);
  EXPECT_NEAR(pitch.q_max + std::numbers::pi / 2, 2.635, 1e-9);
  EXPECT_EQ(pitch.effort, 9.0);
  EXPECT_EQ(pitch.speed, 5.0);
}

TEST(Hoap1, LumpsOfTheSourceKeepTheirMassAndMassCentre) {
  const Model model = robot("hoap1");
  const Kinematics k = at_zero(model);
  struct Case {
    std::vector<std::string> parts;
    double mass;
    Vec3 from;  // the joint, m
    Vec3 com;   // from there, mm
  };
  const double kHip = 0.039;
  for (const Case& c :
       {Case{{"left_shoulder", "left_shoulder_bracket", "left_upper_arm"},
             0.314,
             {0.002, 0.09, 0.15},
             {16.2, -27, -6.7}},
        Case{
            {"left_hip_bracket", "left_hip", "left_thigh"}, 0.717, {0, kHip, 0}, {4.3, 0.8, -48.1}},
        Case{{"left_shin"}, 0.286, {0, kHip, -0.097}, {10.6, -0.4, -42.6}},
        Case{{"left_ankle", "left_foot"}, 0.321, {0, kHip, -0.197}, {3.1, 0.3, -8.4}}}) {
    SCOPED_TRACE(c.parts.front());
    const Lump got = lump(model, k, c.parts);
    EXPECT_NEAR(got.mass, c.mass, 1e-9);
    EXPECT_LT((got.com - c.from - 1e-3 * c.com).norm(), 1e-6);  // files carry 1e-7 m
  }
  const std::size_t foot = static_cast<std::size_t>(model.find_body("left_foot"));
  EXPECT_NEAR(k.X_WB[foot].p.z(), -0.237 + 0.040, 1e-15);  // ankle to sole
}

TEST(WorkedModels, AreThoseOfTheWorkedExamples) {
  struct Case {
    const char* robot;
    const char* fixture;
  };
  for (const Case& c :
       {Case{"planar_3r", "o01_seed.json"}, Case{"planar_branch_4", "o02_four_link.json"},
        Case{"planar_branch_5", "o02_five_link.json"}, Case{"free_body", "o05_asymmetric.json"},
        Case{"free_rod", "o05_rod.json"}, Case{"free_rod_isotropic", "o05_rod_isotropic.json"},
        Case{"planar_7r", "o06_seed.json"}, Case{"floating_6link", "o07_seed.json"},
        Case{"pa10", "o08_seed.json"}, Case{"hoap2_10dof", "o12_reaction_null_space.json"}}) {
    SCOPED_TRACE(c.robot);
    const Model want = test::model_from_json(test::read_fixture(c.fixture).at("model"));
    EXPECT_EQ(hybrid::model_hash(robot(c.robot)), hybrid::model_hash(want));
  }
}

TEST(Hoap2TenDof, HasTheCouplingInertiaOfO12) {
  const Model model = robot("hoap2_10dof");
  const nlohmann::json oracle = test::read_fixture("o12_reaction_null_space.json");
  EXPECT_EQ(read_model(kDataFolder / "hoap2_10dof").joint_names,
            oracle.at("joint_order").get<std::vector<std::string>>());
  CrbaWorkspace w(model);
  RneaWorkspace r(model);
  for (const nlohmann::json& c : oracle.at("cases")) {
    State s = neutral_state(model);
    s.q.tail(10) = test::vector_from_json(c.at("theta"));
    s.v.tail(10) = test::vector_from_json(c.at("thetad"));
    JointMatrix H;
    crba(model, s.q, w, H);
    for (std::size_t row = 0; row < 6; ++row) {
      const JointVector want = test::vector_from_json(c.at("M_fl").at(row));
      EXPECT_LT((H.row(static_cast<Eigen::Index>(row)).tail(10).transpose() - want).norm(), 1e-12);
    }
    // the foot's reaction with the accelerations that leave it the static one
    JointVector vdot = JointVector::Zero(16);
    vdot.tail(10) = test::vector_from_json(c.at("thetadd"));
    JointVector tau;
    rnea(model, s.q, s.v, vdot, r, tau);
    EXPECT_LT((tau.head(6) - test::vector_from_json(c.at("foot_reaction"))).norm(),
              1e-9);  // N, N m
  }
}

TEST(ClosedChains, CloseWhereTheirNotesSay) {
  struct Case {
    const char* name;
    Vec3 deg;
  };
  for (const Case& c : {Case{"four_bar", {60, 30, 150}}, Case{"four_bar", {135, -45, 225}},
                        Case{"four_bar_general", {120, -106.722432617206, 138.759697941466}},
                        Case{"slider_crank", {30, 85.658906273255, 64.341093726745}}}) {
    SCOPED_TRACE(c.name);
    const Model model = robot(c.name);
    ASSERT_EQ(model.loops().size(), 1u);
    LoopKinematics w(model);
    JointVector q = c.deg * (std::numbers::pi / 180.0);
    place_loops(model, q, w);
    EXPECT_LT(w.e.cwiseAbs().maxCoeff(), 1e-13);  // m, rad; the notes carry 1e-12 deg
    q[0] += 0.1;
    place_loops(model, q, w);
    EXPECT_GT(w.e.cwiseAbs().maxCoeff(), 1e-3);
  }
}

}  // namespace
}  // namespace kagami::models
