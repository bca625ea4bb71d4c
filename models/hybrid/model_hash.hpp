/// Identity of a model's mechanics: what generated code was derived from.
#pragma once

#include <cstdint>

#include "models/robot/model.hpp"

namespace kagami::models::hybrid {

/// Over tree, joints, poses, inertias, rotors and gravity, bit by bit; names, limits and frames do
/// not count. Set-up.
std::uint64_t model_hash(const Model& model) noexcept;

}  // namespace kagami::models::hybrid
