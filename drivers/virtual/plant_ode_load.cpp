// What acts on the plant's body from outside, and what rides on it.
#include "drivers/virtual/plant_ode_impl.hpp"
#include "models/base/disturbance.hpp"

namespace kagami::drivers::virtual_robot {

void PlantOde::add_wrench(int link, const Vec3& p_BP, const Vec3& force_W,
                          const Vec3& moment_W) noexcept {
  const dBodyID id = state_->body_of(link);
  if (id == nullptr) return;
  const Vec3 p = p_BP - state_->com_of(link);
  dBodyAddForceAtRelPos(id, force_W.x(), force_W.y(), force_W.z(), p.x(), p.y(), p.z());
  dBodyAddTorque(id, moment_W.x(), moment_W.y(), moment_W.z());
}

void PlantOde::add_torque(int joint, double torque) noexcept {
  dJointAddHingeTorque(state_->hinge(joint), torque);
}

int PlantOde::attach(int link, const Vec3& p_BP, double mass) noexcept {
  State& s = *state_;
  const dBodyID carrier = s.body_of(link);
  if (carrier == nullptr) return -1;
  start_engine_in_this_thread();
  const Vec3 p = p_BP - s.com_of(link);
  dVector3 place;
  dVector3 velocity;
  dBodyGetRelPointPos(carrier, p.x(), p.y(), p.z(), place);
  dBodyGetRelPointVel(carrier, p.x(), p.y(), p.z(), velocity);
  dMass ball;
  dMassSetSphereTotal(&ball, mass, kPayloadRadius);
  const dBodyID id = dBodyCreate(s.world);
  dBodySetMass(id, &ball);
  dBodySetAutoDisableFlag(id, 0);
  dBodySetPosition(id, place[0], place[1], place[2]);
  dBodySetLinearVel(id, velocity[0], velocity[1], velocity[2]);
  const dReal* w = dBodyGetAngularVel(carrier);
  dBodySetAngularVel(id, w[0], w[1], w[2]);
  const dJointID weld = dJointCreateFixed(s.world, nullptr);
  dJointAttach(weld, id, carrier);
  dJointSetFixed(weld);
  s.balls.push_back({id, weld});
  return static_cast<int>(s.balls.size()) - 1;
}

void PlantOde::detach(int ball) noexcept {
  if (ball < 0 || static_cast<std::size_t>(ball) >= state_->balls.size()) return;
  State::Ball& b = state_->balls[static_cast<std::size_t>(ball)];
  if (b.id == nullptr) return;
  dJointDestroy(b.weld);
  dBodyDestroy(b.id);
  b = {};
}

void PlantOde::set_gravity(const Vec3& gravity_W) noexcept {
  dWorldSetGravity(state_->world, gravity_W.x(), gravity_W.y(), gravity_W.z());
}

void PlantOde::set_friction(std::optional<double> coefficient, double factor) noexcept {
  state_->friction = coefficient.value_or(state_->friction_at_start) * factor;
}

Mat3 PlantOde::rotation(int link) const noexcept {
  Mat3 R_WB = Mat3::Identity();
  const dBodyID id = state_->body_of(link);
  if (id == nullptr) return R_WB;
  const dReal* R = dBodyGetRotation(id);
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) R_WB(row, column) = R[4 * row + column];
  }
  return R_WB;
}

}  // namespace kagami::drivers::virtual_robot
