/// Writes the code of sub-chains that chains of any length are put together from.
#pragma once

#include <string>
#include <vector>

#include "models/robot/model.hpp"

namespace kagami::models::hybrid {

/// A whole unit: the different sub-chains of `lengths` bodies each and `kagami_blocks_NAME()`.
/// Throws ModelError for a branched tree or lengths that do not make up the chain.
std::string emit_blocks(const Model& model, const std::string& name,
                        const std::vector<int>& lengths);

/// generated_blocks_at over several units.
std::string emit_blocks_registry(const std::vector<std::string>& names);

}  // namespace kagami::models::hybrid
