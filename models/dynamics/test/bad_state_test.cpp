// States and forces that are none, through every algorithm: a status where there is one, NaN from
// the functions that return numbers alone, and never a number that looks like an answer.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "models/base/errors.hpp"
#include "models/dynamics/aba.hpp"
#include "models/dynamics/centroidal.hpp"
#include "models/dynamics/crba.hpp"
#include "models/dynamics/jacobians.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/forward/forward_dynamics.hpp"
#include "models/robot/builder.hpp"
#include "models/robot/robot_folder.hpp"
#include "models/test/support/infinity.hpp"
#include "models/test/support/random_tree.hpp"

namespace kagami::models {
namespace {

using test::kInf;
using test::Random;

// a robot with a state and forces that are well
struct SoundCase {
  SoundCase(std::string called, Model m, std::uint64_t seed)
      : name(std::move(called)), model(std::move(m)) {
    Random random(seed);
    state = test::random_state(random, model);
    tau = random.vector(model.num_v());
    diagonal = model.rotor_inertia() + JointVector::Constant(model.num_v(), 0.1);
    F_ext.assign(static_cast<std::size_t>(model.num_bodies()), Force::zero());
  }
  [[nodiscard]] ExternalLoads extras() const {
    return {.F_ext = F_ext, .added_inertia = &diagonal};
  }

