/// Numbers for expressions: the derivation checked without a compiler.
#pragma once

#include <functional>
#include <vector>

#include "models/hybrid/expression.hpp"
#include "models/hybrid/program.hpp"

namespace kagami::models::hybrid {

/// Values of the outputs in one lane, from a value for every input. Set-up only.
std::vector<double> evaluate(const Graph& graph, const std::vector<Output>& outputs, int lane,
                             const std::function<double(const Input&)>& value_of);

}  // namespace kagami::models::hybrid
