/// Writes derived dynamics as straight-line C++.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/robot/model.hpp"

namespace kagami::models::hybrid {

/// A whole unit: forward, inverse and driven dynamics of `model` and the table `NAME_table()`.
std::string emit_unit(const Model& model, std::uint64_t hash, const std::string& name);

/// The registry over the tables of several units: find_generated and generated_at.
std::string emit_registry(const std::vector<std::string>& names);

/// A name of C++: letters, digits and underscores, from any text.
std::string identifier(const std::string& text);

}  // namespace kagami::models::hybrid
