// The model that torques drive, alone: a link without gravity under a controller that only
// observes.
#include "runtime/cycle/reference_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/robot/builder.hpp"
#include "models/test/support/no_alloc.hpp"

namespace kagami::runtime {
namespace {

constexpr double kRate = 5.0;  // 1/s

models::Model link() {
  models::ModelBuilder builder;
  builder.set_gravity(Vec3::Zero());
  models::Joint hinge;
  hinge.type = models::JointType::kRevolute;
  hinge.axis = Vec3::UnitY();
  builder.add_body("link", kWorld, "joint", hinge, models::Pose{},
                   {.mass = 1.0, .com = Vec3(0.0, 0.0, 0.1), .I_com = 0.01 * Mat3::Identity()});
  return builder.build();
}

class Observing final : public control::Controller {
 public:
  explicit Observing(double rate) : rate_(rate) {}
  [[nodiscard]] std::string_view name() const noexcept override { return "observing"; }
  [[nodiscard]] control::ControlDrive drive() const noexcept override {
    return control::ControlDrive::kTorque;
  }
  [[nodiscard]] const models::Model* reference_model() const noexcept override { return &model_; }
  [[nodiscard]] bool place(const JointArray<double>& q, JointVector& out) noexcept override {
    out = JointVector::Constant(1, q[0]);
    return true;
  }
  [[nodiscard]] double observer_rate() const noexcept override { return rate_; }
  [[nodiscard]] control::ControlStatus reset(const control::ControlInput&) noexcept override {
    return control::ControlStatus::kOk;
  }
  [[nodiscard]] control::ControlStatus update(const control::ControlInput&,
                                              control::ControlOutput&) noexcept override {
    return control::ControlStatus::kOk;
  }

 private:
  models::Model model_ = link();
  double rate_;
};

RobotWiring one_joint() {
  RobotWiring wiring;
  wiring.boards.resize(1);
  wiring.joints.resize(1);
  wiring.joints[0].joint = "joint";
  return wiring;
}

JointArray<double> at_most(double torque) {
  JointArray<double> all{};
  all.fill(torque);
  return all;
}

// the reading is constant at 0.1 rad: e'' + 2 w e' + w^2 e = 0 from e = 0.1, e' = -2 w 0.1
TEST(ReferenceModel, IsDrawnToAReadingAsACriticallyDampedObserverIs) {
  Observing controller(kRate);
  ReferenceModel model(controller, one_joint(), at_most(1.0));
  ASSERT_TRUE(model.start({}, 0));
  JointMeasurements measured;
  measured.angle[0] = 0.1;
  const test::NoAlloc guard;
  for (int k = 0; k < 1000; ++k) {
    measured.sampled_ns[0] = k * 1'000'000;
    model.observe(measured);
    ASSERT_TRUE(model.advance(JointVector::Zero(1), 1e-3, (k + 1) * 1'000'000));
    const double t = 1e-3 * (k + 1);
    const double e = 0.1 * (1.0 - kRate * t) * std::exp(-kRate * t);
    ASSERT_NEAR(0.1 - model.joints()[0], e, 1e-3) << t;  // rad, w h of 0.1 rad and a bit
  }
  EXPECT_EQ(guard.count(), 0);
  EXPECT_NEAR(model.joints()[0], 0.1, 5e-3);
}

TEST(ReferenceModel, WithoutAnObserverNothingReachesIt) {
  Observing controller(0.0);
  ReferenceModel model(controller, one_joint(), at_most(1.0));
  ASSERT_TRUE(model.start({}, 0));
  JointMeasurements measured;
  measured.angle[0] = 0.1;
  measured.sampled_ns[0] = 0;
  model.observe(measured);
  ASSERT_TRUE(model.advance(JointVector::Zero(1), 1e-3, 1'000'000));
  EXPECT_EQ(model.joints()[0], 0.0);
}

TEST(ReferenceModel, TorquesEndAtWhatTheServosCanDoAndAreMarked) {
  Observing controller(0.0);
  const ReferenceModel model(controller, one_joint(), at_most(0.8));
  for (const double demanded : {0.5, 0.9, -3.0}) {
    control::ControlOutput out;
    out.tau = JointVector::Constant(1, demanded);
    model.limit(out);
    EXPECT_EQ(out.tau[0], std::clamp(demanded, -0.8, 0.8));
    EXPECT_EQ(out.is_saturated[0], std::abs(demanded) > 0.8);
  }
}

TEST(ReferenceModel, RefusesAStepThatLeavesAllBounds) {
  Observing controller(0.0);
  ReferenceModel model(controller, one_joint(), at_most(0.8));
  ASSERT_TRUE(model.start({}, 0));
  EXPECT_FALSE(model.advance(JointVector::Constant(1, std::nan("")), 1e-3, 1'000'000));
  EXPECT_FALSE(model.advance(JointVector::Constant(1, 1e5), 1e-3, 1'000'000));
  EXPECT_EQ(model.joints()[0], 0.0);
}

}  // namespace
}  // namespace kagami::runtime