  std::string name;
  Model model;
  State state;
  JointVector tau;
  JointVector diagonal;
  std::vector<Force> F_ext;
};

// joints of the kernels, joints of the reference, and a robot whose code is generated
std::vector<SoundCase> cases() {
  Random random(31);
  std::vector<SoundCase> all;
  all.emplace_back("kernels", test::random_tree(random, 9, BaseKind::kFloating), 1);
  all.emplace_back("reference", test::random_mixed_tree(random, 12, BaseKind::kFloating), 2);
  const std::string khr1 = std::string(KAGAMI_SOURCE_DIR) + "/models/data/khr1";
  all.emplace_back("khr1", read_robot_folder(khr1, BaseKind::kFloating).model, 3);
  return all;
}

struct Fault {
  const char* name;
  DynamicsStatus status;
  void (*plant)(SoundCase&);
};

void shorten(JointVector& x) {
  x.conservativeResize(x.size() - 1);
}
void lengthen(JointVector& x) {
  x.conservativeResize(x.size() + 1);
  x[x.size() - 1] = 0.0;
}

constexpr DynamicsStatus kBad = DynamicsStatus::kBadInput;
constexpr DynamicsStatus kNot = DynamicsStatus::kNotFinite;
constexpr std::array<Fault, 22> kFaults = {
    {{"q short", kBad, [](SoundCase& c) { shorten(c.state.q); }},
     {"q long", kBad, [](SoundCase& c) { lengthen(c.state.q); }},
     {"q empty", kBad, [](SoundCase& c) { c.state.q.resize(0); }},
     {"v short", kBad, [](SoundCase& c) { shorten(c.state.v); }},
     {"v long", kBad, [](SoundCase& c) { lengthen(c.state.v); }},
     {"tau short", kBad, [](SoundCase& c) { shorten(c.tau); }},
     {"tau long", kBad, [](SoundCase& c) { lengthen(c.tau); }},
     {"diagonal short", kBad, [](SoundCase& c) { shorten(c.diagonal); }},
     {"forces short", kBad, [](SoundCase& c) { c.F_ext.pop_back(); }},
     {"forces long", kBad, [](SoundCase& c) { c.F_ext.push_back(Force::zero()); }},
     {"quaternion of no length", kBad, [](SoundCase& c) { c.state.q.segment<4>(3).setZero(); }},
     {"quaternion of nearly none", kBad, [](SoundCase& c) { c.state.q.segment<4>(3) *= 1e-7; }},
     {"diagonal below 0", kBad, [](SoundCase& c) { c.diagonal[2] = -1e-3; }},
     {"q NaN", kNot, [](SoundCase& c) { c.state.q[0] = kNaN; }},
     {"quaternion NaN", kNot, [](SoundCase& c) { c.state.q[3] = kNaN; }},
     {"last q infinite", kNot, [](SoundCase& c) { c.state.q[c.state.q.size() - 1] = kInf; }},
     {"v NaN", kNot, [](SoundCase& c) { c.state.v[c.state.v.size() - 1] = kNaN; }},
     {"v infinite", kNot, [](SoundCase& c) { c.state.v[0] = -kInf; }},
     {"tau NaN", kNot, [](SoundCase& c) { c.tau[0] = kNaN; }},
     {"tau whose square overflows", kNot, [](SoundCase& c) { c.tau[1] = 1e200; }},
     {"force NaN", kNot, [](SoundCase& c) { c.F_ext[1].c[5] = kNaN; }},
     {"diagonal NaN", kNot, [](SoundCase& c) { c.diagonal[0] = kNaN; }}}};

TEST(BadState, EveryAlgorithmByNameReportsTheProblemAndWritesNothing) {
  for (const SoundCase& good : cases()) {
    const JointVector before = JointVector::Constant(good.model.num_v(), 42.0);
    for (const Algorithm a : kAlgorithms) {
      ForwardDynamics dynamics(good.model, a);
      JointVector vdot;
      ASSERT_EQ(dynamics.run(good.state.q, good.state.v, good.tau, good.extras(), vdot),
                DynamicsStatus::kOk);
      for (const Fault& fault : kFaults) {
        SCOPED_TRACE(good.name + " " + name(a) + ": " + fault.name);
        SoundCase bad = good;
        fault.plant(bad);
        vdot = before;
        EXPECT_EQ(dynamics.run(bad.state.q, bad.state.v, bad.tau, bad.extras(), vdot),
                  fault.status);
        EXPECT_TRUE(vdot == before);
        // without extras hybrid runs its generated code
        const bool in_extras = std::string(fault.name).find("diagonal") == 0 ||
                               std::string(fault.name).find("force") == 0;
        if (in_extras) continue;
        EXPECT_EQ(dynamics.run(bad.state.q, bad.state.v, bad.tau, vdot), fault.status);
        EXPECT_TRUE(vdot == before);
      }
    }
  }
}

TEST(BadState, AnInertiaTooSmallForItsTorqueIsSingular) {
  ModelBuilder builder;
  builder.add_body("mote", kWorld, "pin", {JointType::kRevolute, Vec3::UnitY()}, {},
                   {1e-310, Vec3::Zero(), 1e-310 * Mat3::Identity()});
  const Model model = builder.build();
  const JointVector zero = JointVector::Zero(1);
  const JointVector tau = JointVector::Ones(1);
  for (const Algorithm a : kAlgorithms) {
    SCOPED_TRACE(name(a));
    ForwardDynamics dynamics(model, a);
    JointVector vdot = JointVector::Constant(1, 42.0);
    const DynamicsStatus status = dynamics.run(zero, zero, tau, vdot);
    EXPECT_TRUE(status == DynamicsStatus::kSingular || status == DynamicsStatus::kNotFinite)
        << name(status);
    EXPECT_EQ(vdot[0], 42.0);
  }
}

TEST(BadState, StatusesHaveTheirNames) {
  EXPECT_STREQ(name(DynamicsStatus::kBadInput), "bad input");
  EXPECT_STREQ(name(DynamicsStatus::kNotFinite), "not finite");
  EXPECT_STREQ(name(DynamicsStatus::kSingular), "singular");
}

TEST(BadState, QuaternionsOfAnyOtherLengthAreTakenAtUnitLength) {
  for (const SoundCase& c : cases()) {
    for (const Algorithm a : kAlgorithms) {
      SCOPED_TRACE(c.name + " " + name(a));
      ForwardDynamics dynamics(c.model, a);
      JointVector want;
      ASSERT_EQ(dynamics.run(c.state.q, c.state.v, c.tau, want), DynamicsStatus::kOk);
      for (const double length : {1e-3, 0.5, 1.0 + 1e-9, 2.0, 1e6}) {
        JointVector q = c.state.q;
        for (const int at : c.model.quaternions()) q.segment<4>(at) *= length;
        JointVector got;
        ASSERT_EQ(dynamics.run(q, c.state.v, c.tau, got), DynamicsStatus::kOk);
        // roundings of the length, times the condition of the robot's mass matrix
        EXPECT_LT((got - want).norm(), 1e-9 * want.norm()) << length;
      }
    }
  }
}

// what the functions without status give
struct Numbers {
  explicit Numbers(const Model& model)
      : aba_(model), rnea_(model), crba_(model), k(model), jacobian(model), centroidal(model) {}

  // names of those whose answer is finite throughout
  std::string finite_ones(const SoundCase& c) {
    const Model& m = c.model;
    const JointVector& q = c.state.q;
    const JointVector& v = c.state.v;
    std::string list;
    const auto note = [&](const char* who, bool finite) {
      if (finite) list += std::string(list.empty() ? "" : " ") + who;
    };
    JointVector x;
    aba(m, q, v, c.tau, c.extras(), aba_, x);
    note("aba", x.allFinite());
    aba_reference(m, q, v, c.tau, c.extras(), aba_, x);
    note("aba_reference", x.allFinite());
    rnea(m, q, v, c.tau, c.extras(), rnea_, x);
    note("rnea", x.allFinite());
    rnea_reference(m, q, v, c.tau, c.extras(), rnea_, x);
    note("rnea_reference", x.allFinite());
    JointMatrix H;
    crba(m, q, crba_, H);
    note("crba", H.allFinite());
    crba_reference(m, q, crba_, H);
    note("crba_reference", H.allFinite());
    forward_kinematics(m, q, v, k);
    note("poses", X_is_finite());
    note("momentum", momentum(m, k).c.allFinite());
    Jacobian J;
    joint_jacobians(m, q, jacobian, J);
    note("jacobians", J.allFinite());
    joint_jacobian_rates(m, q, v, jacobian, J);
    note("jacobian_rates", J.allFinite());
    PointJacobian P;
    const Vec3 com = com_jacobian(m, q, jacobian, P);
    note("com", com.allFinite());
    note("com_jacobian", P.allFinite());
    com_jacobian_rate(m, q, v, jacobian, P);
    note("com_jacobian_rate", P.allFinite());
    centroidal_matrix(m, q, centroidal, J);
    note("centroidal", J.allFinite());
    centroidal_matrix_rate(m, q, v, centroidal, J);
    note("centroidal_rate", J.allFinite());
    note("centroidal_bias", centroidal_bias(m, q, v, centroidal).c.allFinite());
    return list;
  }
  [[nodiscard]] bool X_is_finite() const {
    for (const Pose& X : k.X_WB)
      if (!X.p.allFinite() || !X.R.allFinite()) return false;
    return true;
  }

