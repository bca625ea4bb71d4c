/// Random trees whose loops are closed at a random pose.
#pragma once

#include "models/base/types.hpp"
#include "models/robot/model.hpp"
#include "models/test/support/random_tree.hpp"

namespace kagami::test {

/// A random_mixed_tree with `loops` loop joints of every type between bodies, or a body and the
/// world; closed at q. v is any, not along the loops.
struct RandomChain {
  RandomChain(Random& random, int bodies, models::BaseKind base, int loops);
  models::Model model;
  JointVector q;
  JointVector v;
};

}  // namespace kagami::test
