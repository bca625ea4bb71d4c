#include "models/test/support/model_json.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "models/base/config.hpp"
#include "models/robot/model_json.hpp"

namespace kagami::test {
namespace {

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

nlohmann::json cases_of(const std::string& name) {
  return read_fixture(name).at("cases");
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
  std::vector<std::string> notices;
  return models::read_model_json(ConfigNode(json, "fixture", ""), std::nullopt, notices);
}

}  // namespace kagami::test
