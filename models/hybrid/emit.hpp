/// Writes derived programs as straight-line C++.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/hybrid/program.hpp"

namespace kagami::models::hybrid {

/// C++ text of one program: the functions `NAME` in namespaces plain and wide, to stand after the
/// include of models/hybrid/lanes.hpp inside namespace kagami::models::hybrid. Blocks with equal
/// text become one function, so a chain of equal links is one link's code.
std::string emit_program(const Program& program, const std::string& name);

/// A whole unit: forward and inverse dynamics of `model` and the table `NAME_table()`.
std::string emit_unit(const Model& model, std::uint64_t hash, const std::string& name);

/// The registry over the tables of several units: find_generated and generated_at.
std::string emit_registry(const std::vector<std::string>& names);

/// Statements that fill x[], a row per quantity, a column per joint: sine and cosine of q, and
/// unless `sines_alone` the rate from v and the force from f. Columns that fill up the last four
/// turn by zero.
std::string gather_statements(const Plan& plan, bool sines_alone);
/// Length of a row: the plan's columns, a multiple of four.
int column_count(const Plan& plan);

/// A name of C++: letters, digits and underscores, from any text.
std::string identifier(const std::string& text);

}  // namespace kagami::models::hybrid
