#include "models/test/support/model_json.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "models/robot/builder.hpp"

namespace kagami::test {
namespace {

models::Joint joint_from_json(const nlohmann::json& json) {
  const std::string type = json.at("type");
  if (type == "fixed") return {models::JointType::kFixed, Vec3::Zero()};
  if (type == "floating") return {models::JointType::kFloating, Vec3::Zero()};
  if (type != "revolute") throw std::runtime_error("joint type " + type);
  return {models::JointType::kRevolute, vec3_from_json(json.at("axis")).normalized()};
}

template <class Matrix>
Matrix square(const nlohmann::json& json) {
  Matrix m;
  m.resize(static_cast<Eigen::Index>(json.size()), static_cast<Eigen::Index>(json.size()));
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    for (Eigen::Index j = 0; j < m.cols(); ++j) {
      m(i, j) = json.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j));
    }
  }
  return m;
}

}  // namespace

std::string read_fixture_text(const std::string& name) {
  std::ifstream in(std::string(KAGAMI_SOURCE_DIR) + "/models/test/data/" + name);
  if (!in) throw std::runtime_error("fixture " + name + " cannot be read");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

nlohmann::json read_fixture(const std::string& name) {
  return nlohmann::json::parse(read_fixture_text(name));
}

JointVector vector_from_json(const nlohmann::json& json) {
  JointVector v(static_cast<Eigen::Index>(json.size()));
  for (std::size_t i = 0; i < json.size(); ++i) v[static_cast<Eigen::Index>(i)] = json[i];
  return v;
}

Vec3 vec3_from_json(const nlohmann::json& json) {
  return vector_from_json(json);
}

Vec6 vec6_from_json(const nlohmann::json& json) {
  return vector_from_json(json);
}

Mat3 mat3_from_json(const nlohmann::json& json) {
  return square<Mat3>(json);
}

Mat6 mat6_from_json(const nlohmann::json& json) {
  return square<Mat6>(json);
}

JointMatrix matrix_from_json(const nlohmann::json& json) {
  return square<JointMatrix>(json);
}

models::Model model_from_json(const nlohmann::json& json) {
  models::ModelBuilder builder;
  builder.set_gravity(vec3_from_json(json.at("gravity")));
  for (const nlohmann::json& body : json.at("bodies")) {
    const nlohmann::json& joint = body.at("joint");
    models::Pose X_PJ;
    X_PJ.p = vec3_from_json(joint.at("xyz"));
    if (joint.contains("R")) X_PJ.R = mat3_from_json(joint.at("R"));
    models::MassProperties mass{body.at("mass"), vec3_from_json(body.at("com")),
                                mat3_from_json(body.at("inertia"))};
    if (mass.I_com(2, 2) == 0.0) mass.I_com(2, 2) = 1e-3;
    builder.add_body(body.at("name"), body.at("parent"), joint.at("name"), joint_from_json(joint),
                     X_PJ, mass);
  }
  return builder.build();
}

}  // namespace kagami::test
