// A limb is a link with all that hangs on it. Its trunk line is the heaviest path to a tip. Heights
// count joins that wait for each other:
//   h_k    = h_k after branch b: max(h_k, least(b)) + 1, branches by growing height   (order-1)
//   reach(k, H) = how far from link k one tree of height H can go along the path      (order-2)
//               = reach(reach(k, H - 1), H - 1), one link where h_k = H, none where h_k > H
//   least  = smallest H whose reach from the first link is the whole path             (order-3)
// (order-2) is the greedy answer to the alphabetic minimax tree: a longer prefix never hurts.
#include "models/dynamics/joint_assembly_order.hpp"

#include <algorithm>

#include "models/base/idx.hpp"

namespace kagami::models {

bool moves(const Model& model, BodyIndex i) noexcept {
  return num_v(model.body(i).joint.type) > 0;
}

namespace {

// the links of a tree as the orders see them
struct Links {
  explicit Links(const Model& model);

  std::vector<std::vector<BodyIndex>> children;
  std::vector<int> weight;  // links from here on
  std::vector<BodyIndex> roots;
};

Links::Links(const Model& model)
    : children(idx(model.num_bodies())), weight(idx(model.num_bodies()), 0) {
  const std::vector<BodyIndex> link = first_bodies(model);
  for (int i = model.num_bodies() - 1; i >= 0; --i) {
    if (!moves(model, i)) continue;
    weight[idx(i)] += 1;
    const BodyIndex parent = model.body(i).parent;
    const BodyIndex above = parent == kWorld ? kWorld : link[idx(parent)];
    if (above == kWorld) {
      roots.push_back(i);
    } else {
      children[idx(above)].push_back(i);
      weight[idx(above)] += weight[idx(i)];
    }
  }
  // lightest first, the last is the heaviest; equal weights in the order of their indices
  for (std::vector<BodyIndex>& c : children) {
    std::sort(c.begin(), c.end(), [&](BodyIndex a, BodyIndex b) {
      return weight[idx(a)] != weight[idx(b)] ? weight[idx(a)] < weight[idx(b)] : a < b;
    });
  }
  std::sort(roots.begin(), roots.end());
}

class Limb {
 public:
  Limb(const Links& links, BodyIndex root);
  // least height of all joints beyond its root joint
  [[nodiscard]] int least() const noexcept { return least_; }
  // those joints within a height of at least least()
  void join(int height, AssemblyOrder& order) const { join_path(0, path_.size(), height, order); }
  [[nodiscard]] BodyIndex root() const noexcept { return path_[0]; }

 private:
  [[nodiscard]] std::size_t reach(std::size_t first, int height) const noexcept;
  [[nodiscard]] std::size_t split(std::size_t first, std::size_t last, int height) const noexcept;
  void join_path(std::size_t first, std::size_t last, int height, AssemblyOrder& order) const;
  void join_branches(std::size_t k, int height, AssemblyOrder& order) const;

  std::vector<BodyIndex> path_;
  std::vector<std::vector<Limb>> branches_;  // per link of the path, as they are joined
  std::vector<int> height_;                  // per link, with its branches
  std::vector<int> link_by_link_;            // height from here to the tip, tip first
  int least_ = 0;
};

Limb::Limb(const Links& links, BodyIndex root) : path_{root} {
  while (!links.children[idx(path_.back())].empty()) {
    path_.push_back(links.children[idx(path_.back())].back());
  }
  for (const BodyIndex link : path_) {
    const std::vector<BodyIndex>& children = links.children[idx(link)];
    std::vector<Limb>& branches = branches_.emplace_back();
    for (std::size_t c = 0; c + 1 < children.size(); ++c) branches.emplace_back(links, children[c]);
    std::stable_sort(branches.begin(), branches.end(),
                     [](const Limb& a, const Limb& b) { return a.least_ < b.least_; });
    int h = 0;
    for (const Limb& branch : branches) h = std::max(h, branch.least_) + 1;  // (order-1)
    height_.push_back(h);
  }
  link_by_link_ = height_;
  for (std::size_t k = path_.size() - 1; k-- > 0;) {
    link_by_link_[k] = std::max(height_[k], link_by_link_[k + 1]) + 1;
  }
  while (reach(0, least_) < path_.size()) ++least_;  // (order-3)
}

// (order-2)
std::size_t Limb::reach(std::size_t first, int height) const noexcept {
  if (first == path_.size() || height_[first] > height) return first;
  if (height_[first] == height) return first + 1;
  return reach(reach(first, height - 1), height - 1);
}

// where the part of the path beyond begins
std::size_t Limb::split(std::size_t first, std::size_t last, int height) const noexcept {
  const std::size_t furthest = std::min(reach(first, height - 1), last - 1);
  if (last < path_.size()) return furthest;
  // the longest tip that may go link by link
  for (std::size_t k = first + 1; k < furthest; ++k) {
    if (link_by_link_[k] < height) return k;
  }
  return furthest;
}

// path[first .. last) becomes one articulated body
void Limb::join_path(std::size_t first, std::size_t last, int height, AssemblyOrder& order) const {
  if (last - first == 1) return join_branches(first, height, order);
  const std::size_t middle = split(first, last, height);
  join_path(first, middle, height - 1, order);
  join_path(middle, last, height - 1, order);
  order.push_back(path_[middle]);
}

void Limb::join_branches(std::size_t k, int height, AssemblyOrder& order) const {
  const std::vector<Limb>& branches = branches_[k];
  for (std::size_t b = 0; b < branches.size(); ++b) {
    const auto after = static_cast<int>(branches.size() - b);
    branches[b].join(height - after, order);
    order.push_back(branches[b].root());
  }
}

}  // namespace

std::vector<BodyIndex> first_bodies(const Model& model) {
  std::vector<BodyIndex> link;
  for (int i = 0; i < model.num_bodies(); ++i) {
    const BodyIndex parent = model.body(i).parent;
    const BodyIndex above = parent == kWorld ? kWorld : link[idx(parent)];
    link.push_back(moves(model, i) ? i : above);
  }
  return link;
}

AssemblyOrder default_order(const Model& model) {
  const Links links(model);
  std::vector<Limb> trees;
  int height = 0;
  for (const BodyIndex root : links.roots) {
    trees.emplace_back(links, root);
    height = std::max(height, trees.back().least());
  }
  AssemblyOrder order;
  for (const Limb& tree : trees) {
    tree.join(height, order);
    order.push_back(tree.root());
  }
  return order;
}

AssemblyOrder tip_to_base_order(const Model& model) {
  AssemblyOrder order;
  for (int i = model.num_bodies() - 1; i >= 0; --i) {
    if (moves(model, i)) order.push_back(i);
  }
  return order;
}

}  // namespace kagami::models
