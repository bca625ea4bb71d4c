#include "models/test/support/forward_sample.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "models/dynamics/crba.hpp"
#include "models/robot/builder.hpp"
#include "models/test/support/model_json.hpp"

namespace kagami::test {

using models::Force;
using models::JointType;
using models::Model;

double max_abs(const JointVector& v) {
  return v.size() == 0 ? 0.0 : v.cwiseAbs().maxCoeff();
}

models::AssemblyOrder moving_joints(const Model& model) {
  models::AssemblyOrder joints;
  for (int i = 0; i < model.num_bodies(); ++i) {
    if (models::num_v(model.body(i).joint.type) > 0) joints.push_back(i);
  }
  return joints;
}

models::AssemblyOrder shuffled(Random& random, models::AssemblyOrder order) {
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<std::size_t>(random.index(static_cast<int>(i)))]);
  }
  return order;
}

Model upright_chain(int links) {
  models::ModelBuilder builder;
  const Mat3 I = Vec3(0.1, 0.1, 0.01).asDiagonal();
  for (int i = 0; i < links; ++i) {
    const std::string n = std::to_string(i);
    const models::Pose X_PJ{Mat3::Identity(), Vec3(0.0, 0.0, i == 0 ? 0.0 : 1.0)};
    builder.add_body("l" + n, i - 1, "j" + n, {JointType::kRevolute, Vec3::UnitY()}, X_PJ,
                     {1.0, Vec3(0.0, 0.0, 0.5), I});
  }
  return builder.build();
}

Model floating_chain(int links) {
  models::ModelBuilder builder;
  // boxes of 1 x 0.1 x 0.1 m, by the benchmark's formula to the last bit: generated code exists for
  // the model by its numbers
  const double thick = 1.0 / 12 * (0.1 * 0.1 + 0.1 * 0.1);
  const double along = 1.0 / 12 * (1.0 * 1.0 + 0.1 * 0.1);
  const Mat3 I = Vec3(thick, along, along).asDiagonal();
  const Vec3 axes[] = {Vec3::UnitY(), Vec3::UnitX(), Vec3::UnitZ()};
  for (int i = 0; i < links; ++i) {
    const std::string n = std::to_string(i);
    const models::Joint joint = i == 0 ? models::Joint{JointType::kFloating, Vec3::Zero()}
                                       : models::Joint{JointType::kRevolute, axes[(i - 1) % 3]};
    const models::Pose X_PJ{Mat3::Identity(), Vec3(i == 0 ? 0.0 : 1.0, 0.0, 0.0)};
    builder.add_body("l" + n, i - 1, "j" + n, joint, X_PJ, {1.0, Vec3(0.5, 0.0, 0.0), I});
  }
  return builder.build();
}

double condition(const Model& model, const JointVector& q) {
  if (model.num_v() == 0) return 1.0;
  models::CrbaWorkspace w(model);
  JointMatrix H = JointMatrix::Zero(model.num_v(), model.num_v());
  models::crba(model, q, w, H);
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(H, Eigen::EigenvaluesOnly).eigenvalues();
  return values[values.size() - 1] / values[0];
}

ForwardSample::ForwardSample(Random& random, const Model& of)
    : model(of),
      state(random_state(random, model)),
      tau(random.vector(model.num_v())),
      diagonal(model.rotor_inertia()) {
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Vec3 n = random.vec3();
    F_ext.push_back(Force::from(n, random.vec3()));
  }
  for (int k = 0; k < model.num_v(); ++k) diagonal[k] += random.between(0.0, 0.02);
}

ForwardSample::ForwardSample(Random& random, int bodies, models::BaseKind base)
    : ForwardSample(random, random_mixed_tree(random, bodies, base)) {}

ForwardCase::ForwardCase(const nlohmann::json& c)
    : model(model_from_json(c.at("model"))),
      q(vector_from_json(c.at("q"))),
      v(vector_from_json(c.at("v"))),
      tau(vector_from_json(c.at("tau"))),
      vdot(vector_from_json(c.at("vdot"))),
      k(model) {
  models::forward_kinematics(model, q, v, k);
  F_ext.assign(static_cast<std::size_t>(model.num_bodies()), Force::zero());
  for (const nlohmann::json& e : c.at("external")) {
    // force and moment in world axes, the force at a point given in the body
    const auto i = e.at("body").get<std::size_t>();
    const Mat3& R = k.X_WB[i].R;
    const Vec3 f = R.transpose() * vec3_from_json(e.at("force_world"));
    const Vec3 n = R.transpose() * vec3_from_json(e.at("moment_world"));
    F_ext[i] += Force::from(n + vec3_from_json(e.at("point_body")).cross(f), f);
  }
  for (const nlohmann::json& wrench : c.at("joint_wrench_world_at_child_origin")) {
    wrenches.push_back(vec6_from_json(wrench));
  }
}

double ForwardCase::wrench_error_of(int body, const Force& got) const {
  const auto n = static_cast<std::size_t>(body);
  const Mat3& R = k.X_WB[n].R;
  Vec6 world;
  world << R * got.moment(), R * got.force();
  return (world - wrenches[n]).cwiseAbs().maxCoeff() / std::max(1.0, wrenches[n].norm());
}

}  // namespace kagami::test
