#include "drivers/virtual/plant_disturbance.hpp"

#include "models/robot/disturbed.hpp"

namespace kagami::drivers::virtual_robot {
namespace {

using Kind = DisturbanceKind;

// the link that carries the point, and the point and the axes on it
struct Grip {
  int link = kWorld;
  Vec3 p = Vec3::Zero();
  Mat3 R = Mat3::Identity();
};

Grip grip_of(const Disturbance& d, const models::Model& model, const PlantBody& body,
             bool on_floor) {
  const models::HoldPoint hold = models::hold_point(d, model);
  if (hold.body < 0) fail(d, "body", "'" + d.body + "' does not move, expected a link that does");
  const PlantCarrier& carrier = body.carrier_of_body[static_cast<std::size_t>(hold.body)];
  if (carrier.link == kWorld && !on_floor)
    fail(d, "body", "'" + d.body + "' is held by the stand, expected a link that moves");
  Grip grip{carrier.link, carrier.p + carrier.R * hold.p_BP, carrier.R * hold.R_BF};
  const PlantLink& link =
      grip.link == kWorld ? body.base : body.links[static_cast<std::size_t>(grip.link)];
  if (hold.at_com) grip.p = link.com;
  return grip;
}

int joint_of(const Disturbance& d, const models::Model& model, const PlantBody& body) {
  static_cast<void>(models::torque_dof(d, model));
  for (std::size_t j = 0; j < body.link_of_joint.size(); ++j) {
    const auto link = static_cast<std::size_t>(body.link_of_joint[j]);
    if (body.links[link].joint == d.joint) return static_cast<int>(j);
  }
  fail(d, "joint", "'" + d.joint + "' has no servo, expected a joint that has one");
}

}  // namespace

PlantDisturbance::PlantDisturbance(const models::Model& model, const PlantBody& body, bool on_floor,
                                   const std::vector<Disturbance>& all)
    : gravity_(body.gravity) {
  for (const Disturbance& d : all) {
    if (d.kind == Kind::kForce || d.kind == Kind::kWrench) {
      const Grip grip = grip_of(d, model, body, on_floor);
      pushes_.push_back({grip.link, grip.p, grip.R, d});
    } else if (d.kind == Kind::kTorque) {
      torques_.push_back({joint_of(d, model, body), d});
    } else if (d.kind == Kind::kPayload) {
      const Grip grip = grip_of(d, model, body, on_floor);
      if (payloads_.size() == static_cast<std::size_t>(kMaxPayloads))
        fail(d, "kind", "more than " + std::to_string(kMaxPayloads) + " payloads");
      payloads_.push_back({grip.link, grip.p, d, -1});
    } else {
      if (!on_floor) fail(d, "kind", "the robot is on its stand, expected a run on the floor");
      grounds_.push_back(d);
    }
  }
}

void PlantDisturbance::apply(double t, PlantOde& plant) noexcept {
  for (const Push& push : pushes_) {
    const double share = push.d.when.share(t);
    if (share > 0.0) add_push(push, share, plant);
  }
  for (const Torque& torque : torques_) {
    const double share = torque.d.when.share(t);
    if (share > 0.0) plant.add_torque(torque.joint, share * torque.d.torque);
  }
  for (Payload& p : payloads_) {
    const bool on = p.d.when.acts(t);
    if (on && p.attached < 0) p.attached = plant.attach(p.link, p.p_BP, p.d.mass);
    if (!on && p.attached >= 0) {
      plant.detach(p.attached);
      p.attached = -1;
    }
  }
  if (!grounds_.empty()) set_ground(t, plant);
}

void PlantDisturbance::add_push(const Push& push, double share, PlantOde& plant) const noexcept {
  const Mat3 R =
      push.d.in_body_axes ? Mat3(plant.rotation(push.link) * push.R_BF) : Mat3(Mat3::Identity());
  plant.add_wrench(push.link, push.p_BP, share * (R * push.d.force), share * (R * push.d.moment));
}

// the engine has one coefficient: the sliding one
void PlantDisturbance::set_ground(double t, PlantOde& plant) const noexcept {
  Vec3 gravity = gravity_;
  FrictionChange friction;
  for (const Disturbance& d : grounds_) {
    if (!d.when.acts(t)) continue;
    if (d.kind == Kind::kFriction) {
      friction = d.friction;
    } else {
      gravity = tilted_gravity(gravity_, d.when.share(t) * d.slope, d.toward);
    }
  }
  plant.set_gravity(gravity);
  plant.set_friction(friction.mu_kinetic, friction.scale);
}

}  // namespace kagami::drivers::virtual_robot
