/// The text of one block: expressions in an order that keeps few values alive, fused products.
#pragma once

#include <string>
#include <vector>

#include "models/hybrid/program.hpp"

namespace kagami::models::hybrid {

/// A block's statements, and the units whose memory (m0, m1, ...) and columns (x0, x1, ...) they
/// use, in the order of these numbers; the first is the block's own.
struct BlockText {
  std::string statements;
  std::vector<int> units;
  bool pair = false;
};

BlockText write_block(const Program& program, const Block& block);

}  // namespace kagami::models::hybrid
