// The rules of expressions, and oracle O06: the terms of a planar 7R's sub-chains in closed form.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <map>

#include "models/base/errors.hpp"
#include "models/hybrid/emit.hpp"
#include "models/hybrid/evaluate.hpp"
#include "models/hybrid/segment.hpp"
#include "models/robot/builder.hpp"
#include "models/test/support/model_json.hpp"

namespace kagami::models::hybrid {
namespace {

using Layout = SegmentLayout;

TEST(Expression, EqualOnesAreOneNode) {
  Graph g;
  const Expr a = g.input({Source::kSin, 0, 0});
  const Expr b = g.input({Source::kCos, 0, 0});
  EXPECT_EQ((a * b + a).id, (a + b * a).id);
  EXPECT_EQ((a - a).id, g.constant(0.0).id);
  EXPECT_EQ((a / a).id, g.constant(1.0).id);
  EXPECT_EQ(g.constant(-0.0).id, g.constant(0.0).id);
}

TEST(Expression, ZerosOnesAndSignsVanish) {
  Graph g;
  const Expr a = g.input({Source::kSin, 0, 0});
  const Expr b = g.input({Source::kCos, 0, 0});
  const Expr zero = g.constant(0.0);
  const Expr one = g.constant(1.0);
  EXPECT_EQ((a + zero).id, a.id);
  EXPECT_EQ((zero - a).id, (-a).id);
  EXPECT_TRUE((a * zero).is_zero());
  EXPECT_EQ((one * a).id, a.id);
  EXPECT_EQ((a * g.constant(-1.0)).id, (-a).id);
  EXPECT_EQ((-(-a)).id, a.id);
  EXPECT_EQ((a + -b).id, (a - b).id);
  EXPECT_EQ((a - -b).id, (a + b).id);
  EXPECT_EQ((-(a - b)).id, (b - a).id);
  EXPECT_EQ((-a * b).id, (-(a * b)).id);
  EXPECT_EQ((g.constant(2.0) * (g.constant(3.0) * a)).id, (g.constant(6.0) * a).id);
}

TEST(Expression, LanesFoldEachForItself) {
  Graph g;
  const Expr mirrored = g.constant(Lanes{1.0, -1.0});
  const Expr a = g.input({Source::kSin, 0, 0});
  EXPECT_NE((mirrored * a).id, a.id);  // one in one lane alone is no one
  EXPECT_FALSE(g.constant(Lanes{0.0, 1.0}).is_zero());
  EXPECT_EQ((mirrored * mirrored).id, g.constant(1.0).id);
}

// the rods of O06, and an eighth that only marks the seventh's tip
Plan rods() {
  ModelBuilder builder;
  BodyIndex parent = kWorld;
  for (int i = 0; i < 8; ++i) {
    Pose X_PJ;
    X_PJ.p = Vec3(0.0, 0.0, i == 0 ? 0.0 : 1.0);
    Joint joint;
    joint.type = JointType::kRevolute;
    joint.axis = Vec3::UnitY();
    const Mat3 I = Vec3(1.0 / 12.0, 1.0 / 12.0, 1e-3).asDiagonal();
    const std::string name = std::to_string(i + 1);
    parent = builder.add_body("link" + name, parent, "joint" + name, joint, X_PJ,
                              {1.0, Vec3(0.0, 0.0, 0.5), I});
  }
  return make_plan(builder.build(), false);
}

Mat6 turned(double angle) {
  Mat6 R = Mat6::Zero();
  R.topLeftCorner<3, 3>() = Eigen::AngleAxisd(angle, Vec3::UnitY()).toRotationMatrix();
  R.bottomRightCorner<3, 3>() = R.topLeftCorner<3, 3>();
  return R;
}

// a segment's blocks run in numbers
class Numbers {
 public:
  Numbers(const Program& program, const JointVector& q, const JointVector& v,
          const JointVector& tau)
      : p_(program), q_(q), v_(v), tau_(tau) {}

  std::vector<double> h = std::vector<double>(Layout::kSize);
  JointVector qdd = JointVector::Zero(8);

  void run(std::size_t block, const std::vector<double>& r) {
    const Block& b = p_.blocks.at(block);
    const std::vector<double> x =
        evaluate(*p_.graph, b.outputs, 0, [&](const Input& in) { return input(in, r); });
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Output& o = b.outputs[i];
      if (o.sink == Sink::kStore) memory_[o.slot] = x[i];
      if (o.sink == Sink::kBase) h[static_cast<std::size_t>(o.slot)] = x[i];
      if (o.sink == Sink::kJoint) qdd[o.slot] = x[i];
    }
  }
  [[nodiscard]] Mat6 matrix(int position) const {
    return Eigen::Map<const Eigen::Matrix<double, 6, 6, Eigen::RowMajor>>(h.data() + position);
  }
  [[nodiscard]] Vec6 vector(int position) const {
    return Eigen::Map<const Vec6>(h.data() + position);
  }

