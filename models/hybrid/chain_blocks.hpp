/// Sub-chains of an open chain derived one by one, each handing an articulated inertia to the next:
/// assembly in the form that one-handle bodies have in ADA, with closed forms inside the
/// sub-chains.
#pragma once

#include <cstdint>
#include <vector>

#include "models/hybrid/program.hpp"

namespace kagami::models::hybrid {

/// A sub-chain: bodies first .. last of a plan without branches.
struct Segment {
  int first = 0;
  int last = 0;
};

/// Splits a plan without branches into segments of these lengths. Throws ModelError for a branched
/// plan, a joint that does not turn, and lengths that do not make up the chain.
std::vector<Segment> split_chain(const Plan& plan, const std::vector<int>& lengths);

/// Program of task kChain: blocks per sub-chain and pass, in the order they run. Throws ModelError
/// as split_chain.
Program derive_chain(const Plan& plan, const std::vector<int>& lengths,
                     EliminationOrder way = EliminationOrder::kFewOperations);

/// Over all that the code of bodies first .. last depends on: their constants, whether the chain
/// begins or ends with them.
std::uint64_t segment_hash(const Plan& plan, int first, int last) noexcept;

}  // namespace kagami::models::hybrid
