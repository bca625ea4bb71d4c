/// A derived algorithm: blocks of expressions that run in order and hand values on through memory.
#pragma once

#include <memory>
#include <vector>

#include "models/hybrid/expression.hpp"
#include "models/hybrid/generated_blocks.hpp"
#include "models/hybrid/plan.hpp"

namespace kagami::models::hybrid {

enum class Sink : std::uint8_t {
  kStore,     ///< slot of the unit's memory, all lanes
  kStoreSum,  ///< slot of the unit's memory: lane 0 + lane 1
  kJoint,     ///< the unit's joint output
  kBase,      ///< entry `slot` of the base's output, 0-5
  kHandle,    ///< entry slot % ChainHandle::kSize of handle slot / ChainHandle::kSize
};

struct Output {
  Sink sink = Sink::kStore;
  int slot = 0;
  Expr value;
};

enum class Pass : std::uint8_t { kOutward, kInward, kAccelerate };

/// What one unit does in one pass; a fused program has one block for all.
struct Block {
  int unit = 0;
  std::vector<Output> outputs;
  int segment = 0;             ///< kChain: the sub-chain; its root's handle has the same number
  Pass pass = Pass::kOutward;  ///< kChain
};

enum class Task : std::uint8_t {
  kForwardDynamics,
  kInverseDynamics,
  kChain,           ///< forward dynamics by sub-chains in a row
  kDrivenDynamics,  ///< forward dynamics, what is added to the diagonal comes with the call
};

/// How forward dynamics eliminates a joint, where both give the same numbers.
enum class EliminationOrder : std::uint8_t {
  kFewOperations,  ///< before the transforms to the parent: fewest operations
  kShortPath,      ///< behind them: more operations, a shorter way from child to parent
};

struct Program {
  Task task = Task::kForwardDynamics;
  EliminationOrder way = EliminationOrder::kFewOperations;
  Plan plan;
  bool fused = false;
  std::unique_ptr<Graph> graph = std::make_unique<Graph>();
  std::vector<Block> blocks;
  std::vector<int> slots;              ///< of memory per unit
  std::vector<HandleEntries> handles;  ///< kChain: what neighbours agree on before each sub-chain
};

/// Forward dynamics by articulated bodies, or inverse dynamics by Newton and Euler. `fused` derives
/// one block without memory between units; it needs a plan without pairs.
Program derive(const Plan& plan, Task task, bool fused,
               EliminationOrder way = EliminationOrder::kFewOperations);

/// Additions, multiplications, divisions and square roots of all blocks, a pair's counted once.
int operation_count(const Program& program);
/// Whether a program of kFewOperations would gain by kShortPath: a single chain of so few
/// operations per body that the processor waits for results.
bool short_path_pays(const Program& program);

}  // namespace kagami::models::hybrid
