// Forward dynamics by name: all algorithms against the oracle's random trees, against each other
// and against the inverse dynamics; orders, bits, faults.
#include "models/dynamics/forward_dynamics.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "models/base/errors.hpp"
#include "models/dynamics/ada.hpp"
#include "models/dynamics/crba.hpp"
#include "models/dynamics/dca.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/dynamics/sparse_cholesky.hpp"
#include "models/robot/builder.hpp"
#include "models/test/support/model_json.hpp"
#include "models/test/support/no_alloc.hpp"
#include "models/test/support/random_tree.hpp"

namespace kagami::models {
namespace {

using test::Random;
using test::vec3_from_json;
using test::vector_from_json;

constexpr std::array<Algorithm, 4> kBuiltIn = {Algorithm::kCrba, Algorithm::kAba, Algorithm::kDca,
                                               Algorithm::kAda};

double max_abs(const JointVector& v) {
  return v.size() == 0 ? 0.0 : v.cwiseAbs().maxCoeff();
}

std::vector<BodyIndex> moving_joints(const Model& model) {
  std::vector<BodyIndex> joints;
  for (int i = 0; i < model.num_bodies(); ++i) {
    if (num_v(model.body(i).joint.type) > 0) joints.push_back(i);
  }
  return joints;
}

AssemblyOrder shuffled(Random& random, AssemblyOrder order) {
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<std::size_t>(random.index(static_cast<int>(i)))]);
  }
  return order;
}

AssemblyOrder base_to_tip(const Model& model) {
  return moving_joints(model);
}

double condition(const Model& model, const JointVector& q) {
  if (model.num_v() == 0) return 1.0;
  CrbaWorkspace w(model);
  JointMatrix H = JointMatrix::Zero(model.num_v(), model.num_v());
  crba(model, q, w, H);
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(H, Eigen::EigenvaluesOnly).eigenvalues();
  return values[values.size() - 1] / values[0];
}

// one case of O10
struct Tree {
  explicit Tree(const nlohmann::json& c)
      : model(test::model_from_json(c.at("model"))),
        q(vector_from_json(c.at("q"))),
        v(vector_from_json(c.at("v"))),
        tau(vector_from_json(c.at("tau"))),
        vdot(vector_from_json(c.at("vdot"))),
        k(model) {
    forward_kinematics(model, q, v, k);
    F_ext.assign(static_cast<std::size_t>(model.num_bodies()), Force::zero());
    for (const nlohmann::json& e : c.at("external")) {
      // force and moment in world axes, the force at a point given in the body
      const auto i = e.at("body").get<std::size_t>();
      const Mat3& R = k.X_WB[i].R;
      const Vec3 f = R.transpose() * vec3_from_json(e.at("force_world"));
      const Vec3 n = R.transpose() * vec3_from_json(e.at("moment_world"));
      F_ext[i] += Force::from(n + vec3_from_json(e.at("point_body")).cross(f), f);
    }
  }

  // largest difference of a joint's wrench from the oracle's, world axes (N m, N)
  template <class F>
  double wrench_error(const nlohmann::json& c, F joint_force) const {
    double worst = 0.0;
    for (int i = 0; i < model.num_bodies(); ++i) {
      const auto n = static_cast<std::size_t>(i);
      const Force got = joint_force(i);
      const Mat3& R = k.X_WB[n].R;
      Vec6 world;
      world << R * got.moment(), R * got.force();
      const Vec6 want = test::vec6_from_json(c.at("joint_wrench_world_at_child_origin").at(n));
      worst = std::max(worst, (world - want).cwiseAbs().maxCoeff() / std::max(1.0, want.norm()));
    }
    return worst;
  }

  Model model;
  JointVector q, v, tau, vdot;
  Kinematics k;
  std::vector<Force> F_ext;
};

class Oracle : public ::testing::Test {
 protected:
  nlohmann::json cases_ = test::read_fixture("o10_forward.json").at("cases");
};

