/// The running hash over everything a cycle puts out.
#pragma once

#include "models/base/hash.hpp"
#include "runtime/channels/cycle_types.hpp"

namespace kagami::runtime {

/// Adds every field of `out` but the hash itself; joint arrays up to `num_joints`. Cycle code.
void add_to_hash(const CycleOutput& out, int num_joints, StateHash& hash) noexcept;

}  // namespace kagami::runtime
