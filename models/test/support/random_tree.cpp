#include "models/test/support/random_tree.hpp"

#include <Eigen/Geometry>
#include <string>

#include "models/dynamics/aba.hpp"
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

// q' from v: angles add, a floating base turns by its quaternion's rate
JointVector q_rate(const models::Model& model, const JointVector& q, const JointVector& v) {
  JointVector rate = JointVector::Zero(model.num_q());
  for (int i = 0; i < model.num_bodies(); ++i) {
    const models::Body& b = model.body(i);
    if (b.joint.type == JointType::kRevolute) rate[b.q_index] = v[b.v_index];
    if (b.joint.type != JointType::kFloating) continue;
    const double* p = q.data() + b.q_index;
    const Eigen::Quaterniond q_WB(p[3], p[4], p[5], p[6]);
    const Vec3 w_B = v.segment<3>(b.v_index);
    const Vec3 v_W = q_WB.normalized() * Vec3(v.segment<3>(b.v_index + 3));
    const Eigen::Quaterniond turn = q_WB * Eigen::Quaterniond(0.0, w_B.x(), w_B.y(), w_B.z());
    rate.segment<3>(b.q_index) = v_W;
    rate.segment<4>(b.q_index + 3) = 0.5 * Eigen::Vector4d(turn.w(), turn.x(), turn.y(), turn.z());
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
    const models::Pose X_PJ{
        models::rotation_about(random.vec3().normalized(), random.signed_unit()),
        0.5 * random.vec3()};
    const models::Joint joint = random_joint(random, i, base);
    const int parent = i == 0 ? kWorld : random.index(i);
    const std::string name = std::to_string(i);
    builder.add_body("body" + name, parent, "joint" + name, joint, X_PJ, random_mass(random));
    if (joint.type == JointType::kRevolute && i % 2 == 0) builder.set_rotor_inertia(i, 0.01);
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
    if (model.body(i).joint.type != JointType::kFloating) continue;
    state.q.segment<4>(model.body(i).q_index + 3).normalize();
  }
}

}  // namespace kagami::test