TEST_F(Oracle, EveryAlgorithmGivesTheAccelerations) {
  for (const nlohmann::json& c : cases_) {
    const Tree t(c);
    for (const Algorithm a : kBuiltIn) {
      SCOPED_TRACE(c.at("id").get<std::string>() + " by " + name(a));
      ForwardDynamics dynamics(t.model, a);
      JointVector vdot;
      ASSERT_EQ(dynamics.run(t.q, t.v, t.tau, Extras{.F_ext = t.F_ext}, vdot), DynamicsStatus::kOk);
      // the oracle's own advice: condition up to 7e3 times rounding
      EXPECT_LT(max_abs(vdot - t.vdot), 1e-9 * std::max(1.0, max_abs(t.vdot)));
    }
  }
}

TEST_F(Oracle, AdaInAnyOrderGivesAccelerationsAndEveryJointsWrench) {
  Random random(7);
  for (const nlohmann::json& c : cases_) {
    const Tree t(c);
    const AssemblyOrder joints = moving_joints(t.model);
    for (const AssemblyOrder& order :
         {AssemblyOrder{}, tip_to_base_order(t.model), base_to_tip(t.model),
          shuffled(random, joints), shuffled(random, joints)}) {
      SCOPED_TRACE(c.at("id").get<std::string>());
      Ada ada(t.model, order);
      JointVector vdot;
      ASSERT_EQ(ada.run(t.q, t.v, t.tau, Extras{.F_ext = t.F_ext}, vdot), DynamicsStatus::kOk);
      EXPECT_LT(max_abs(vdot - t.vdot), 1e-9 * std::max(1.0, max_abs(t.vdot)));
      EXPECT_LT(t.wrench_error(c, [&](int i) { return ada.joint_force(i); }), 1e-9);
    }
  }
}

TEST_F(Oracle, DcaGivesEveryJointsWrench) {
  for (const nlohmann::json& c : cases_) {
    SCOPED_TRACE(c.at("id").get<std::string>());
    const Tree t(c);
    Dca dca(t.model);
    JointVector vdot;
    ASSERT_EQ(dca.run(t.q, t.v, t.tau, Extras{.F_ext = t.F_ext}, vdot), DynamicsStatus::kOk);
    EXPECT_LT(t.wrench_error(c, [&](int i) { return dca.joint_force(i); }), 1e-9);
  }
}

// a random tree, its state and what acts on it
struct Sample {
  Sample(Random& random, int bodies, BaseKind base)
      : model(test::random_mixed_tree(random, bodies, base)),
        state(test::random_state(random, model)),
        tau(random.vector(model.num_v())),
        diagonal(model.rotor_inertia()) {
    for (int i = 0; i < model.num_bodies(); ++i) {
      F_ext.push_back(Force::from(random.vec3(), random.vec3()));
    }
    for (int k = 0; k < model.num_v(); ++k) diagonal[k] += random.between(0.0, 0.02);
  }
  Extras extras() const { return {.F_ext = F_ext, .added_inertia = &diagonal}; }

  Model model;
  State state;
  JointVector tau;
  JointVector diagonal;
  std::vector<Force> F_ext;
};

TEST(RandomTrees, AllAlgorithmsAgreeOnAThousand) {
  Random random(3);
  for (int trial = 0; trial < 1000; ++trial) {
    SCOPED_TRACE(trial);
    const Sample s(random, 1 + random.index(14),
                   trial % 2 == 0 ? BaseKind::kFixed : BaseKind::kFloating);
    JointVector want;
    ForwardDynamics reference(s.model, Algorithm::kCrba);
    ASSERT_EQ(reference.run(s.state.q, s.state.v, s.tau, s.extras(), want), DynamicsStatus::kOk);
    // rounding grows with the mass matrix's condition number
    const double slack =
        1e-9 * std::max(1.0, want.norm()) * std::max(1.0, condition(s.model, s.state.q) / 1e4);
    const auto expect_equal = [&](const JointVector& got, const char* who) {
      EXPECT_LT((got - want).norm(), slack) << who;
    };
    JointVector vdot;
    for (const Algorithm a : kBuiltIn) {
      ForwardDynamics dynamics(s.model, a);
      ASSERT_EQ(dynamics.run(s.state.q, s.state.v, s.tau, s.extras(), vdot), DynamicsStatus::kOk);
      expect_equal(vdot, name(a));
    }
    Ada ada(s.model, shuffled(random, moving_joints(s.model)));
    ASSERT_EQ(ada.run(s.state.q, s.state.v, s.tau, s.extras(), vdot), DynamicsStatus::kOk);
    expect_equal(vdot, "ada, random order");
  }
}

