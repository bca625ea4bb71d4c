// [T12] = Takahashi 2012, ch. 7: rods of 1, 1, 1, 0.5 m and 1 kg each, angles from +z about +y.
//   qddot_ref = FD_closed(q, qdot, 0, F_ex)  (7.5),   tau_ref = ID_open(q, qdot, qddot_ref)  (7.4)
// Exact, phi = theta1 from +z, u on the crank, f at the end along x, no gravity in the mechanism:
//   four-bar: three rods at distance 1/2 or 1 from their axes; (1/3 + 1 + 1/3) phi'' = u, 0.6 u
//   slider-crank: psi, the rod's angle, from cos(phi) + 2 cos(psi) = 0, k = psi' / phi'
//     M(phi) = 1/3 + 2 (1 + k^2 + 2 k cos(phi - psi)) + (2/3) k^2 + (dx/dphi)^2
//     M phi'' + (1/2) (dM/dphi) phi'^2 = u + f dx/dphi,  dx/dphi = cos(phi) + 2 k cos(psi)
#include "tools/experiments/virtual_arm.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "control/virtual/virtual_loop.hpp"
#include "models/base/errors.hpp"
#include "models/dynamics/aba.hpp"
#include "models/dynamics/energy.hpp"
#include "models/dynamics/integrator.hpp"
#include "models/spatial/rotation.hpp"
#include "tools/experiments/measures.hpp"
#include "tools/experiments/tree_run.hpp"

namespace kagami::tools {
namespace {

using control::VirtualLoop;
using control::VirtualLoopStatus;
using models::Model;
using models::Pose;

constexpr int kJoints = 4;
const Vec3 kEnd(0.0, 0.0, 0.5);  // m, of link 4

models::Loop loop_of(const std::string& name, int a, const Pose& X_AL, int b, const Pose& X_BJ,
                     models::JointType type) {
  models::Loop l;
  l.name = name;
  l.body_a = a;
  l.body_b = b;
  l.X_AL = X_AL;
  l.X_BJ = X_BJ;
  l.joint.type = type;
  l.joint.axis = type == models::JointType::kPrismatic ? Vec3(Vec3::UnitX()) : Vec3(Vec3::Zero());
  return l;
}

std::vector<models::Loop> loops_of(ArmMechanism mechanism) {
  const Mat3 half_turn = models::rotation_about(Vec3::UnitY(), 180.0 / kDegPerRad);
  if (mechanism == ArmMechanism::kFourBar)
    return {loop_of("coupler", 3, Pose{}, kWorld, Pose{half_turn, Vec3(1.0, 0.0, 0.0)},
                    models::JointType::kFixed)};
  return {loop_of("rod", 2, Pose{}, 1, Pose{Mat3::Identity(), Vec3(0.0, 0.0, 1.0)},
                  models::JointType::kFixed),
          loop_of("guide", 3, Pose{half_turn, Vec3::Zero()}, kWorld, Pose{},
                  models::JointType::kPrismatic)};
}

/// The open arm under gravity and its controller.
class ControlledArm final : public models::AccelerationSource {
 public:
  ControlledArm(const Model& arm, ArmMechanism mechanism, const ArmLaw& law)
      : arm_(arm), aba_(arm), mechanism_(arm), tau_(JointVector::Zero(kJoints)) {
    if (mechanism == ArmMechanism::kOpen) return;
    mechanism_ = control::virtual_mechanism(arm, loops_of(mechanism));
    loop_ = std::make_unique<VirtualLoop>(arm, mechanism_, control::VirtualLoopSettings{});
    set_law(law);
  }

  bool acceleration(double, const JointVector& q, const JointVector& v,
                    JointVector& vdot) noexcept override {
    if (loop_ && (status_ = loop_->update(q, v, tau_)) != VirtualLoopStatus::kOk) return false;
    vdot.resize(v.size());
    models::aba(arm_, q, v, tau_, aba_, vdot);
    return true;
  }

