#include "tools/experiments/tree_run.hpp"

#include <algorithm>

#include "models/base/errors.hpp"
#include "models/dynamics/integrator.hpp"
#include "models/forward/forward_dynamics.hpp"
#include "models/robot/read_model.hpp"
#include "tools/experiments/measures.hpp"
#include "tools/experiments/mechanics.hpp"

namespace kagami::tools {
namespace {

using models::Model;

/// The tree without joint forces, by the chosen algorithm.
class FreeSource final : public models::AccelerationSource {
 public:
  FreeSource(const Model& model, models::Algorithm algorithm)
      : tau_(JointVector::Zero(model.num_v())), dynamics_(model, algorithm) {}
  bool acceleration(double /*t*/, const JointVector& q, const JointVector& v,
                    JointVector& vdot) noexcept override {
    return dynamics_.run(q, v, tau_, vdot) == models::DynamicsStatus::kOk;
  }
  [[nodiscard]] const std::string& notice() const { return dynamics_.notice(); }
  [[nodiscard]] models::Algorithm ran() const { return dynamics_.ran(); }

 private:
  JointVector tau_;
  models::ForwardDynamics dynamics_;
};

}  // namespace

Model experiment_model(const std::string& experiment, const DataFolders& data,
                       const std::string& robot, int num_q, int num_v, int num_loops) {
  Model model = models::read_model(find_robot(data, robot)).model;
  const int loops = static_cast<int>(model.loops().size());
  if (model.num_q() != num_q || model.num_v() != num_v || loops != num_loops)
    throw ModelError("robot " + robot + " has " + std::to_string(model.num_q()) + " coordinates, " +
                     std::to_string(model.num_v()) + " velocities and " + std::to_string(loops) +
                     " loops; experiment " + experiment + " expects " + std::to_string(num_q) +
                     ", " + std::to_string(num_v) + " and " + std::to_string(num_loops));
  return model;
}

models::Integrator integrator_of(const Model& model, const ExperimentSettings& settings) {
  return {model, models::scheme(settings.integrator),
          models::StepControl{1e-9, std::min(1e-9, settings.dt), settings.dt}};
}

void stop_run(double t, const std::string& why, ExperimentResult& result) {
  const std::string problem = "the simulation stopped at t = " + full_digits(t) + " s: " + why;
  if (result.trace.rows.empty()) throw Error(problem);
  result.problem = problem;
}

void run_tree(const Model& model, const models::State& start, const ExperimentSettings& settings,
              ExperimentResult& result) {
  FreeSource source(model, models::algorithm(settings.algorithm));
  if (!source.notice().empty()) result.notices.push_back(source.notice());
  models::Integrator integrator = integrator_of(model, settings);
  MechanicsProbe probe(model);
  Trace& trace = result.trace;
  trace.columns = state_columns(model);
  for (const std::string& name : mechanics_columns()) trace.columns.push_back(name);

  models::State state = start;
  JointVector vdot = JointVector::Zero(model.num_v());
  double t = 0.0;
  for (const double next : times_of(settings)) {
    const models::StepStatus status =
        next > t ? integrator.advance(source, next - t, t, state) : models::StepStatus::kOk;
    if (next > t) result.ran.add(source.ran());
    if (status != models::StepStatus::kOk) {
      stop_run(t, models::name(status), result);
      break;
    }
    t = next;
    if (!source.acceleration(t, state.q, state.v, vdot)) {
      stop_run(t, "no acceleration", result);
      break;
    }
    result.ran.add(source.ran());
    trace.rows.push_back(state_row(t, state, vdot));
    append(trace.rows.back(), probe.measure(state, vdot));
  }
  add_energy_error(trace);
}

}  // namespace kagami::tools
