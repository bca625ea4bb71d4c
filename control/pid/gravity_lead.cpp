#include "control/pid/gravity_lead.hpp"

#include <cmath>
#include <string>

#include "models/base/errors.hpp"

namespace kagami::control {

GravityLead::GravityLead(const models::Model& model, std::span<const double> stiffness,
                         std::span<const std::string> joint_names)
    : model_(model),
      stiffness_(stiffness.begin(), stiffness.end()),
      workspace_(model_),
      q_(JointVector::Zero(model.num_q())),
      rest_(JointVector::Zero(model.num_v())),
      tau_(JointVector::Zero(model.num_v())) {
  if (model.num_v() != static_cast<int>(joint_names.size())) {
    throw ConfigError(
        "pid: gravity_feed_forward requires a held base, the base of this robot floats: expected "
        "--on stand");
  }
  for (std::size_t j = 0; j < stiffness_.size(); ++j) {
    if (stiffness_[j] > 0.0 && std::isfinite(stiffness_[j])) continue;
    throw ConfigError("pid: joint " + joint_names[j] +
                      ": gravity_feed_forward requires the servo's stiffness (kp), which is " +
                      std::to_string(stiffness_[j]) + ", expected > 0 N m/rad");
  }
}

void GravityLead::at(const JointArray<double>& q, JointArray<double>& lead) noexcept {
  for (Eigen::Index j = 0; j < q_.size(); ++j) q_[j] = q[static_cast<std::size_t>(j)];
  models::rnea(model_, q_, rest_, rest_, workspace_, tau_);
  for (std::size_t j = 0; j < stiffness_.size(); ++j) {
    lead[j] = tau_[static_cast<Eigen::Index>(j)] / stiffness_[j];
  }
}

}  // namespace kagami::control