  [[nodiscard]] const JointVector& tau() const { return tau_; }
  [[nodiscard]] const char* status() const { return control::name(status_); }
  [[nodiscard]] const VirtualLoop* loop() const { return loop_.get(); }
  [[nodiscard]] int num_loops() const { return static_cast<int>(mechanism_.loops().size()); }

 private:
  void set_law(const ArmLaw& law) {
    control::JointFeedback f = control::no_joint_feedback(arm_);
    for (int i = 0; i < kJoints; ++i) {
      const auto k = static_cast<std::size_t>(i);
      f.kp[i] = law.kp[k];
      f.kd[i] = law.kd[k];
      f.target[i] = law.target_deg[k] / kDegPerRad;
    }
    loop_->set_feedback(f);
    if (law.end_kp == 0.0) return;
    control::FrameFeedback end;
    end.frame = {"end", 3, Pose{Mat3::Identity(), kEnd}};
    end.kp[3] = law.end_kp;
    end.kd[3] = law.end_kd;
    end.target.p.x() = law.end_target;
    loop_->set_feedback(end);
  }

  const Model& arm_;
  models::AbaWorkspace aba_;
  Model mechanism_;
  std::unique_ptr<VirtualLoop> loop_;
  JointVector tau_;
  VirtualLoopStatus status_ = VirtualLoopStatus::kOk;
};

// what a row has after the state
void append_arm(const Model& arm, const ControlledArm& source, const ArmLaw& law,
                const models::State& s, models::Kinematics& k, std::vector<double>& row) {
  models::forward_kinematics(arm, s.q, s.v, k);
  const Vec3 end = k.X_WB[3] * kEnd;
  const Vec3 omega = k.tree.V[3].angular();
  const Vec3 v_end = k.X_WB[3].R * (k.tree.V[3].linear() + omega.cross(kEnd));
  row.insert(row.end(), source.tau().data(), source.tau().data() + kJoints);
  row.insert(row.end(), {end.x(), end.z(), v_end.x(), v_end.z()});
  const VirtualLoop* loop = source.loop();
  const bool by_end = law.end_kp > 0.0;
  const double u = loop == nullptr ? 0.0
                   : by_end        ? loop->frame_force().force().x()
                                   : loop->joint_force()[0];
  const double error = by_end ? law.end_target - end.x() : law.target_deg[0] / kDegPerRad - s.q[0];
  double force = 0.0;
  if (loop != nullptr)
    for (int i = 0; i < source.num_loops(); ++i)
      force = std::max(force, loop->dynamics().wrench(i).force().norm());
  row.insert(row.end(),
             {u, error, by_end ? -v_end.x() : -s.v[0],
              models::kinetic_energy(arm, s.v, k) + models::potential_energy(arm, k),
              loop == nullptr ? 0.0 : loop->dynamics().smallest_singular_value(), force});
}

/// One degree of freedom: phi'' of the mechanism under its law.
class ExactArm {
 public:
  ExactArm(ArmMechanism mechanism, const ArmLaw& law) : mechanism_(mechanism), law_(law) {}

  [[nodiscard]] double operator()(double phi, double rate) const {
    const double u = law_.kp[0] * (law_.target_deg[0] / kDegPerRad - phi) - law_.kd[0] * rate;
    if (mechanism_ == ArmMechanism::kFourBar) {
      // joint 4 turns against joint 1
      const double u4 = law_.kp[3] * (law_.target_deg[3] / kDegPerRad + phi) + law_.kd[3] * rate;
      return 0.6 * (u - u4);
    }
    const double c = std::cos(phi);
    const double s = std::sin(phi);
    const double c_rod = -0.5 * c;
    const double s_rod = std::sqrt(1.0 - c_rod * c_rod);
    const double k = -0.5 * s / s_rod;
    const double dk = -0.5 * c / s_rod + 0.5 * s * c_rod * k / (s_rod * s_rod);
    const double between = c * c_rod + s * s_rod;  // cos(phi - psi)
    const double across = s * c_rod - c * s_rod;   // sin(phi - psi)
    const double dx = c + 2.0 * k * c_rod;
    const double ddx = -s + 2.0 * dk * c_rod - 2.0 * k * k * s_rod;
    const double M =
        1.0 / 3.0 + 2.0 * (1.0 + k * k + 2.0 * k * between) + 2.0 / 3.0 * k * k + dx * dx;
    const double dM = 2.0 * (2.0 * k * dk + 2.0 * dk * between - 2.0 * k * across * (1.0 - k)) +
                      4.0 / 3.0 * k * dk + 2.0 * dx * ddx;
    const double f = law_.end_kp * (law_.end_target - s - 2.0 * s_rod) - law_.end_kd * dx * rate;
    return (u + f * dx - 0.5 * dM * rate * rate) / M;
  }

