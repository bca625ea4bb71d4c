/// Columns and rows of what `kagami dynamics` prints.
#pragma once

#include <string>
#include <vector>

#include "models/base/types.hpp"
#include "models/robot/model.hpp"
#include "tools/commands/dynamics_results.hpp"

namespace kagami::tools {

/// Names of a Balance's numbers, in the order of append.
const std::vector<std::string>& balance_names();
/// What follows a wrench's name, moment first.
inline constexpr const char* kWrenchParts[] = {".nx", ".ny", ".nz", ".fx", ".fy", ".fz"};

/// "what:name" for each name.
void append_names(std::vector<std::string>& header, const std::string& what,
                  const std::vector<std::string>& names);
/// What a row of a model with loops has besides; nothing without loops.
void append_loop_names(std::vector<std::string>& header, const models::Model& model);
void append(std::vector<double>& row, const JointVector& v);
void append(std::vector<double>& row, const Balance& b);
/// The numbers to append_loop_names: gap (rad or m), independent equations, smallest singular
/// value, wrenches on body a in W.
void append_loops(std::vector<double>& row, double gap, int rank, double singular_value,
                  const std::vector<Vec6>& wrenches);

/// Joint wrenches and the mass matrix of a state: names and numbers.
void append_matrix_names(std::vector<std::string>& header, const models::Model& model);
void append_matrices(std::vector<double>& row, const DynamicsResults& f);

}  // namespace kagami::tools