TEST(RandomTrees, JointForcesAreThoseOfTheInverseDynamics) {
  Random random(5);
  for (int trial = 0; trial < 100; ++trial) {
    SCOPED_TRACE(trial);
    const Sample s(random, 1 + random.index(14),
                   trial % 2 == 0 ? BaseKind::kFixed : BaseKind::kFloating);
    Ada ada(s.model, trial % 3 == 0 ? AssemblyOrder{} : shuffled(random, moving_joints(s.model)));
    JointVector vdot;
    ASSERT_EQ(ada.run(s.state.q, s.state.v, s.tau, s.extras(), vdot), DynamicsStatus::kOk);
    RneaWorkspace w(s.model);
    JointVector tau;
    rnea_reference(s.model, s.state.q, s.state.v, vdot, Extras{.F_ext = s.F_ext}, w, tau);
    for (int i = 0; i < s.model.num_bodies(); ++i) {
      const Force& want = w.F[static_cast<std::size_t>(i)];
      // two solves beyond the accelerations' own rounding
      EXPECT_LT((ada.joint_force(i).c - want.c).norm(), 1e-9 * std::max(1.0, want.c.norm())) << i;
    }
  }
}

TEST(RandomTrees, HandlesShowWhatForcesFromOutsideDo) {
  Random random(11);
  for (int trial = 0; trial < 100; ++trial) {
    SCOPED_TRACE(trial);
    Sample s(random, 3 + random.index(10), trial % 2 == 0 ? BaseKind::kFixed : BaseKind::kFloating);
    std::vector<BodyIndex> handles;
    for (int i = 0; i < s.model.num_bodies(); ++i) {
      if (!s.model.body(i).held && random.index(3) == 0) handles.push_back(i);
    }
    Ada ada(s.model, {}, handles);
    ASSERT_EQ(ada.assemble(s.state.q, s.state.v, s.tau, s.extras()), DynamicsStatus::kOk);
    std::vector<Force> forces;
    for (std::size_t h = 0; h < handles.size(); ++h) {
      forces.push_back(Force::from(random.vec3(), random.vec3()));
    }
    JointVector vdot;
    ASSERT_EQ(ada.disassemble(forces, vdot), DynamicsStatus::kOk);
    // a_h = sum Phi_hk F_k + B_h, and Phi is symmetric
    for (int h = 0; h < static_cast<int>(handles.size()); ++h) {
      Vec6 a = ada.bias(h).c;
      for (int k = 0; k < static_cast<int>(handles.size()); ++k) {
        a += ada.phi(h, k) * forces[static_cast<std::size_t>(k)].c;
        EXPECT_TRUE(ada.phi(h, k).isApprox(Mat6(ada.phi(k, h).transpose()), 1e-9));
      }
      const Vec6 got = ada.acceleration(handles[static_cast<std::size_t>(h)]).c;
      EXPECT_LT((a - got).norm(), 1e-8 * std::max(1.0, got.norm()));
    }
    // the same forces handed in as external ones
    for (std::size_t h = 0; h < handles.size(); ++h) {
      const auto body = static_cast<std::size_t>(handles[h]);
      s.F_ext[body] += inverse_times(ada.frame().X_OB[body], forces[h]);
    }
    JointVector want;
    ForwardDynamics reference(s.model, Algorithm::kCrba);
    ASSERT_EQ(reference.run(s.state.q, s.state.v, s.tau, s.extras(), want), DynamicsStatus::kOk);
    EXPECT_LT((vdot - want).norm(), 1e-8 * std::max(1.0, want.norm()));  // two solves
  }
}

TEST(Orders, EqualOrderGivesEqualBits) {
  Random random(13);
  const Sample s(random, 14, BaseKind::kFloating);
  const AssemblyOrder order = shuffled(random, moving_joints(s.model));
  for (const AssemblyOrder& o : {AssemblyOrder{}, order}) {
    Ada first(s.model, o);
    Ada second(s.model, o.empty() ? default_order(s.model) : o);
    JointVector a;
    JointVector b;
    const JointVector other = 2.0 * s.state.v;
    ASSERT_EQ(second.run(s.state.q, other, s.tau, {}, b), DynamicsStatus::kOk);  // no memory of it
    ASSERT_EQ(first.run(s.state.q, s.state.v, s.tau, s.extras(), a), DynamicsStatus::kOk);
    ASSERT_EQ(second.run(s.state.q, s.state.v, s.tau, s.extras(), b), DynamicsStatus::kOk);
    EXPECT_EQ(std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())),
              0);
  }
}

