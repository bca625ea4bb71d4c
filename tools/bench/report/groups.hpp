/// Which rows are measured next to each other.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tools/bench/report/row_specs.hpp"

namespace kagami::tools {

/// Rows that each program measures in one call. Rows that are compared are always in one group, so
/// that a slow minute of the machine meets both sides.
struct RowGroup {
  std::set<std::string> ours;   ///< of our program
  std::set<std::string> peers;  ///< of the peers' programs
  bool pinned = true;           ///< false as soon as one row needs more cores
};

/// Specs that share a row of any program come into one group; order of first appearance.
std::vector<RowGroup> groups_of(const std::vector<RowSpec>& specs);

}  // namespace kagami::tools
