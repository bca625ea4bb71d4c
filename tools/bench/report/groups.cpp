#include "tools/bench/report/groups.hpp"

#include <algorithm>

namespace kagami::tools {
namespace {

bool share(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& row) { return b.count(row) > 0; });
}

RowGroup group_of(const RowSpec& spec) {
  RowGroup group;
  group.ours.insert(spec.ours.begin(), spec.ours.end());
  group.ours.insert(spec.own_peers.begin(), spec.own_peers.end());
  if (!spec.peers.empty()) group.peers.insert(spec.peers);
  group.pinned = spec.pinned;
  return group;
}

}  // namespace

std::vector<RowGroup> groups_of(const std::vector<RowSpec>& specs) {
  std::vector<RowGroup> groups;
  for (const RowSpec& spec : specs) {
    RowGroup added = group_of(spec);
    std::size_t place = groups.size();
    for (std::size_t i = groups.size(); i-- > 0;) {
      if (!share(groups[i].ours, added.ours) && !share(groups[i].peers, added.peers)) continue;
      added.ours.merge(groups[i].ours);
      added.peers.merge(groups[i].peers);
      added.pinned = added.pinned && groups[i].pinned;
      groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(i));
      place = i;
    }
    groups.insert(groups.begin() + static_cast<std::ptrdiff_t>(place), std::move(added));
  }
  return groups;
}

}  // namespace kagami::tools
