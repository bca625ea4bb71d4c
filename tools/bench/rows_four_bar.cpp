// One step of 1 ms of the general four-bar, and how well 10 s of it close and keep their energy.
#include <cmath>
#include <stdexcept>
#include <string>

#include "models/closed_chains/closed_chain_stepper.hpp"
#include "models/dynamics/energy.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/robot/state.hpp"
#include "tools/bench/measure.hpp"
#include "tools/bench/our_model.hpp"
#include "tools/bench/rows.hpp"

namespace kagami::bench {
namespace {

using models::LoopStatus;
using Step = LoopStatus (models::ClosedChainStepper::*)(const JointVector&, double, models::State&);

constexpr double kDt = 1e-3;  // s

models::Model four_bar_model(const FourBar& bar) {
  models::Pose X_AL;
  X_AL.p = Vec3(bar.dx(2), 0, bar.dz(2));
  models::Pose X_WJ;
  X_WJ.p = Vec3(bar.pivots[3][0], 0, bar.pivots[3][1]);
  models::Joint hinge;
  hinge.type = models::JointType::kRevolute;
  hinge.axis = Vec3::UnitY();
  models::ModelBuilder builder = our_builder(bar.tree());
  builder.add_loop("closing", 2, X_AL, kWorld, X_WJ, hinge);
  return builder.build();
}

/// Energy (J) and then gap (m) of a state, independent of the stepper's own result.
struct Watch {
  explicit Watch(const models::Model& m) : model(m), kinematics(m) {}

  double energy(const models::State& s) {
    forward_kinematics(model, s.q, s.v, kinematics);
    return kinetic_energy(model, s.v, kinematics) + potential_energy(model, kinematics);
  }

  /// Of the state of the last call of energy().
  double gap(const FourBar& bar) const {
    const models::Frame tip{"tip", 2, {Mat3::Identity(), Vec3(bar.dx(2), 0, bar.dz(2))}};
    const Vec3 p = frame_pose(kinematics, tip).p;
    return std::hypot(p.x() - bar.pivots[3][0], p.y(), p.z() - bar.pivots[3][1]);
  }

  const models::Model& model;
  models::Kinematics kinematics;
};

void add_steps(const std::string& row, Step step) {
  add_row(row, [step](benchmark::State& state) {
    const FourBar bar;
    const models::Model model = four_bar_model(bar);
    const JointVector tau = JointVector::Zero(model.num_v());
    models::ClosedChainStepper stepper(model);
    models::State s = neutral_state(model);
    Watch watch(model);
    const auto take = [&] {
      if ((stepper.*step)(tau, kDt, s) != LoopStatus::kOk)
        throw std::runtime_error("the four-bar stopped");
    };
    watch_four_bar(
        state, take, [&] { return watch.gap(bar); }, [&] { return watch.energy(s); });
    s = neutral_state(model);
    bool fine = true;  // a refused step would be a cheap one
    measure(state, [&](int) { fine = (stepper.*step)(tau, kDt, s) == LoopStatus::kOk && fine; });
    if (!fine) throw std::runtime_error("the four-bar stopped while it was timed");
  });
}

}  // namespace

void add_four_bar_rows() {
  add_steps("four_bar/semi_implicit", &models::ClosedChainStepper::semi_implicit);
  add_steps("four_bar/fourth_order", &models::ClosedChainStepper::runge_kutta_4);
}

}  // namespace kagami::bench
