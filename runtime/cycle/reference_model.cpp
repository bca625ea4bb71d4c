#include "runtime/cycle/reference_model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "models/closed_chains/loop_dynamics.hpp"
#include "models/forward/forward_dynamics.hpp"
#include "models/robot/joint_places.hpp"

namespace kagami::runtime {
namespace {

constexpr double kFastest = 100.0;  // rad/s, beyond it the model has left its bounds

models::JointPlaces places_of(const models::Model& model, const RobotWiring& wiring) {
  std::vector<std::string> names;
  for (const JointWiring& joint : wiring.joints) names.push_back(joint.joint);
  return models::joint_places(model, names);
}

}  // namespace

struct ReferenceModel::Inside {
  Inside(control::Controller& c, const RobotWiring& wiring, const JointArray<double>& most,
         const models::DynamicsChoice& choice)
      : controller(c),
        model(*c.reference_model()),
        places(places_of(model, wiring)),
        num_boards(static_cast<int>(wiring.boards.size())),
        torque_max(most),
        state(models::neutral_state(model)),
        next(state),
        vdot(state.v) {
    for (std::size_t i = 0; i < wiring.joints.size(); ++i) {
      board[i] = static_cast<std::int8_t>(wiring.joints[i].board());
    }
    compared_ns.fill(-1);
    if (model.loops().empty()) {
      dynamics.emplace(models::robot_forward_dynamics(model, choice));
    } else {
      loops.emplace(model);
    }
  }

  void find_fastest() noexcept {
    for (int j = 0; j < places.num && finding.joint < 0; ++j) {
      const double rate = next.v[places.v[static_cast<std::size_t>(j)]];
      if (!(std::abs(rate) < kFastest)) finding = {j, rate};
    }
  }

  void show() noexcept { models::take_q(places, state.q, joints); }

  // v' = a + w^2 e, q' = v + 2 w e: an observer, critically damped
  [[nodiscard]] bool step(const JointVector& tau, double dt) noexcept {
    const double w = controller.observer_rate();
    next = state;
    for (int j = 0; j < places.num && w > 0.0; ++j) {
      const auto i = static_cast<std::size_t>(j);
      next.v[places.v[i]] += w * w * error[i] * dt;
      next.q[places.q[i]] += 2.0 * w * error[i] * dt;
    }
    if (loops) return loop_step(tau, dt);
    if (dynamics->run(next.q, next.v, tau, vdot) != models::DynamicsStatus::kOk) return false;
    next.v += dt * vdot;
    models::integrate(model, next.v, dt, next.q);
    return true;
  }

  // one factor a step, where LoopStepper takes three: the gap that the last step left is taken up
  // by one round before this one, and v is brought along the loops at the step's start
  [[nodiscard]] bool loop_step(const JointVector& tau, double dt) noexcept {
    if (loops->project_position(1, next.q) != models::LoopStatus::kOk) return false;
    if (!(loops->gap() <= models::kOpenGap)) return false;
    loops->project_velocity(next.v, true);
    if (loops->accelerate(next.q, next.v, tau, models::ExternalLoads{}, vdot) !=
        models::LoopStatus::kOk) {
      return false;
    }
    loops->straighten(next.q, next.v, vdot);
    next.v += dt * vdot;
    models::integrate(model, next.v, dt, next.q);
    return true;
  }

  control::Controller& controller;
  const models::Model& model;
  models::JointPlaces places;
  int num_boards;
  JointArray<double> torque_max;
  JointArray<std::int8_t> board{};
  std::optional<models::ForwardDynamics> dynamics;
  std::optional<models::LoopDynamics> loops;
  models::State state;
  models::State next;
  JointVector vdot;
  JointArray<double> joints{};
  control::ControlFinding finding;
  JointArray<double> error{};  // rad, measured minus model at the reading's time
  StateHistory history;
  std::array<std::int64_t, kMaxBoards> compared_ns{};
};

ReferenceModel::ReferenceModel(control::Controller& controller, const RobotWiring& wiring,
                               const JointArray<double>& torque_max,
                               const models::DynamicsChoice& dynamics)
    : inside_(std::make_unique<Inside>(controller, wiring, torque_max, dynamics)) {}
ReferenceModel::~ReferenceModel() = default;
ReferenceModel::ReferenceModel(ReferenceModel&&) noexcept = default;

const control::ControlFinding& ReferenceModel::finding() const noexcept {
  return inside_->finding;
}

const models::State& ReferenceModel::state() const noexcept {
  return inside_->state;
}

const JointArray<double>& ReferenceModel::joints() const noexcept {
  return inside_->joints;
}

bool ReferenceModel::start(const JointArray<double>& q, std::int64_t now_ns) noexcept {
  Inside& m = *inside_;
  if (!m.controller.place(q, m.next.q)) return false;
  m.state.q = m.next.q;
  m.state.v.setZero();
  m.error.fill(0.0);
  m.show();
  m.history.clear();
  m.history.push(now_ns, m.joints);
  return true;
}

void ReferenceModel::limit(control::ControlOutput& out) const noexcept {
  const Inside& m = *inside_;
  for (int j = 0; j < m.places.num; ++j) {
    const auto i = static_cast<std::size_t>(j);
    double& tau = out.tau[m.places.v[i]];
    const double limited = std::clamp(tau, -m.torque_max[i], m.torque_max[i]);  // NaN stays NaN
    out.is_saturated[i] = out.is_saturated[i] || tau != limited;
    tau = limited;
  }
}

bool ReferenceModel::advance(const JointVector& tau, double dt, std::int64_t now_ns) noexcept {
  Inside& m = *inside_;
  m.finding = {};
  if (!m.step(tau, dt)) return false;
  if (!m.next.q.allFinite() || !(m.next.v.cwiseAbs().maxCoeff() < kFastest)) {
    m.find_fastest();
    return false;
  }
  m.state = m.next;
  m.show();
  m.history.push(now_ns, m.joints);
  return true;
}

void ReferenceModel::observe(const JointMeasurements& measured) noexcept {
  Inside& m = *inside_;
  for (int b = 0; b < m.num_boards; ++b) {
    const auto at = static_cast<std::size_t>(b);
    if (measured.sampled_ns[at] <= m.compared_ns[at]) continue;
    m.compared_ns[at] = measured.sampled_ns[at];
    JointArray<double> q{};
    if (m.history.at(measured.sampled_ns[at], q) == HistoryAnswer::kTooOld) continue;
    for (int j = 0; j < m.places.num; ++j) {
      const auto i = static_cast<std::size_t>(j);
      if (m.board[i] == b) m.error[i] = measured.angle[i] - q[i];
    }
  }
}

}  // namespace kagami::runtime
