/// Which forward dynamics a model of a run or scene uses.
#pragma once

#include <filesystem>

#include "models/dynamics/algorithm.hpp"

namespace kagami::models {

/// Default: articulated bodies. All algorithms give the same accelerations but for rounding.
struct DynamicsChoice {
  Algorithm algorithm = Algorithm::kAba;
  std::filesystem::path folder;  ///< kHybrid: the robot's, whose generated/ is looked at first
};

}  // namespace kagami::models
