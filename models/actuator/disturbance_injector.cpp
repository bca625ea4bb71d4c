#include "models/actuator/disturbance_injector.hpp"

#include "models/base/time.hpp"

namespace kagami::models {
DisturbanceInjector::DisturbanceInjector(const Model& bare, const std::vector<Disturbance>& all,
                                         World* world, const DynamicsChoice& dynamics)
    : bare_(bare), world_(world), disturbed_(bare, all) {
  for (const Disturbance& d : all) {
    const bool ground = d.kind == DisturbanceKind::kFriction || d.kind == DisturbanceKind::kGround;
    if (ground && world == nullptr) {
      fail(d, "kind", "the robot is on its stand, expected a run on the floor");
    }
    if (d.kind == DisturbanceKind::kFriction) frictions_.push_back({d.friction, d.when});
  }
  F_ext_.reserve(idx(bare.num_bodies()));
  if (world == nullptr) dynamics_.push_back(robot_forward_dynamics(bare, dynamics));
  for (const Model& loaded : disturbed_.loaded()) {
    if (world != nullptr) {
      world->add_variant(0, loaded);
    } else {
      dynamics_.push_back(robot_forward_dynamics(loaded, dynamics));
    }
  }
}

void DisturbanceInjector::begin(std::int64_t zero_ns) noexcept {
  begun_ = true;
  zero_ns_ = zero_ns;
}

void DisturbanceInjector::apply(std::int64_t now_ns, double h, const JointVector& q,
                                JointVector& tau) noexcept {
  F_ext_.clear();
  if (!begun_) return;
  const double t = seconds(now_ns - zero_ns_) + 0.5 * h;
  load_ = disturbed_.load_at(t);
  if (world_ == nullptr) return disturbed_.add(t, model(), q, tau, F_ext_);
  world_->use_variant(0, load_);
  set_friction(t);
  disturbed_.add(t, model(), q, tau, world_->drive(0).F_ext);
}

// floor and robot have the same surface: new coefficients stand for both
void DisturbanceInjector::set_friction(double t) noexcept {
  int now = -1;
  for (std::size_t i = 0; i < frictions_.size(); ++i) {
    if (frictions_[i].when.acts(t)) now = static_cast<int>(i);
  }
  if (now == friction_) return;
  friction_ = now;
  FrictionChange change = now < 0 ? FrictionChange{} : frictions_[idx(now)].change;
  world_->change_static_friction(0, change);
  change.scale = 1.0;  // one side is enough
  world_->change_friction(0, change);
}

const Model& DisturbanceInjector::model() const noexcept {
  return load_ == 0 ? bare_ : disturbed_.loaded()[idx(load_ - 1)];
}

}  // namespace kagami::models
