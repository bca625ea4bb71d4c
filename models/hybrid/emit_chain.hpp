/// Writes the code of an open chain in sub-chains.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/robot/model.hpp"

namespace kagami::models::hybrid {

/// A whole unit: the segments of `lengths` bodies each and `kagami_chain_NAME()`. Throws ModelError
/// for a branched tree or lengths that do not make up the chain.
std::string emit_chain(const Model& model, std::uint64_t hash, const std::string& name,
                       const std::vector<int>& lengths);

/// find_generated_chain over the chains of several units.
std::string emit_chain_registry(const std::vector<std::string>& names);

}  // namespace kagami::models::hybrid
