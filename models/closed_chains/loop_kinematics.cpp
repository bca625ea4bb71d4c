// Loop joints, [RBDA] = Featherstone 2008, chapter 8, in our letters. Frame L rides on body a (A),
// J on body b (B); C is the last body that both hang on. E is the small motion that would bring L
// back from where the joint allows it to be, in L.
//   X_JL = X_CJ^-1 X_CL                                (loop-1)
//   e    = T' E,  E = [turn that is not allowed; R_JL' p_JL]  (loop-2)
//   J_k  = T' S_k on the way C..A, -T' S_k on C..B     (loop-3)
//   V    = V_L - X_JL^-1 V_J                           (loop-4)
//   k    = T' (a_L - X_JL^-1 a_J + V x (X_JL^-1 V_J)) + Tdot' V   (loop-5)
// The walk stops at C, so that what both branches share cancels exactly, not to rounding. Tdot is
// not zero in L for the universal joint alone. (loop-2) is ours: an angle, so that a hinge half a
// turn off does not look closed.
#include "models/closed_chains/loop_kinematics.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "models/base/idx.hpp"
#include "models/base/trig.hpp"
#include "models/spatial/rotation.hpp"

namespace kagami::models {
namespace {

BodyIndex last_common(const Model& model, BodyIndex a, BodyIndex b) {
  // parents have smaller indices: the larger of two cannot be above the other
  while (a != b) (a > b ? a : b) = model.body(a > b ? a : b).parent;
  return a;
}

// pose in C of a frame on body i
Pose up_to(const Model& model, const TreePass& tree, BodyIndex i, BodyIndex C, Pose X) noexcept {
  for (; i != C; i = model.body(i).parent) X = tree.X_PB[idx(i)] * X;
  return X;
}

// rotation vector of R, at most pi long
Vec3 rotation_vector(const Mat3& R) noexcept {
  const Eigen::Quaterniond q = quaternion_of(R);
  const double sine = q.vec().norm();
  if (sine < 1e-12) return 2.0 * q.vec();
  return q.vec() * (2.0 * trig::atan2(sine, q.w()) / sine);
}

// turn in L by which axis n of L has left axis n of J
Vec3 misalignment(const Mat3& R_JL, const Vec3& n) noexcept {
  const Vec3 n_J = R_JL.transpose() * n;
  const Vec3 c = n_J.cross(n);
  const double sine = c.norm();
  if (sine > 1e-12) return c * (trig::atan2(sine, n_J.dot(n)) / sine);
  if (n_J.dot(n) > 0.0) return c;
  return n.unitOrthogonal() * trig::atan2(0.0, -1.0);  // half a turn off, about anything
}

// unit vector about which a universal joint cannot turn
Vec3 locked_axis(const Joint& joint, const Vec3& axis_L) noexcept {
  return axis_L.cross(joint.axis2).normalized();
}

Vec3 forbidden_turn(const Joint& joint, const Mat3& R_JL) noexcept {
  switch (joint.type) {
    case JointType::kFixed:
    case JointType::kPrismatic:
      return rotation_vector(R_JL);
    case JointType::kRevolute:
      return misalignment(R_JL, joint.axis);
    case JointType::kUniversal: {
      const Vec3 axis_L = R_JL.transpose() * joint.axis;
      return locked_axis(joint, axis_L) *
             -trig::asin(std::clamp(axis_L.dot(joint.axis2), -1.0, 1.0));
    }
    case JointType::kSpherical:
    case JointType::kFloating:
      break;
  }
  return Vec3::Zero();
}

void fill_directions(const Joint& joint, const Mat3& R_JL, Force* T) noexcept {
  const double zero[7] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
  const double unit[4] = {1.0, 0.0, 0.0, 0.0};
  joint_constraint_subspace(joint, joint.type == JointType::kSpherical ? unit : zero, T);
  if (joint.type == JointType::kUniversal) {
    T[0] = Force::from(locked_axis(joint, R_JL.transpose() * joint.axis), Vec3::Zero());
  }
}

// T' S_k along one branch, from body i up to C; F is the row's load on body i
void fill_branch(const Model& model, const TreePass& tree, BodyIndex i, BodyIndex C, Force F,
                 double sign, int row, Eigen::MatrixXd& J) noexcept {
  for (; i != C; i = model.body(i).parent) {
    const Body& b = model.body(i);
    for (int k = b.v_index; k < b.v_index + num_v(b.joint.type); ++k) {
      J(row, k) = sign * power(tree.S[idx(k)], F);  // (loop-3)
    }
    F = tree.X_PB[idx(i)] * F;
  }
}

void place_loop(const Model& model, const Loop& loop, int l, LoopKinematics& w) noexcept {
  const BodyIndex C = w.meeting[idx(l)];
  const Pose X_CL = up_to(model, w.tree, loop.body_a, C, loop.X_AL);
  const Pose X_CJ = up_to(model, w.tree, loop.body_b, C, loop.X_BJ);
  const Pose X_JL = inverse(X_CJ) * X_CL;  // (loop-1)
  w.X_JL[idx(l)] = X_JL;
  const int first = w.first_row[idx(l)];
  fill_directions(loop.joint, X_JL.R, &w.T[idx(first)]);
  // a slider is displaced along its axis: its gap is measured in J, or turns would mix into it
  const bool slides = loop.joint.type == JointType::kPrismatic;
  const Vec3 p = slides ? X_JL.p : Vec3(X_JL.R.transpose() * X_JL.p);
  const Motion E = Motion::from(forbidden_turn(loop.joint, X_JL.R), p);
  for (int row = first; row < first + loop.num_constraints; ++row) {
    const Force& T = w.T[idx(row)];
    w.e[row] = power(E, T);  // (loop-2)
    fill_branch(model, w.tree, loop.body_a, C, loop.X_AL * T, 1.0, row, w.J);
    fill_branch(model, w.tree, loop.body_b, C, loop.X_BJ * (X_JL * T), -1.0, row, w.J);
  }
}

void move_loop(const Loop& loop, int l, LoopKinematics& w) noexcept {
  const auto in_L = [&](const Motion& of_b) {
    return inverse_times(w.X_JL[idx(l)], inverse_times(loop.X_BJ, of_b));
  };
  const bool ground = loop.body_b == kWorld;
  const Motion V_J = ground ? Motion::zero() : in_L(w.tree.V[idx(loop.body_b)]);
  const Motion a_J = ground ? Motion::zero() : in_L(w.a[idx(loop.body_b)]);
  const Motion V = inverse_times(loop.X_AL, w.tree.V[idx(loop.body_a)]) - V_J;  // (loop-4)
  const Motion a = inverse_times(loop.X_AL, w.a[idx(loop.body_a)]) - a_J + cross(V, V_J);
  const int first = w.first_row[idx(l)];
  for (int row = first; row < first + loop.num_constraints; ++row) {
    w.k[row] = power(a, w.T[idx(row)]);  // (loop-5)
  }
  if (loop.joint.type != JointType::kUniversal) return;
  const Vec3 axis_L = w.X_JL[idx(l)].R.transpose() * loop.joint.axis;
  const Vec3 turn = -V.angular().cross(axis_L).cross(loop.joint.axis2);
  w.Tdot[idx(first)] = Force::from(turn, Vec3::Zero());
  w.k[first] += power(V, w.Tdot[idx(first)]);
}

}  // namespace

LoopKinematics::LoopKinematics(const Model& model)
    : tree(model),
      X_JL(model.loops().size()),
      T(idx(model.num_loop_constraints())),
      Tdot(idx(model.num_loop_constraints()), Force::zero()),
      a(idx(model.num_bodies())),
      e(Eigen::VectorXd::Zero(model.num_loop_constraints())),
      J(Eigen::MatrixXd::Zero(model.num_loop_constraints(), model.num_v())),
      k(Eigen::VectorXd::Zero(model.num_loop_constraints())) {
  int row = 0;
  for (const Loop& loop : model.loops()) {
    meeting.push_back(last_common(model, loop.body_a, loop.body_b));
    first_row.push_back(row);
    row += loop.num_constraints;
  }
}

void place_loops(const Model& model, const JointVector& q, LoopKinematics& w) noexcept {
  place_joints(model, q, w.tree);
  for (int l = 0; l < static_cast<int>(model.loops().size()); ++l) {
    place_loop(model, model.loops()[idx(l)], l, w);
  }
}

void move_loops(const Model& model, const JointVector& q, const JointVector& v,
                LoopKinematics& w) noexcept {
  move_joints(model, q, v, w.tree);
  for (int i = 0; i < model.num_bodies(); ++i) {
    const BodyIndex parent = model.body(i).parent;
    w.a[idx(i)] = w.tree.c[idx(i)];
    if (parent != kWorld) w.a[idx(i)] += inverse_times(w.tree.X_PB[idx(i)], w.a[idx(parent)]);
  }
  for (int l = 0; l < static_cast<int>(model.loops().size()); ++l) {
    move_loop(model.loops()[idx(l)], l, w);
  }
}

Pose loop_pose(const Model& model, const LoopKinematics& w, int loop) noexcept {
  const Loop& l = model.loops()[idx(loop)];
  return up_to(model, w.tree, l.body_a, kWorld, l.X_AL);
}

void add_loop_force(const Model& model, const LoopKinematics& w, int loop, const Force& F_L,
                    std::span<Force> F_ext) noexcept {
  const Loop& l = model.loops()[idx(loop)];
  F_ext[idx(l.body_a)] += l.X_AL * F_L;
  if (l.body_b == kWorld) return;
  F_ext[idx(l.body_b)] += -(l.X_BJ * (w.X_JL[idx(loop)] * F_L));
}

}  // namespace kagami::models
