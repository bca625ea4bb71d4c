/// Sub-chains of an open chain derived one by one, each handing an articulated inertia to the next:
/// assembly in the form that one-handle bodies have in ADA, with closed forms inside the
/// sub-chains.
#pragma once

#include <cstdint>
#include <vector>

#include "models/hybrid/program.hpp"
#include "models/hybrid/segment.hpp"

namespace kagami::models::hybrid {

/// Program of task kChain: blocks per sub-chain and pass, in the order they run. Throws ModelError
/// as split_chain.
Program derive_chain(const Plan& plan, const std::vector<int>& lengths,
                     EliminationOrder way = EliminationOrder::kFewOperations);

/// Over all that the code of bodies first .. last depends on: their constants, whether the chain
/// begins or ends with them.
std::uint64_t segment_hash(const Plan& plan, int first, int last) noexcept;

}  // namespace kagami::models::hybrid
