/// The rows of `kagami bench dynamics`: which measurements make one, and what it must reach.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace kagami::tools {

struct RowSpec {
  std::string name;
  /// Rows of kagami-bench-dynamics that count; the fastest is ours.
  std::vector<std::string> ours;
  /// Row of the peers' programs; empty = none compares.
  std::string peers;
  /// False where the peers' row is a yardstick that computes something else: no sums are compared.
  bool same_work = true;
  /// Rows of our own, the fastest of which is shown as a peer, and its column.
  std::vector<std::string> own_peers;
  std::string own_column;
  /// Not empty: the row is the slope of log time over log size, with these sizes for `ours`.
  std::vector<double> sizes;
  /// Greatest value by column of the ratios, or by name of an entry of `also`. Empty: the row
  /// only informs.
  std::map<std::string, double> bound;
  /// Printed in a note for every program that has it: speed is never shown alone.
  std::vector<std::string> quality;
  /// Name in `also` that may not be below the peer's: the column of that peer.
  std::map<std::string, std::string> not_below;
  /// On one core; false for rows that run threads.
  bool pinned = true;
};

/// Of the multibody dynamics.
std::vector<RowSpec> dynamics_rows();

/// Of the cycle and its controllers; no other engine compares.
std::vector<RowSpec> cycle_rows();

/// Of the dashboard's server beside a run; no other engine compares.
std::vector<RowSpec> dashboard_rows();

/// Of contact, for our methods.
std::vector<RowSpec> contact_rows();

}  // namespace kagami::tools