 private:
  double input(const Input& in, const std::vector<double>& r) const {
    switch (in.source) {
      case Source::kSin:
        return std::sin(q_[in.unit]);
      case Source::kCos:
        return std::cos(q_[in.unit]);
      case Source::kRate:
        return v_[in.unit];
      case Source::kForce:
        return tau_[in.unit];
      case Source::kBase:
        return r.at(static_cast<std::size_t>(in.slot));
      case Source::kStore:
        return memory_.at(in.slot);
      case Source::kPosition:
      case Source::kHandle:
        break;
    }
    return kNaN;
  }

  const Program& p_;
  const JointVector &q_, &v_, &tau_;
  std::map<int, double> memory_;
};

template <class A, class B>
double worst(const A& a, const B& b) {
  return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

std::vector<double> motion_input(const Vec6& a_root, const Vec6& F_tip) {
  std::vector<double> r(a_root.data(), a_root.data() + 6);
  r.insert(r.end(), F_tip.data(), F_tip.data() + 6);
  return r;
}

TEST(SubChains, TermsAndMotionAreThoseOfO06) {
  constexpr double kTolerance = 1e-11;  // relative; the oracle advises 1e-9
  const Plan plan = rods();
  const Program Z = derive_segment(plan, {0, 3, false, true});
  const Program Y = derive_segment(plan, {4, 6, true, true});
  const nlohmann::json cases = test::read_fixture("o06_hybrid.json").at("cases");
  ASSERT_EQ(cases.size(), 3u);
  for (const nlohmann::json& c : cases) {
    const JointVector q = test::vector_from_json(c.at("theta"));
    const JointVector v = test::vector_from_json(c.at("thetad"));
    const JointVector tau = test::vector_from_json(c.at("tau"));
    const JointVector expected = test::vector_from_json(c.at("thetadd"));
    const Mat6 R5 = turned(q.head(4).sum());
    const Mat6 R8 = turned(q.sum());
    Vec6 g = Vec6::Zero();
    g[5] = -9.81;

    Numbers z(Z, q, v, tau);
    z.run(0, {});
    EXPECT_LT(worst(R5 * z.matrix(Layout::kPhiTip) * R5.transpose(),
                    test::mat6_from_json(c.at("Phi_5Z"))),
              kTolerance);
    EXPECT_LT(worst(R5 * z.vector(Layout::kBiasTip) + g, test::vec6_from_json(c.at("B_5Z"))),
              kTolerance);

    Numbers y(Y, q, v, tau);
    y.run(0, {0.0, v.head(4).sum(), 0.0});
    const JointMatrix phi = test::matrix_from_json(c.at("Phi_Y"));
    const JointVector B = test::vector_from_json(c.at("B_Y"));
    const Mat6 phi_rr = y.matrix(Layout::kPhiRoot);
    EXPECT_LT(worst(R5 * phi_rr * R5.transpose(), phi.topLeftCorner(6, 6)), kTolerance);
    EXPECT_LT(worst(R8 * y.matrix(Layout::kPhiTip) * R8.transpose(), phi.bottomRightCorner(6, 6)),
              kTolerance);
    EXPECT_LT(
        worst(R8 * y.matrix(Layout::kPhiTipRoot) * R5.transpose(), phi.bottomLeftCorner(6, 6)),
        kTolerance);
    EXPECT_LT(worst(R5 * y.vector(Layout::kBiasRoot) + g, B.head(6)), kTolerance);
    EXPECT_LT(worst(R8 * y.vector(Layout::kBiasTip) + g, B.tail(6)), kTolerance);

    // from the oracle's joint force: the motion of both
    const Vec6 F = R5.transpose() * test::vec6_from_json(c.at("F_5_on_Y"));
    const Vec6 a_Y = phi_rr * F + y.vector(Layout::kBiasRoot);
    const Vec6 a_Z = z.vector(Layout::kBiasTip) - z.matrix(Layout::kPhiTip) * F;
    z.run(1, motion_input(Vec6::Zero(), -F));
    y.run(1, motion_input(a_Y, Vec6::Zero()));
    JointVector qdd = JointVector::Zero(7);
    qdd.head(4) = z.qdd.head(4);
    qdd[4] = a_Y[1] - a_Z[1];  // Eq. (4.31), Sdot qd has no part along the axis
    qdd.tail(2) = y.qdd.segment(5, 2);
    EXPECT_LT(worst(qdd, expected), 1e-10);
  }
}

TEST(SubChains, ASplitMustMakeUpTheChain) {
  const Plan plan = rods();
  EXPECT_EQ(split_chain(plan, {4, 4}).size(), 2u);
  EXPECT_THROW(split_chain(plan, {4, 3}), ModelError);
  EXPECT_THROW(split_chain(plan, {4, 5}), ModelError);
}

TEST(Plan, SaysWhatItDoesNotKnow) {
  ModelBuilder builder;
  Joint joint;
  joint.type = JointType::kFloating;
  builder.add_body("first", kWorld, "one", joint, Pose{}, {1.0, Vec3::Zero(), Mat3::Identity()});
  builder.add_body("second", kWorld, "two", joint, Pose{}, {1.0, Vec3::Zero(), Mat3::Identity()});
  const Model model = builder.build();
  EXPECT_NE(plan_problem(model).find("'two'"), std::string::npos);
  EXPECT_THROW(make_plan(model, true), ModelError);
}

}  // namespace
}  // namespace kagami::models::hybrid
