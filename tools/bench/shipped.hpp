/// The robots of models/data, floating, as rows beside the models of the comparison.
#pragma once

#include <string>
#include <vector>

#include "models/robot/model.hpp"
#include "tools/bench/bench_models.hpp"

namespace kagami::bench {

/// "khr1_shipped", ...: one more robot is one more folder's name in shipped.cpp. Throws ConfigError
/// or ModelError of a folder that cannot be read.
std::vector<ModelDef> shipped_models();

/// The model of a folder of models/data, free in space; its joints are revolute.
models::Model shipped_model(const std::string& robot);

/// A model as a plain list for programs without our libraries. Throws std::invalid_argument
/// when it has joints other than free, revolute and fixed ones.
ModelDef def_of(const std::string& name, const models::Model& model);

}  // namespace kagami::bench
