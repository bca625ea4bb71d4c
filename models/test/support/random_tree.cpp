#include "models/test/support/random_tree.hpp"

#include <Eigen/Geometry>
#include <string>

#include "models/dynamics/aba.hpp"
#include "models/dynamics/energy.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/robot/builder.hpp"
#include "models/spatial/rotation.hpp"

namespace kagami::test {
namespace {

using models::JointType;

models::Joint random_joint(Random& random, int i, models::BaseKind base) {
  if (i == 0 && base == models::BaseKind::kFloating) return {JointType::kFloating, Vec3::Zero()};
  if (i % 5 == 4) return {JointType::kFixed, Vec3::Zero()};
  return {JointType::kRevolute, random.vec3().normalized()};
}

// a box of a random size: always possible
models::MassProperties random_mass(Random& random) {
  const double mass = random.between(0.1, 2.0);
  const double a2 = random.between(0.01, 0.2);
  const double b2 = random.between(0.01, 0.2);
  const double c2 = random.between(0.01, 0.2);
  const Vec3 principal = mass / 12.0 * Vec3(b2 + c2, a2 + c2, a2 + b2);
  const Mat3 R = models::rotation_about(random.vec3().normalized(), random.signed_unit());
  return {mass, 0.3 * random.vec3(), R * principal.asDiagonal() * R.transpose()};
}

// on a random parent at a random place, with the joint that `make_joint` gives
template <class MakeJoint>
models::Joint add_random_body(Random& random, int i, models::ModelBuilder& builder,
                              MakeJoint make_joint) {
  const models::Pose X_PJ{models::rotation_about(random.vec3().normalized(), random.signed_unit()),
                          0.5 * random.vec3()};
  const models::Joint joint = make_joint();
  const int parent = i == 0 ? kWorld : random.index(i);
  const std::string name = std::to_string(i);
  builder.add_body("body" + name, parent, "joint" + name, joint, X_PJ, random_mass(random));
  return joint;
}

// q' from v, joint by joint
JointVector q_rate(const models::Model& model, const JointVector& q, const JointVector& v) {
  JointVector rate = JointVector::Zero(model.num_q());
  for (int i = 0; i < model.num_bodies(); ++i) {
    const models::Body& b = model.body(i);
    models::joint_q_rate(b.joint, q.data() + b.q_index, v.data() + b.v_index,
                         rate.data() + b.q_index);
  }
  return rate;
}

}  // namespace

std::uint64_t Random::next() {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  return state_;
}

double Random::signed_unit() {
  return between(-1.0, 1.0);
}

double Random::between(double low, double high) {
  return low + (high - low) * static_cast<double>(next() >> 11) * 0x1.0p-53;
}

int Random::index(int count) {
  return static_cast<int>(next() % static_cast<std::uint64_t>(count));
}

Vec3 Random::vec3() {
  const double x = signed_unit();
  const double y = signed_unit();
  return {x, y, signed_unit()};
}

JointVector Random::vector(int size) {
  JointVector v(size);
  for (int i = 0; i < size; ++i) v[i] = signed_unit();
  return v;
}

models::Model random_tree(Random& random, int bodies, models::BaseKind base) {
  models::ModelBuilder builder;
  for (int i = 0; i < bodies; ++i) {
    const models::Joint joint =
        add_random_body(random, i, builder, [&] { return random_joint(random, i, base); });
    if (joint.type == JointType::kRevolute && i % 2 == 0) builder.set_rotor_inertia(i, 0.01);
  }
  return builder.build();
}

models::Joint random_joint_of(Random& random, models::JointType type) {
  const Vec3 axis = random.vec3().normalized();
  const Vec3 other = axis.cross(random.vec3()).normalized();
  return {type, axis, other};
}

models::Model random_mixed_tree(Random& random, int bodies, models::BaseKind base) {
  models::ModelBuilder builder;
  for (int i = 0; i < bodies; ++i) {
    add_random_body(random, i, builder, [&] {
      const bool floats = i == 0 && base == models::BaseKind::kFloating;
      constexpr JointType kTypes[] = {JointType::kRevolute,  JointType::kFixed,
                                      JointType::kPrismatic, JointType::kUniversal,
                                      JointType::kSpherical, JointType::kRevolute};
      return random_joint_of(random, floats ? JointType::kFloating : kTypes[random.index(6)]);
    });
  }
  return builder.build();
}

models::State random_state(Random& random, const models::Model& model) {
  models::State state = models::neutral_state(model);
  // random velocities for a while lead to a random pose on every joint type
  models::integrate(model, 2.0 * random.vector(model.num_v()), 1.0, state.q);
  state.v = random.vector(model.num_v());
  return state;
}

void rk4_step(const models::Model& model, double dt, models::State& state) {
  models::AbaWorkspace w(model);
  const JointVector tau = JointVector::Zero(model.num_v());
  const auto slope = [&](const models::State& s) {
    models::State rate{q_rate(model, s.q, s.v), JointVector()};
    models::aba(model, s.q, s.v, tau, w, rate.v);
    return rate;
  };
  const auto moved = [&](const models::State& rate, double h) {
    return models::State{state.q + h * rate.q, state.v + h * rate.v};
  };
  const models::State k1 = slope(state);
  const models::State k2 = slope(moved(k1, 0.5 * dt));
  const models::State k3 = slope(moved(k2, 0.5 * dt));
  const models::State k4 = slope(moved(k3, dt));
  state.q += dt / 6.0 * (k1.q + 2.0 * k2.q + 2.0 * k3.q + k4.q);
  state.v += dt / 6.0 * (k1.v + 2.0 * k2.v + 2.0 * k3.v + k4.v);
  for (int i = 0; i < model.num_bodies(); ++i) {
    models::normalize_joint(model.body(i).joint, state.q.data() + model.body(i).q_index);
  }
}

double energy(const models::Model& model, const models::State& state) {
  models::Kinematics k(model);
  models::forward_kinematics(model, state.q, state.v, k);
  return models::kinetic_energy(model, state.v, k) + models::potential_energy(model, k);
}

}  // namespace kagami::test
