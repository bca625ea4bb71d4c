// The fast kernels against the references, which follow their sources line by line, and against
// themselves without lanes.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "models/dynamics/aba.hpp"
#include "models/dynamics/crba.hpp"
#include "models/dynamics/kernel/assembly_kernel.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/robot/builder.hpp"
#include "models/robot/state.hpp"
#include "models/spatial/rotation.hpp"
#include "models/test/support/no_alloc.hpp"
#include "models/test/support/random_tree.hpp"

namespace kagami::models {
namespace {

using test::Random;

MassProperties random_mass(Random& random) {
  const double mass = random.between(0.1, 2.0);
  const Mat3 R = rotation_about(random.vec3().normalized(), random.signed_unit());
  const Vec3 principal = mass * Vec3(random.between(0.01, 0.02), random.between(0.01, 0.02), 0.02);
  return {mass, 0.3 * random.vec3(), R * principal.asDiagonal() * R.transpose()};
}

// frames: parallel, turned by exchanged axes, or any; axes: x, y, z, their opposites, or any
Pose random_place(Random& random) {
  Pose X{Mat3::Identity(), 0.5 * random.vec3()};
  const int kind = random.index(4);
  if (kind == 0) X.R = rotation_about(random.vec3().normalized(), 3.0 * random.signed_unit());
  if (kind == 1) X.R << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  return X;
}
Joint random_revolute(Random& random) {
  const int axis = random.index(5);
  if (axis > 2) return {JointType::kRevolute, random.vec3().normalized()};
  return {JointType::kRevolute, (random.index(2) == 0 ? 1.0 : -1.0) * Vec3::Unit(axis)};
}

// limbs that can be paired, on a trunk that floats or is held, with fixed bodies between
Model limbed(std::uint64_t seed) {
  Random random(seed);
  ModelBuilder builder;
  int count = 0;
  const auto add = [&](int parent, const Joint& joint, const Pose& X_PJ) {
    const std::string name = std::to_string(count++);
    return builder.add_body("body" + name, parent, "joint" + name, joint, X_PJ,
                            random_mass(random));
  };
  const JointType root = seed % 3 == 0   ? JointType::kFixed
                         : seed % 3 == 1 ? JointType::kFloating
                                         : JointType::kRevolute;
  const Joint root_joint =
      root == JointType::kRevolute ? random_revolute(random) : Joint{root, Vec3::Zero()};
  const int trunk = add(kWorld, root_joint, random_place(random));
  const int limbs = 1 + random.index(3);
  for (int limb = 0; limb < limbs; ++limb) {
    // both sides have the joints in common, not the lengths and masses
    const int length = 1 + random.index(5);
    std::vector<int> tip(2 + static_cast<std::size_t>(random.index(2)), trunk);
    for (int i = 0; i < length; ++i) {
      const Joint joint = random_revolute(random);
      const Pose place = random_place(random);
      const bool fixed = random.index(6) == 0;
      for (int& t : tip) {
        const Pose X_PJ{place.R, place.p + 0.1 * random.vec3()};
        t = add(t, fixed ? Joint{} : joint, X_PJ);
        if (!fixed && random.index(3) == 0) builder.set_rotor_inertia(t, 0.01);
      }
    }
  }
  return builder.build();
}

Model model_of(std::uint64_t seed) {
  if (seed % 2 == 0) return limbed(seed / 2);
  Random random(seed);
  return test::random_tree(random, 2 + random.index(20),
                           seed % 4 == 1 ? BaseKind::kFloating : BaseKind::kFixed);
}

std::vector<Force> random_forces(Random& random, const Model& model) {
  std::vector<Force> F;
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Vec3 n = random.vec3();
    F.push_back(Force::from(n, random.vec3()));
  }
  return F;
}

double relative(const JointVector& a, const JointVector& b) {
  return (a - b).norm() / (1.0 + b.norm());
}

// pairs the kernel found, and random states with all that may act
TEST(Kernel, AgreesWithTheReferenceOnAThousandTrees) {
  int paired = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    const Model model = model_of(seed);
    Random random(seed + 7);
    const State s = test::random_state(random, model);
    const JointVector tau = random.vector(model.num_v());
    const std::vector<Force> F = random_forces(random, model);
    JointVector added(model.num_v());
    for (int k = 0; k < model.num_v(); ++k) added[k] = random.between(0.0, 0.1);
    ExternalLoads extras;
    if (seed % 3 != 0) extras.F_ext = F;
    if (seed % 5 != 0) extras.added_inertia = &added;

    AbaWorkspace a(model);
    ASSERT_TRUE(a.fast.usable);
    paired += static_cast<int>(a.fast.pair.size());
    JointVector fast;
    JointVector want;
    aba(model, s.q, s.v, tau, extras, a, fast);
    aba_reference(model, s.q, s.v, tau, extras, a, want);
    // condition of the mass matrix: up to 1e3 here, times rounding
    EXPECT_LT(relative(fast, want), 1e-11);

    RneaWorkspace r(model);
    rnea(model, s.q, s.v, tau, extras, r, fast);
    rnea_reference(model, s.q, s.v, tau, extras, r, want);
    EXPECT_LT(relative(fast, want), 1e-13);

    CrbaWorkspace c(model);
    JointMatrix H;
    JointMatrix H_want;
    crba(model, s.q, c, H);
    crba_reference(model, s.q, c, H_want);
    EXPECT_LE((H - H_want).norm(), 1e-13 * H_want.norm());  // some have no joint at all
  }
  EXPECT_GT(paired, 500);
}