  AbaWorkspace aba_;
  RneaWorkspace rnea_;
  CrbaWorkspace crba_;
  Kinematics k;
  JacobianWorkspace jacobian;
  CentroidalWorkspace centroidal;
};

constexpr const char* kAll =
    "aba aba_reference rnea rnea_reference crba crba_reference poses momentum jacobians "
    "jacobian_rates com com_jacobian com_jacobian_rate centroidal centroidal_rate centroidal_bias";

constexpr const char* kByPoseAlone =
    "crba crba_reference poses jacobians com com_jacobian centroidal";
// a free body's place and orientation do not change its mass matrix
constexpr const char* kByJointsAlone = "crba crba_reference";

TEST(BadState, FunctionsWithoutStatusAnswerOtherSizesWithNaN) {
  for (const SoundCase& good : cases()) {
    Numbers numbers(good.model);
    for (const Fault& fault : kFaults) {
      const std::string what = fault.name;
      if (what.find(" short") == std::string::npos && what.find(" long") == std::string::npos)
        continue;
      SCOPED_TRACE(good.name + ": " + what);
      SoundCase bad = good;
      fault.plant(bad);
      // those that do not use the wrong value
      std::string allowed = std::string(kAll).substr(std::string(kAll).find("crba"));
      if (what[0] == 'v') allowed = "crba crba_reference jacobians com com_jacobian centroidal";
      if (what[0] == 'q') allowed = "";
      EXPECT_EQ(numbers.finite_ones(bad), allowed);
    }
    EXPECT_EQ(numbers.finite_ones(good), kAll);  // and the next good state is well
  }
}

TEST(BadState, FunctionsWithoutStatusCarryNaNToTheirResult) {
  for (const SoundCase& good : cases()) {
    SCOPED_TRACE(good.name);
    Numbers numbers(good.model);
    SoundCase bad = good;
    bad.state.q.setConstant(kNaN);
    EXPECT_EQ(numbers.finite_ones(bad), "");
    bad = good;
    bad.state.v.setConstant(kNaN);
    EXPECT_EQ(numbers.finite_ones(bad), kByPoseAlone);
    bad = good;
    bad.tau.setConstant(kInf);
    EXPECT_EQ(numbers.finite_ones(bad), std::string(kAll).substr(std::string(kAll).find("crba")));
    bad = good;
    bad.state.q.segment<4>(3).setZero();  // no orientation is not the identity
    EXPECT_EQ(numbers.finite_ones(bad), kByJointsAlone);
    bad = good;
    for (const int at : bad.model.quaternions()) bad.state.q.segment<4>(at).setZero();
    EXPECT_EQ(numbers.finite_ones(bad), bad.model.quaternions().size() > 1 ? "" : kByJointsAlone);
  }
}

TEST(BadState, SetUpNamesTheJointAndTheNumber) {
  const SoundCase c(
      "", test::random_mixed_tree(*std::make_unique<Random>(5), 6, BaseKind::kFloating), 4);
  const std::string root = "joint '" + c.model.body(0).joint_name + "': ";
  State s = c.state;
  EXPECT_EQ(state_problem(c.model, s.q, s.v), "");
  s.q[1] = kNaN;
  EXPECT_EQ(state_problem(c.model, s.q, s.v), root + "a value is not finite");
  s = c.state;
  s.v[2] = kInf;
  EXPECT_EQ(state_problem(c.model, s.q, s.v), root + "a value is not finite");
  s = c.state;
  s.q.segment<4>(3) = Eigen::Vector4d(0.0, 0.0, 0.0, 1.5);
  EXPECT_EQ(state_problem(c.model, s.q, s.v), root + "quaternion of length 1.5, expected 1");
  s = c.state;
  shorten(s.v);
  const std::string sizes = state_problem(c.model, s.q, s.v);
  EXPECT_NE(sizes.find("expected " + std::to_string(c.model.num_q())), std::string::npos) << sizes;
}

}  // namespace
}  // namespace kagami::models
