#include "models/forward/forward_dynamics.hpp"

#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

#include "models/base/errors.hpp"
#include "models/dynamics/aba.hpp"
#include "models/dynamics/ada.hpp"
#include "models/dynamics/crba.hpp"
#include "models/dynamics/dca.hpp"
#include "models/dynamics/motion_residual.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/dynamics/sparse_cholesky.hpp"
#include "models/hybrid/hybrid_algorithm.hpp"

namespace kagami::models {
namespace {

DynamicsStatus deliver(const JointVector& result, JointVector& vdot) noexcept {
  if (!std::isfinite(result.squaredNorm())) return DynamicsStatus::kSingular;
  vdot = result;
  return DynamicsStatus::kOk;
}

// H vdot = tau - b
class ByMassMatrix final : public ForwardAlgorithm {
 public:
  explicit ByMassMatrix(const Model& model)
      : model_(model),
        parent_(dof_parents(model)),
        crba_(model),
        rnea_(model),
        H_(JointMatrix::Zero(model.num_v(), model.num_v())),
        at_rest_(JointVector::Zero(model.num_v())) {}

  DynamicsStatus run(const JointVector& q, const JointVector& v, const JointVector& tau,
                     const ExternalLoads& extras, JointVector& vdot) noexcept override {
    crba(model_, q, crba_, H_);
    if (extras.added_inertia != nullptr) {
      H_.diagonal() += *extras.added_inertia - model_.rotor_inertia();
    }
    rnea(model_, q, v, at_rest_, ExternalLoads{.F_ext = extras.F_ext}, rnea_, result_);
    result_ = tau - result_;
    if (!factor_tree(parent_, H_)) return DynamicsStatus::kSingular;
    solve_tree(parent_, H_, result_);
    return deliver(result_, vdot);
  }

 private:
  const Model& model_;
  std::vector<int> parent_;
  CrbaWorkspace crba_;
  RneaWorkspace rnea_;
  JointMatrix H_;
  JointVector at_rest_;
  JointVector result_;
};

class ByArticulatedBodies final : public ForwardAlgorithm {
 public:
  explicit ByArticulatedBodies(const Model& model) : model_(model), w_(model) {}

  DynamicsStatus run(const JointVector& q, const JointVector& v, const JointVector& tau,
                     const ExternalLoads& extras, JointVector& vdot) noexcept override {
    aba(model_, q, v, tau, extras, w_, result_);
    return deliver(result_, vdot);
  }

 private:
  const Model& model_;
  AbaWorkspace w_;
  JointVector result_;
};

// Two-handle bodies hold inverse inertias: next to a light link the digits of a heavy one go. So
// an acceleration has to satisfy the equations of motion; otherwise the joints are joined from the
// tips to the base, where no inertia is inverted.
template <class Assembling>
class ByAssembly final : public ForwardAlgorithm {
 public:
  ByAssembly(const Model& model, const AssemblyOrder& order)
      : residual_(model), assembling_(model, order), inward_(model, tip_to_base_order(model)) {}

  DynamicsStatus run(const JointVector& q, const JointVector& v, const JointVector& tau,
                     const ExternalLoads& extras, JointVector& vdot) noexcept override {
    inward_ran_ = false;
    const DynamicsStatus status = assembling_.run(q, v, tau, extras, result_);
    if (status == DynamicsStatus::kOk &&
        (goes_inward() || residual_.largest(q, v, tau, extras, result_) <= kLargestResidual)) {
      vdot = result_;
      return status;
    }
    if (status != DynamicsStatus::kOk && goes_inward()) return status;
    inward_ran_ = true;
    return inward_.run(q, v, tau, extras, vdot);
  }
  Force joint_force(BodyIndex body) const noexcept override {
    return inward_ran_ ? inward_.joint_force(body) : assembling_.joint_force(body);
  }
  bool has_joint_forces() const noexcept override { return true; }
  std::optional<Algorithm> substitute() const noexcept override {
    if (std::is_same_v<Assembling, Dca> && inward_ran_) return Algorithm::kAda;
    return std::nullopt;
  }

 private:
  // nothing is inverted then: the articulated-body algorithm
  bool goes_inward() const noexcept {
    return std::is_same_v<Assembling, Ada> && assembling_.plan().goes_tip_to_base();
  }

