/// Reads the oracles' fixtures: models, vectors and matrices in JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "models/base/types.hpp"
#include "models/robot/model.hpp"

namespace kagami::test {

/// A file below models/test/data. Throws when it cannot be read.
nlohmann::json read_fixture(const std::string& name);
/// Its "cases", by value: a reference into the whole would dangle in a range-for.
nlohmann::json cases_of(const std::string& name);
/// Whole text of such a file.
std::string read_fixture_text(const std::string& name);

/// A model in the oracles' form, or a case with the model under "model" and loops beside it, by the
/// reader of production (models/robot/model_json.hpp): thin rods get 1e-3 kg m^2 about their axis.
models::Model model_from_json(const nlohmann::json& json);

JointVector vector_from_json(const nlohmann::json& json);
Vec3 vec3_from_json(const nlohmann::json& json);
Vec6 vec6_from_json(const nlohmann::json& json);
Mat3 mat3_from_json(const nlohmann::json& json);
Mat6 mat6_from_json(const nlohmann::json& json);
JointMatrix matrix_from_json(const nlohmann::json& json);

}  // namespace kagami::test