Model chain(int links) {
  ModelBuilder builder;
  const Mat3 I = Vec3(0.1, 0.1, 0.01).asDiagonal();
  for (int i = 0; i < links; ++i) {
    const std::string n = std::to_string(i);
    const Pose X_PJ{Mat3::Identity(), Vec3(0.0, 0.0, i == 0 ? 0.0 : 1.0)};
    builder.add_body("l" + n, i - 1, "j" + n, {JointType::kRevolute, Vec3::UnitY()}, X_PJ,
                     {1.0, Vec3(0.0, 0.0, 0.5), I});
  }
  return builder.build();
}

TEST(Orders, DefaultHeightGrowsWithTheLogarithm) {
  EXPECT_EQ(Ada(chain(1)).plan().height(), 1);
  for (const int links : {12, 24, 48, 96, 192, 384}) {
    const Model model = chain(links);
    const int bound =
        static_cast<int>(std::ceil(std::log2(links))) + 4;  // a short limb, the ground
    EXPECT_LE(Ada(model).plan().height(), bound) << links;
    EXPECT_EQ(Ada(model, tip_to_base_order(model)).plan().height(), links);
  }
}

TEST(Orders, ImpossibleOnesAreNamed) {
  const Model model = chain(3);
  const auto message = [&](const AssemblyOrder& order) -> std::string {
    try {
      Ada ada(model, order);
    } catch (const ConfigError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message({0, 1}), "assembly order: joint 'j2' is missing");
  EXPECT_EQ(message({0, 1, 1, 2}), "assembly order: joint 'j1' twice");
  EXPECT_EQ(message({0, 1, 2, 3}), "assembly order: body index 3 is outside [0, 3)");
  EXPECT_THROW(Ada(model, {}, {5}), ConfigError);
  EXPECT_THROW(Ada(model, {}, {-1}), ConfigError);
}

TEST(Names, AreReadAndUnknownOnesListWhatThereIs) {
  for (const Algorithm a : kAlgorithms) EXPECT_EQ(algorithm(name(a)), a);
  try {
    algorithm("euler");
    FAIL();
  } catch (const ConfigError& e) {
    EXPECT_STREQ(e.what(), "algorithm 'euler', expected one of crba, aba, dca, ada, hybrid");
  }
  const Model model = chain(2);
  EXPECT_THROW(ForwardDynamics(model, Algorithm::kAda, std::unique_ptr<ForwardAlgorithm>()),
               ConfigError);
  EXPECT_THROW(ForwardDynamics(model, Algorithm::kAba, {1, 0}), ConfigError);
}

TEST(Names, HybridSaysThatAdaServesWhereThereIsNoCode) {
  Random random(29);
  const Sample s(random, 9, BaseKind::kFloating);
  ForwardDynamics hybrid(s.model, Algorithm::kHybrid);
  EXPECT_EQ(hybrid.notice(), "hybrid: no generated code for this robot, ada serves");
  ForwardDynamics ada(s.model, Algorithm::kAda);
  EXPECT_EQ(ada.notice(), "");
  JointVector a;
  JointVector b;
  ASSERT_EQ(hybrid.run(s.state.q, s.state.v, s.tau, a), DynamicsStatus::kOk);
  ASSERT_EQ(ada.run(s.state.q, s.state.v, s.tau, b), DynamicsStatus::kOk);
  EXPECT_TRUE(a == b);
}

TEST(Faults, WhatIsNotFiniteGivesAStatusAndLeavesTheOutputAlone) {
  Random random(17);
  const Sample s(random, 6, BaseKind::kFloating);
  const JointVector before = JointVector::Constant(s.model.num_v(), 42.0);
  for (const Algorithm a : kBuiltIn) {
    SCOPED_TRACE(name(a));
    ForwardDynamics dynamics(s.model, a);
    for (const double bad : {kNaN, std::numeric_limits<double>::infinity()}) {
      for (int what = 0; what < 5; ++what) {
        Sample t = s;
        if (what == 0) t.state.q[3] = bad;
        if (what == 1) t.state.v[0] = bad;
        if (what == 2) t.tau[1] = bad;
        if (what == 3) t.F_ext[1].c[2] = bad;
        if (what == 4) t.diagonal[0] = bad;
        JointVector vdot = before;
        EXPECT_EQ(dynamics.run(t.state.q, t.state.v, t.tau, t.extras(), vdot),
                  DynamicsStatus::kNotFinite);
        EXPECT_TRUE(vdot == before) << what;
      }
    }
    JointVector vdot = before;
    EXPECT_EQ(dynamics.run(s.state.q.head(2), s.state.v, s.tau, vdot), DynamicsStatus::kNotFinite);
    if (a == Algorithm::kAba) continue;  // divides by whatever it finds
    // a negative diagonal takes the joints' inertia away
    Sample t = s;
    t.diagonal.setConstant(-1e3);
    EXPECT_EQ(dynamics.run(t.state.q, t.state.v, t.tau, t.extras(), vdot),
              DynamicsStatus::kSingular);
    EXPECT_TRUE(vdot == before);
  }
}

TEST(Faults, ALinkWithoutInverseInertiaIsRefused) {
  // the builder lets a welded body be massless; on a moving link with others that is right
  ModelBuilder builder;
  const Mat3 I = Mat3::Identity();
  builder.add_body("a", kWorld, "ja", {JointType::kRevolute, Vec3::UnitY()}, {},
                   {1.0, Vec3::Zero(), I});
  builder.add_body("tip", 0, "jt", {}, {}, {});
  const Model good = builder.build();
  EXPECT_NO_THROW(Ada{good});

  const Mat3 thin = Vec3(1.0, 1.0, 1e-12).asDiagonal();
  builder.add_body("rod", kWorld, "ja", {JointType::kRevolute, Vec3::UnitY()}, {},
                   {1.0, Vec3(0.0, 0.0, 0.5), thin});
  const Model rod = builder.build();
  for (const Algorithm a : {Algorithm::kDca, Algorithm::kAda}) {
    try {
      ForwardDynamics dynamics(rod, a);
      FAIL();
    } catch (const ModelError& e) {
      EXPECT_NE(std::string(e.what()).find("link 'rod': a massless or zero-inertia body"),
                std::string::npos)
          << e.what();
    }
  }
}

TEST(Memory, NoAlgorithmAllocatesAfterConstruction) {
  Random random(19);
  const Sample s(random, 14, BaseKind::kFloating);
  for (const Algorithm a : kBuiltIn) {
    ForwardDynamics dynamics(s.model, a);
    JointVector vdot;
    (void)dynamics.run(s.state.q, s.state.v, s.tau, s.extras(), vdot);
    const test::NoAlloc guard;
    (void)dynamics.run(s.state.q, s.state.v, s.tau, s.extras(), vdot);
    if (dynamics.has_joint_forces()) (void)dynamics.joint_force(2);
    EXPECT_EQ(guard.count(), 0) << name(a);
  }
  Ada ada(s.model, shuffled(random, moving_joints(s.model)), {3, 5});
  JointVector vdot;
  const test::NoAlloc guard;
  (void)ada.run(s.state.q, s.state.v, s.tau, s.extras(), vdot);
  EXPECT_EQ(guard.count(), 0);
}

TEST(SparseCholesky, RebuildsTheMassMatrixAndRefusesWhatIsNotPositive) {
  Random random(23);
  const Sample s(random, 14, BaseKind::kFloating);
  const std::vector<int> parent = dof_parents(s.model);
  CrbaWorkspace w(s.model);
  JointMatrix H = JointMatrix::Zero(s.model.num_v(), s.model.num_v());
  crba(s.model, s.state.q, w, H);
  JointMatrix L = H;
  ASSERT_TRUE(factor_tree(parent, L));
  const JointMatrix lower = L.triangularView<Eigen::Lower>();
  EXPECT_LT((lower.transpose() * lower - H).cwiseAbs().maxCoeff(), 1e-12 * H.norm());
  JointVector x = s.tau;
  solve_tree(parent, L, x);
  EXPECT_LT(max_abs(H * x - s.tau), 1e-10);
  H(2, 2) = -1.0;
  EXPECT_FALSE(factor_tree(parent, H));
}

}  // namespace
}  // namespace kagami::models