  MotionResidual residual_;
  Assembling assembling_;
  Ada inward_;
  JointVector result_;
  bool inward_ran_ = false;
};

std::unique_ptr<ForwardAlgorithm> make(const Model& model, Algorithm which,
                                       const AssemblyOrder& order, std::string& notice) {
  if (!order.empty() && which != Algorithm::kDca && which != Algorithm::kAda) {
    throw ConfigError(std::string("algorithm '") + name(which) +
                      "' takes no order of assembly; dca and ada do");
  }
  switch (which) {
    case Algorithm::kCrba:
      return std::make_unique<ByMassMatrix>(model);
    case Algorithm::kAba:
      return std::make_unique<ByArticulatedBodies>(model);
    case Algorithm::kDca:
      return std::make_unique<ByAssembly<Dca>>(model, order);
    case Algorithm::kAda:
      return std::make_unique<ByAssembly<Ada>>(model, order);
    case Algorithm::kHybrid:
      break;
  }
  auto hybrid = std::make_unique<HybridAlgorithm>(model);
  if (!hybrid->available()) notice = "hybrid: no generated code for this robot, ada serves";
  return hybrid;
}

// the accelerations of the tree alone would be wrong for a closed chain
const Model& open_tree(const Model& model) {
  if (model.loops().empty()) return model;
  throw ModelError("forward dynamics: the model has " + std::to_string(model.loops().size()) +
                   " loops, first '" + model.loops().front().name +
                   "'; expected an open tree (ClosedChainDynamics computes closed chains)");
}

}  // namespace

ForwardDynamics::ForwardDynamics(const Model& model, Algorithm algorithm,
                                 const AssemblyOrder& order)
    : model_(open_tree(model)),
      algorithm_(algorithm),
      made_(make(model, algorithm, order, notice_)) {}

ForwardDynamics::ForwardDynamics(const Model& model, Algorithm algorithm,
                                 std::unique_ptr<ForwardAlgorithm> made, std::string notice)
    : model_(open_tree(model)),
      algorithm_(algorithm),
      notice_(std::move(notice)),
      made_(std::move(made)) {
  if (made_ == nullptr) throw ConfigError(std::string(name(algorithm)) + ": no algorithm given");
}

DynamicsStatus ForwardDynamics::run(const JointVector& q, const JointVector& v,
                                    const JointVector& tau, const ExternalLoads& extras,
                                    JointVector& vdot) noexcept {
  const DynamicsStatus inputs = check_inputs(model_, q, v, tau, extras);
  if (inputs != DynamicsStatus::kOk) return inputs;
  return made_->run(q, v, tau, extras, vdot);
}

DynamicsStatus ForwardDynamics::run(const JointVector& q, const JointVector& v,
                                    const JointVector& tau, JointVector& vdot) noexcept {
  return run(q, v, tau, ExternalLoads{}, vdot);
}

ForwardDynamics robot_forward_dynamics(const Model& model, Algorithm algorithm,
                                       const std::filesystem::path& folder) {
  if (algorithm != Algorithm::kHybrid || folder.empty()) return {model, algorithm};
  std::string notice;
  auto owner = hybrid::load_owner_code(folder, model, notice);
  if (owner == nullptr && notice.empty()) return {model, algorithm};
  auto made = std::make_unique<HybridAlgorithm>(model, std::move(owner));
  if (!notice.empty())
    notice += made->available() ? "; the code that we ship serves" : "; ada serves";
  return {model, algorithm, std::move(made), notice};
}

ForwardDynamics robot_forward_dynamics(const Model& model, const DynamicsChoice& choice) {
  return robot_forward_dynamics(model, choice.algorithm, choice.folder);
}

void require_dynamics(const Model& model, const DynamicsChoice& choice, std::string_view name) {
  if (choice.algorithm != Algorithm::kHybrid) return;
  if (robot_forward_dynamics(model, choice).available()) return;
  std::string refusal;
  if (!choice.folder.empty()) {
    static_cast<void>(hybrid::load_owner_code(choice.folder, model, refusal));
  }
  throw ConfigError("dynamics 'hybrid': no generated code for " + std::string(name) +
                    (refusal.empty() ? "" : " (" + refusal + ")") +
                    "; expected crba, aba, dca or ada, or code made by 'kagami robot generate'");
}

}  // namespace kagami::models
