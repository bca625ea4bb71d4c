/// Numbers for expressions: the derivation checked without a compiler.
#pragma once

#include <functional>
#include <vector>

#include "models/base/types.hpp"
#include "models/hybrid/expression.hpp"
#include "models/hybrid/program.hpp"

namespace kagami::models::hybrid {

/// Values of the outputs in one lane, from a value for every input. Set-up only.
std::vector<double> evaluate(const Graph& graph, const std::vector<Output>& outputs, int lane,
                             const std::function<double(const Input&)>& value_of);

/// What a program of a whole tree or chain computes, block by block as its code would: vdot from
/// q, v, tau (inverse dynamics: tau from q, v, vdot). Not for kSegment. Set-up only.
JointVector interpret(const Program& program, const JointVector& q, const JointVector& v,
                      const JointVector& in);

}  // namespace kagami::models::hybrid
