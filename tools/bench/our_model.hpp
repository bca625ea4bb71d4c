/// The compared models and states in our own types.
#pragma once

#include <vector>

#include "models/base/types.hpp"
#include "models/robot/builder.hpp"
#include "models/robot/model.hpp"
#include "tools/bench/bench_models.hpp"

namespace kagami::bench {

/// The same bodies, joints in the same order; not yet frozen.
models::ModelBuilder our_builder(const ModelDef& def);
models::Model our_model(const ModelDef& def);

/// One of bench_states in our coordinates.
struct OurState {
  JointVector q, v, tau;
};
std::vector<OurState> our_states(const ModelDef& def);

}  // namespace kagami::bench
