#include "tools/experiments/loop_run.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

#include "models/base/errors.hpp"
#include "models/closed_chains/closed_chain_dynamics.hpp"
#include "models/dynamics/integrator.hpp"
#include "tools/experiments/measures.hpp"
#include "tools/experiments/mechanics.hpp"
#include "tools/experiments/tree_run.hpp"

namespace kagami::tools {
namespace {

using models::Algorithm;
using models::Force;
using models::Model;

Algorithm other_than(Algorithm algorithm) {
  return algorithm == Algorithm::kAda ? Algorithm::kCrba : Algorithm::kAda;
}

/// Measures rows; the steps have a source of their own.
class LoopProbe {
 public:
  LoopProbe(const Model& model, Algorithm algorithm)
      : model_(model),
        source_(model, algorithm),
        other_(model, other_than(algorithm)),
        mechanics_(model),
        forces_(static_cast<std::size_t>(model.num_bodies())),
        vdot_(JointVector::Zero(model.num_v())),
        other_vdot_(vdot_) {}

  [[nodiscard]] std::vector<std::string> columns() const;
  /// false where there are no accelerations
  bool measure(double t, const models::State& state, std::vector<double>& row);
  [[nodiscard]] std::string problem() const;
  [[nodiscard]] Algorithm ran() const { return source_.ran(); }

 private:
  [[nodiscard]] Force from_ground() const;

  const Model& model_;
  models::ClosedChainDynamics source_;
  models::ClosedChainDynamics other_;
  MechanicsProbe mechanics_;
  std::vector<Force> forces_;
  JointVector vdot_;
  JointVector other_vdot_;
};

std::vector<std::string> LoopProbe::columns() const {
  std::vector<std::string> columns = state_columns(model_);
  for (const std::string& name : mechanics_columns()) columns.push_back(name);
  std::vector<std::string> joints;
  for (int i = 0; i < model_.num_bodies(); ++i) joints.push_back(model_.body(i).joint_name);
  for (const models::Loop& loop : model_.loops()) joints.push_back(loop.name);
  for (const std::string& joint : joints)
    for (const char* part : {".x", ".y", ".z"}) columns.push_back("F:" + joint + part);
  for (const char* name : {"smallest_singular_value", "rank", "loop_gap", "other_gap"})
    columns.emplace_back(name);
  return columns;
}

// what the loops that end in the ground exert on the bodies, about Wo
Force LoopProbe::from_ground() const {
  Force sum = Force::zero();
  for (int i = 0; i < source_.num_loops(); ++i) {
    if (model_.loops()[static_cast<std::size_t>(i)].body_b != kWorld) continue;
    const Force F = source_.wrench(i);
    const Vec3 p = loop_pose(model_, source_.dynamics().kinematics(), i).p;
    sum += Force::from(F.moment() + p.cross(F.force()), F.force());
  }
  return sum;
}

std::string LoopProbe::problem() const {
  const models::LoopStatus own = source_.status();
  return std::string("no acceleration (") +
         models::name(own == models::LoopStatus::kOk ? other_.status() : own) + ")";
}

bool LoopProbe::measure(double t, const models::State& state, std::vector<double>& row) {
  if (!source_.acceleration(t, state.q, state.v, vdot_) ||
      !other_.acceleration(t, state.q, state.v, other_vdot_))
    return false;
  for (Force& F : forces_) F = Force::zero();
  source_.add_forces(forces_);

  row = state_row(t, state, vdot_);
  append(row, mechanics_.measure(state, vdot_, forces_, from_ground()));
  std::vector<Vec3> F;
  for (int i = 0; i < model_.num_bodies(); ++i) F.push_back(mechanics_.joint_force(i).force());
  for (int i = 0; i < source_.num_loops(); ++i) F.push_back(source_.wrench(i).force());
  for (const Vec3& f : F) row.insert(row.end(), f.data(), f.data() + 3);
  const models::LoopDynamics& dynamics = source_.dynamics();
  row.insert(row.end(), {dynamics.smallest_singular_value(), static_cast<double>(source_.rank()),
                         dynamics.gap(), (vdot_ - other_vdot_).cwiseAbs().maxCoeff()});
  return true;
}

}  // namespace

void run_loops(const Model& model, const models::State& start, const ExperimentSettings& settings,
               ExperimentResult& result) {
  const Algorithm algorithm = models::algorithm(settings.algorithm);
  models::ClosedChainDynamics source(model, algorithm);
  models::Integrator integrator = integrator_of(model, settings);
  LoopProbe probe(model, algorithm);
  Trace& trace = result.trace;
  trace.columns = probe.columns();

  models::State state = start;
  double t = 0.0;
  for (const double next : times_of(settings)) {
    const models::StepStatus status =
        next > t ? integrator.advance(source, next - t, t, state) : models::StepStatus::kOk;
    if (next > t) result.ran.add(source.ran());
    if (status != models::StepStatus::kOk) {
      stop_run(t, std::string(models::name(status)) + " (" + models::name(source.status()) + ")",
               result);
      break;
    }
    t = next;
    std::vector<double> row;
    if (!probe.measure(t, state, row)) {
      stop_run(t, probe.problem(), result);
      break;
    }
    result.ran.add(probe.ran());
    trace.rows.push_back(std::move(row));
  }
  add_energy_error(trace);
}

}  // namespace kagami::tools