 private:
  ArmMechanism mechanism_;
  const ArmLaw& law_;
};

}  // namespace

models::State arm_start(const Model& arm, ArmMechanism mechanism, double theta1_deg) {
  models::State s = models::neutral_state(arm);
  if (mechanism == ArmMechanism::kOpen) {
    s.q << 60.0, 30.0, 150.0, 300.0;
  } else if (mechanism == ArmMechanism::kFourBar) {
    s.q << theta1_deg, 90.0 - theta1_deg, 90.0 + theta1_deg, -theta1_deg;
  } else {
    const double rod = kDegPerRad * std::acos(-0.5 * std::cos(theta1_deg / kDegPerRad));
    s.q << theta1_deg, rod - theta1_deg, 0.0, 180.0 - rod;
  }
  s.q /= kDegPerRad;
  return s;
}

Trace run_arm(const Model& arm, ArmMechanism mechanism, const ArmLaw& law,
              const models::State& start, const ExperimentSettings& settings) {
  ControlledArm source(arm, mechanism, law);
  models::Integrator integrator = integrator_of(arm, settings);
  models::Kinematics kinematics(arm);
  Trace trace;
  trace.columns = state_columns(arm);
  for (const std::string& name : prefixed("tau:", velocity_names(arm)))
    trace.columns.push_back(name);
  for (const char* name : {"endx", "endz", "endvx", "endvz", "u", "error", "error_rate", "E",
                           "smallest_singular_value", "force"})
    trace.columns.emplace_back(name);

  models::State state = start;
  JointVector vdot;
  double t = 0.0;
  for (const double next : times_of(settings)) {
    const models::StepStatus status =
        next > t ? integrator.advance(source, next - t, t, state) : models::StepStatus::kOk;
    if (status != models::StepStatus::kOk || !source.acceleration(next, state.q, state.v, vdot))
      throw Error("the simulation stopped at t = " + full_digits(t) +
                  " s: " + models::name(status) + " (controller: " + source.status() + ")");
    t = next;
    trace.rows.push_back(state_row(t, state, vdot));
    append_arm(arm, source, law, state, kinematics, trace.rows.back());
  }
  return trace;
}

void add_exact_arm(ArmMechanism mechanism, const ArmLaw& law, Trace& trace) {
  const ExactArm exact(mechanism, law);
  const std::size_t q = trace.index("q:joint1");
  const std::size_t vdot = trace.index("vdot:joint1");
  for (const char* name : {"theta1_gap", "vdot1_gap"}) trace.columns.emplace_back(name);
  double phi = trace.rows.front()[q];
  double rate = 0.0;
  double t = 0.0;
  for (std::vector<double>& row : trace.rows) {
    constexpr int kParts = 8;
    const double h = (row[0] - t) / kParts;
    for (int i = 0; i < kParts; ++i) {  // classical Runge-Kutta
      const double a1 = exact(phi, rate);
      const double a2 = exact(phi + 0.5 * h * rate, rate + 0.5 * h * a1);
      const double a3 = exact(phi + 0.5 * h * rate + 0.25 * h * h * a1, rate + 0.5 * h * a2);
      const double a4 = exact(phi + h * rate + 0.5 * h * h * a2, rate + h * a3);
      phi += h * rate + h * h / 6.0 * (a1 + a2 + a3);
      rate += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    t = row[0];
    row.insert(row.end(), {row[q] - phi, row[vdot] - exact(phi, rate)});
  }
}

}  // namespace kagami::tools