TEST(Kernel, LanesGiveTheBitsOfOneLimbAfterTheOther) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const Model model = model_of(seed);
    Random random(seed);
    const State s = test::random_state(random, model);
    const JointVector tau = random.vector(model.num_v());
    const JointVector& J = model.rotor_inertia();
    const auto n = static_cast<std::size_t>(model.num_v());
    const auto results = [&](kernel::Pairing pairing) {
      const kernel::Tree tree(model, pairing);
      EXPECT_TRUE(pairing == kernel::Pairing::kOn || tree.pair.empty());
      std::vector<double> all(3 * n + n * n + 15 * n + 6);
      kernel::AbaKernel a(tree);
      kernel::RneaKernel r(tree);
      kernel::CompositeKernel c(tree);
      double* out = all.data();
      kernel::aba(tree, s.q.data(), s.v.data(), tau.data(), J.data(), false, a, out);
      out += n;
      kernel::rnea(tree, s.q.data(), s.v.data(), tau.data(), J.data(), false, r, out);
      out += n;
      kernel::crba(tree, s.q.data(), J.data(), c, out);
      out += n * n;
      kernel::joint_jacobians(tree, s.q.data(), c, out);
      out += 6 * n;
      kernel::com_jacobian(tree, s.q.data(), c, out, out + 3);
      out += 3 + 3 * n;
      kernel::centroidal_matrix(tree, s.q.data(), c, out, out + 3);
      out += 3 + 6 * n;
      kernel::AssemblyKernel assembly(tree);
      EXPECT_TRUE(
          kernel::ada(tree, s.q.data(), s.v.data(), tau.data(), J.data(), false, assembly, out));
      // joint forces by body: the slots of both trees differ
      for (const kernel::Host& host : tree.host) {
        for (int i = 0; i < 6 && host.slot >= 0; ++i) {
          all.push_back(assembly.F[static_cast<std::size_t>(6 * host.slot + i)]);
        }
      }
      return all;
    };
    const std::vector<double> lanes = results(kernel::Pairing::kOn);
    const std::vector<double> single = results(kernel::Pairing::kOff);
    ASSERT_EQ(lanes.size(), single.size());
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      // + 0.0 makes a zero of either sign the same
      ASSERT_EQ(std::bit_cast<std::uint64_t>(lanes[i] + 0.0),
                std::bit_cast<std::uint64_t>(single[i] + 0.0))
          << i << " of " << n;
    }
  }
}

TEST(Kernel, ArmsAndLegsGoInPairs) {
  ModelBuilder builder;
  Random random(1);
  const auto add = [&](const std::string& name, int parent, const Joint& joint) {
    return builder.add_body(name, parent, name + "_joint", joint,
                            Pose{Mat3::Identity(), random.vec3()}, random_mass(random));
  };
  const int trunk = add("trunk", kWorld, {JointType::kFloating, Vec3::Zero()});
  add("head", trunk, {JointType::kRevolute, Vec3::UnitZ()});
  for (const char* side : {"left", "right"}) {
    const Vec3 y = side[0] == 'l' ? Vec3(Vec3::UnitY()) : Vec3(-Vec3::UnitY());
    const int hip = add(std::string(side) + "_hip", trunk, {JointType::kRevolute, Vec3::UnitX()});
    add(std::string(side) + "_knee", hip, {JointType::kRevolute, y});
    add(std::string(side) + "_arm", trunk, {JointType::kRevolute, y});
  }
  const kernel::Tree tree(builder.build());
  EXPECT_EQ(tree.pair.size(), 3u);
  EXPECT_EQ(tree.single.size(), 3u);  // world, trunk, head
}

TEST(Kernel, LeavesOtherJointsToTheReferenceWhichSupportsThemAll) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    ModelBuilder builder;
    for (int i = 0; i < 10; ++i) {
      Joint joint;
      joint.type = static_cast<JointType>(i == 1 ? 2 : random.index(5));  // one slides at least
      joint.axis = random.vec3().normalized();
      joint.axis2 = joint.axis.unitOrthogonal();
      const std::string name = std::to_string(i);
      builder.add_body("body" + name, i == 0 ? kWorld : random.index(i), "joint" + name, joint,
                       random_place(random), random_mass(random));
    }
    const Model model = builder.build();
    const State s = test::random_state(random, model);
    const JointVector tau = random.vector(model.num_v());
    AbaWorkspace a(model);
    RneaWorkspace r(model);
    CrbaWorkspace c(model);
    ASSERT_FALSE(a.fast.usable);
    JointVector vdot;
    JointVector back;
    JointVector bias;
    JointMatrix H;
    aba(model, s.q, s.v, tau, a, vdot);
    rnea(model, s.q, s.v, vdot, r, back);
    EXPECT_LT((back - tau).norm(), 1e-8);  // N m, of terms up to 1e3
    rnea(model, s.q, s.v, JointVector::Zero(model.num_v()), r, bias);
    crba(model, s.q, c, H);
    EXPECT_LT((H * vdot + bias - tau).norm(), 1e-8);
  }
}

TEST(Kernel, AllocatesNothingAfterSetUp) {
  const Model model = limbed(4);
  Random random(1);
  const State s = test::random_state(random, model);
  const JointVector tau = random.vector(model.num_v());
  const std::vector<Force> F = random_forces(random, model);
  const ExternalLoads extras{.F_ext = F};
  AbaWorkspace a(model);
  RneaWorkspace r(model);
  CrbaWorkspace c(model);
  JointVector result;
  JointMatrix H(model.num_v(), model.num_v());
  const test::NoAlloc guard;
  aba(model, s.q, s.v, tau, extras, a, result);
  rnea(model, s.q, s.v, tau, extras, r, result);
  crba(model, s.q, c, H);
  const long count = guard.count();
  EXPECT_EQ(count, 0);
}

}  // namespace
}  // namespace kagami::models
