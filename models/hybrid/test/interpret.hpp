/// Numbers for expressions: derivations checked without a compiler.
#pragma once

#include "models/base/types.hpp"
#include "models/hybrid/program.hpp"

namespace kagami::models::hybrid {

/// What a program of a whole tree or chain computes, block by block as its code would: vdot from
/// q, v, tau (inverse dynamics: tau from q, v, vdot). J: kDrivenDynamics alone.
JointVector interpret(const Program& program, const JointVector& q, const JointVector& v,
                      const JointVector& in, const JointVector& J = {});

}  // namespace kagami::models::hybrid
