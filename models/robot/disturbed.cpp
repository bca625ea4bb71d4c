#include "models/robot/disturbed.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "models/robot/builder.hpp"

namespace kagami::models {
namespace {

using Kind = DisturbanceKind;

// a frame or a link by its name, else the link behind a joint
Frame named_frame(const Disturbance& d, const Model& model) {
  const BodyIndex behind = model.find_joint(d.body);
  for (const Frame& frame : model.frames()) {
    if (frame.name == d.body) return frame;
  }
  const BodyIndex body = model.find_body(d.body);
  if (body >= 0) return {d.body, body, Pose{}};
  if (behind >= 0) return {d.body, behind, Pose{}};
  fail(d, "body", "'" + d.body + "' is not a link, frame or joint of the robot");
}

}  // namespace

HoldPoint hold_point(const Disturbance& d, const Model& model) {
  const Frame frame = d.body.empty() ? Frame{"", 0, Pose{}} : named_frame(d, model);
  HoldPoint hold;
  hold.body = frame.body;
  hold.R_BF = frame.X_BF.R;
  hold.at_com = !d.point.has_value();
  if (d.point) {
    hold.p_BP = frame.X_BF * *d.point;
  } else if (frame.body >= 0 && model.body(frame.body).inertia.mass > 0.0) {
    hold.p_BP = model.body(frame.body).inertia.com();
  }
  return hold;
}

int torque_dof(const Disturbance& d, const Model& model) {
  const BodyIndex body = model.find_joint(d.joint);
  if (body < 0) fail(d, "joint", "'" + d.joint + "' is not a joint of the robot");
  if (model.body(body).nv != 1)
    fail(d, "joint",
         "'" + d.joint + "' has " + std::to_string(model.body(body).nv) +
             " degrees of freedom, expected one");
  return model.body(body).v_index;
}

Model loaded_model(const Model& model, const std::vector<Payload>& payloads) {
  ModelBuilder builder(model);
  for (const Payload& p : payloads) {
    const double I = 0.4 * p.mass * kPayloadRadius * kPayloadRadius;
    builder.weld_mass(p.body, {p.mass, p.p_BP, I * Mat3::Identity()});
  }
  return builder.build();
}

Disturbed::Disturbed(const Model& model, const std::vector<Disturbance>& all) {
  const auto moving = [&model](const Disturbance& d) {
    const HoldPoint hold = hold_point(d, model);
    if (hold.body < 0 || model.body(hold.body).held)
      fail(d, "body", "'" + d.body + "' does not move, expected a link that does");
    return hold;
  };
  for (const Disturbance& d : all) {
    if (d.kind == Kind::kForce || d.kind == Kind::kWrench) {
      loads_.push_back({moving(d), d.in_body_axes, d.force, d.moment, d.when});
    } else if (d.kind == Kind::kTorque) {
      torques_.push_back({torque_dof(d, model), d.torque, d.when});
    } else if (d.kind == Kind::kGround) {
      tilts_.push_back({d.slope, d.toward, d.when});
    } else if (d.kind == Kind::kPayload) {
      const HoldPoint hold = moving(d);
      if (payloads_.size() == idx(kMaxPayloads))
        fail(d, "kind", "more than " + std::to_string(kMaxPayloads) + " payloads");
      payloads_.push_back({{hold.body, hold.p_BP, d.mass}, d.when});
    }
  }
  if (!loads_.empty() || !tilts_.empty()) X_WB_.resize(idx(model.num_bodies()));
  if (!payloads_.empty()) load_models(model);
}

// a model for each set of payloads that is on at some time: sets change where one begins or ends
void Disturbed::load_models(const Model& model) {
  load_of_.assign(std::size_t{1} << payloads_.size(), 0);
  std::vector<double> changes;
  for (const Ballast& b : payloads_) {
    changes.push_back(b.when.from);
    changes.push_back(b.when.until);
  }
  std::sort(changes.begin(), changes.end());
  for (const double t : changes) {
    const unsigned carried = carried_at(t);
    if (carried == 0 || load_of_[carried] != 0) continue;
    std::vector<Payload> some;
    for (std::size_t i = 0; i < payloads_.size(); ++i) {
      if ((carried >> i & 1u) != 0) some.push_back(payloads_[i].payload);
    }
    loaded_.push_back(loaded_model(model, some));
    load_of_[carried] = static_cast<int>(loaded_.size());
  }
}

unsigned Disturbed::carried_at(double t) const noexcept {
  unsigned carried = 0;
  for (std::size_t i = 0; i < payloads_.size(); ++i) {
    if (payloads_[i].when.acts(t)) carried |= 1u << i;
  }
  return carried;
}

int Disturbed::load_at(double t) const noexcept {
  return load_of_.empty() ? 0 : load_of_[carried_at(t)];
}

bool Disturbed::pulls_at(double t) const noexcept {
  const auto acts = [t](const auto& d) { return d.when.acts(t); };
  return std::any_of(loads_.begin(), loads_.end(), acts) ||
         std::any_of(tilts_.begin(), tilts_.end(), acts);
}

void Disturbed::place(const Model& model, const JointVector& q) noexcept {
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    X_WB_[idx(i)] = b.X_PJ * joint_pose(b.joint, q.data() + b.q_index);
    if (b.parent != kWorld) X_WB_[idx(i)] = X_WB_[idx(b.parent)] * X_WB_[idx(i)];
  }
}

// m (g' - g) at each mass centre: gravity turned in the ground's axes
void Disturbed::add_tilt(double t, const Model& model, std::vector<Force>& F_ext) const noexcept {
  for (const Tilt& tilt : tilts_) {
    const double share = tilt.when.share(t);
    if (share == 0.0) continue;
    const Vec3 change =
        tilted_gravity(model.gravity(), share * tilt.slope, tilt.toward) - model.gravity();
    for (int i = 0; i < model.num_bodies(); ++i) {
      const SpatialInertia& M = model.body(i).inertia;
      const Vec3 g_B = X_WB_[idx(i)].R.transpose() * change;
      F_ext[idx(i)] += Force::from(M.h.cross(g_B), M.mass * g_B);
    }
  }
}

void Disturbed::add(double t, const Model& model, const JointVector& q, JointVector& tau,
                    std::vector<Force>& F_ext) noexcept {
  for (const Torque& d : torques_) tau[d.dof] += d.when.share(t) * d.torque;
  if (!pulls_at(t)) return;
  F_ext.resize(idx(model.num_bodies()), Force::zero());
  place(model, q);
  for (const Load& d : loads_) {
    const double share = d.when.share(t);
    if (share == 0.0) continue;
    const Mat3 R = d.in_body_axes ? d.at.R_BF : Mat3(X_WB_[idx(d.at.body)].R.transpose());
    const Vec3 f = share * (R * d.force);
    const Vec3 n = share * (R * d.moment);
    F_ext[idx(d.at.body)] += Force::from(n + d.at.p_BP.cross(f), f);
  }
  add_tilt(t, model, F_ext);
}

}  // namespace kagami::models
