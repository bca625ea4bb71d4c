/// DART models from ours.
#pragma once

#include <dart/dynamics/Skeleton.hpp>

#include "tools/bench/bench_models.hpp"

namespace kagami::bench {

/// Bodies by their names; joints in DART's own order of coordinates. No place for rotors.
dart::dynamics::SkeletonPtr skeleton_of(const ModelDef& model);

}  // namespace kagami::bench
