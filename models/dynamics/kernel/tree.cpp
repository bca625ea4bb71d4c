#include "models/dynamics/kernel/tree.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "models/base/idx.hpp"
#include "models/base/trig.hpp"
#include "models/robot/model.hpp"
#include "models/spatial/pose.hpp"

namespace kagami::models::kernel {
namespace {

// entries this close to 0 and 1 are rounding of printed angles: their rotation is a cyclic one
constexpr double kCyclicSlack = 4e-16;

Vec<double> plain(const Vec3& v) {
  return {v[0], v[1], v[2]};
}
SymMat3<double> plain_symmetric(const Mat3& A) {
  return {A(0, 0), A(1, 1), A(2, 2), A(0, 1), A(0, 2), A(1, 2)};
}
KernelMat3<double> plain(const Mat3& A) {
  return {A(0, 0), A(0, 1), A(0, 2), A(1, 0), A(1, 1), A(1, 2), A(2, 0), A(2, 1), A(2, 2)};
}

// v_P[(i + n) % 3] = v_J[i]
Mat3 cyclic(int n) {
  Mat3 R = Mat3::Zero();
  for (int i = 0; i < 3; ++i) R((i + n) % 3, i) = 1.0;
  return R;
}

// R_BK with z along the axis, or against it where the axis is -x, -y or -z
Mat3 frame_along(const Vec3& axis, double* sign) {
  *sign = 1.0;
  for (int k = 0; k < 3; ++k) {
    if (std::abs(axis[k]) < 1.0 - kCyclicSlack || axis.cwiseAbs().sum() > 1.0 + kCyclicSlack)
      continue;
    *sign = std::copysign(1.0, axis[k]);
    return cyclic((k + 1) % 3);  // its z is e_k
  }
  Mat3 R;
  R.col(2) = axis;
  R.col(0) = axis.unitOrthogonal();
  R.col(1) = axis.cross(Vec3(R.col(0)));
  return R;
}

Axes axes_of(Mat3* R) {
  for (int n = 0; n < 3; ++n) {
    if ((*R - cyclic(n)).cwiseAbs().maxCoeff() > kCyclicSlack) continue;
    *R = cyclic(n);
    return static_cast<Axes>(n);
  }
  return Axes::kGeneral;
}

// a moving body with all that is fixed to it
struct Node {
  int body = -1;
  int parent = -1;  // node, -1 for the world
  bool is_free = false;
  SpatialInertia inertia;  // in the kernel's frame
  double composite_m = 0.0;
  Mat3 R_PJ = Mat3::Identity();
  Vec3 r = Vec3::Zero();
  Vec3 p_WJ = Vec3::Zero();
  Axes axes = Axes::kGeneral;
  double sign = 1.0;
  std::vector<int> children;
  std::string shape;  // of the limb from here on: equal shapes can be paired
  Order where;        // in the tree's order
};

class TreeBuilder {
 public:
  TreeBuilder(const Model& model, Pairing pairing, Tree* tree)
      : model_(model), pairing_(pairing), tree_(*tree) {}
  void build();

 private:
  void merge_bodies();
  int add_node(int i, int parent_node, const Pose& X_HP);
  void describe_shapes();
  void emit_children(const std::vector<int>& roots);
  void emit_single(int n);
  void emit_pair(int a, int b);
  void place_joints();

  const Model& model_;
  Pairing pairing_;
  Tree& tree_;
  std::vector<Node> nodes_;
  std::vector<int> node_of_;  // by body, -1 for the world
  std::vector<Pose> X_HB_;    // by body, in its host's frame
  std::vector<int> roots_;
  std::vector<std::pair<int, int>> pairs_;  // nodes of Tree::pair
  std::vector<int> singles_;                // node of Tree::single, -1 for the world
};

// makes a node of a moving body; the node's frame is the kernel's
int TreeBuilder::add_node(int i, int parent_node, const Pose& X_HP) {
  const Body& b = model_.body(i);
  Node node;
  node.body = i;
  node.parent = parent_node;
  node.is_free = b.joint.type == JointType::kFloating;
  const Pose X_HJ = X_HP * b.X_PJ;
  Pose X_BK;  // the kernel's frame in the body's
  if (node.is_free) {
    node.R_PJ = X_HJ.R;
    node.p_WJ = X_HJ.p;
  } else {
    X_BK.R = frame_along(b.joint.axis, &node.sign);
    node.R_PJ = X_HJ.R * X_BK.R;
    node.axes = axes_of(&node.R_PJ);
    // slide the origin along the axis so that r has no part along it
    node.r = node.R_PJ.transpose() * X_HJ.p;
    X_BK.p = X_BK.R * Vec3(0.0, 0.0, -node.r[2]);
    node.r[2] = 0.0;
  }
  const Pose X_KB{X_BK.R.transpose(), -(X_BK.R.transpose() * X_BK.p)};
  node.inertia = X_KB * b.inertia;
  X_HB_[idx(i)] = X_KB;
  nodes_.push_back(node);
  const int n = static_cast<int>(nodes_.size()) - 1;
  (parent_node < 0 ? roots_ : nodes_[idx(parent_node)].children).push_back(n);
  return n;
}

// fixed joints join their body to the one that carries it
void TreeBuilder::merge_bodies() {
  Vec3 world_h = Vec3::Zero();
  X_HB_.resize(idx(model_.num_bodies()));
  for (int i = 0; i < model_.num_bodies(); ++i) {
    const Body& b = model_.body(i);
    const int parent_node = b.parent == kWorld ? -1 : node_of_[idx(b.parent)];
    const Pose X_HP = b.parent == kWorld ? Pose{} : X_HB_[idx(b.parent)];
    tree_.mass += b.inertia.mass;
    if (b.joint.type != JointType::kFixed) {
      node_of_.push_back(add_node(i, parent_node, X_HP));
      continue;
    }
    node_of_.push_back(parent_node);
    const Pose X_HB = X_HP * b.X_PJ;
    X_HB_[idx(i)] = X_HB;
    const SpatialInertia I_H = X_HB * b.inertia;
    if (parent_node >= 0) {
      nodes_[idx(parent_node)].inertia = nodes_[idx(parent_node)].inertia + I_H;
    } else {
      world_h += I_H.h;
    }
  }
  tree_.world_h = plain(world_h);
}

void TreeBuilder::describe_shapes() {
  for (std::size_t n = nodes_.size(); n-- > 0;) {
    Node& node = nodes_[n];
    node.composite_m = node.inertia.mass;
    for (const int c : node.children) node.composite_m += nodes_[idx(c)].composite_m;
    // the same limb whatever the order of its branches
    std::stable_sort(node.children.begin(), node.children.end(),
                     [&](int a, int b) { return nodes_[idx(a)].shape < nodes_[idx(b)].shape; });
    node.shape = "(" + std::to_string(static_cast<int>(node.axes));
    for (const int c : node.children) node.shape += nodes_[idx(c)].shape;
    node.shape += ")";
  }
}

// pairs those of equal shape, the rest alone
void TreeBuilder::emit_children(const std::vector<int>& children) {
  std::vector<int> left = children;
  while (!left.empty()) {
    const int a = left.front();
    left.erase(left.begin());
    const auto twin = std::find_if(left.begin(), left.end(), [&](int b) {
      return nodes_[idx(a)].shape == nodes_[idx(b)].shape && !nodes_[idx(a)].is_free &&
             !nodes_[idx(b)].is_free;
    });
    if (twin == left.end()) {
      emit_single(a);
    } else {
      const int b = *twin;
      left.erase(twin);
      emit_pair(a, b);
    }
  }
}

void TreeBuilder::emit_single(int n) {
  Node& node = nodes_[idx(n)];
  if (!node.is_free) {
    node.where.index = static_cast<int>(singles_.size());
    node.where.parent = node.parent < 0 ? 0 : nodes_[idx(node.parent)].where.index;
    singles_.push_back(n);
    tree_.order.push_back(node.where);
  }
  emit_children(node.children);
}

void TreeBuilder::emit_pair(int a, int b) {
  Node& first = nodes_[idx(a)];
  Node& second = nodes_[idx(b)];
  if (pairing_ == Pairing::kOff) {
    // b before a: children first, that is a before b, is how lanes are added to their parent
    for (Node* node : {&second, &first}) {
      node->where.index = static_cast<int>(singles_.size());
      node->where.parent = node->parent < 0 ? 0 : nodes_[idx(node->parent)].where.index;
      singles_.push_back(node == &first ? a : b);
      tree_.order.push_back(node->where);
    }
  } else {
    first.where.index = static_cast<int>(pairs_.size());
    first.where.kind = Kind::kPairOnSingle;
    if (first.parent >= 0) {
      const Order& above = nodes_[idx(first.parent)].where;
      if (above.kind != Kind::kSingle) first.where.kind = Kind::kPairOnPair;
      first.where.parent = above.index;
    }
    second.where = first.where;
    pairs_.emplace_back(a, b);
    tree_.order.push_back(first.where);
  }
  for (std::size_t k = 0; k < first.children.size(); ++k) {
    emit_pair(first.children[k], second.children[k]);
  }
}

void set_lane(double& entry, int /*lane*/, double x) {
  entry = x;
}
void set_lane(V2& entry, int lane, double x) {
  entry[lane] = x;
}

// the entries of a Vec, SymMat3 or KernelMat3, one after the other
template <template <class> class Block, class T>
void set_lanes(Block<T>& block, int lane, const Block<double>& x) {
  constexpr std::size_t kEntries = sizeof x / sizeof(double);
  T* to = reinterpret_cast<T*>(&block);
  const double* from = reinterpret_cast<const double*>(&x);
  for (std::size_t i = 0; i < kEntries; ++i) set_lane(to[i], lane, from[i]);
}

template <class T>
void fill_lane(const Node& node, int k, KernelJoint<T>& step) {
  step.axes = node.axes;
  set_lane(step.rx, k, node.r[0]);
  set_lane(step.ry, k, node.r[1]);
  set_lane(step.m, k, node.composite_m);
  set_lane(step.own_m, k, node.inertia.mass);
  set_lanes(step.h, k, plain(node.inertia.h));
  set_lanes(step.I, k, plain_symmetric(node.inertia.I));
  set_lanes(step.R_PJ, k, plain(node.R_PJ));
}

// joint values: pairs first, so that their two lanes lie on an even place
void TreeBuilder::place_joints() {
  std::vector<int> slot(nodes_.size(), -1);
  const auto add_dof = [&](int n) {
    const Body& b = model_.body(nodes_[idx(n)].body);
    slot[idx(n)] = tree_.num_dofs();
    tree_.dof.push_back({b.q_index, b.v_index, nodes_[idx(n)].sign});
    return slot[idx(n)];
  };
  tree_.pair.resize(pairs_.size());
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    tree_.pair[p].at = add_dof(pairs_[p].first);
    add_dof(pairs_[p].second);
    fill_lane(nodes_[idx(pairs_[p].first)], 0, tree_.pair[p]);
    fill_lane(nodes_[idx(pairs_[p].second)], 1, tree_.pair[p]);
  }
  tree_.single.resize(singles_.size());
  for (std::size_t s = 0; s < singles_.size(); ++s) {
    if (singles_[s] < 0 || nodes_[idx(singles_[s])].is_free) continue;
    tree_.single[s].at = add_dof(singles_[s]);
    fill_lane(nodes_[idx(singles_[s])], 0, tree_.single[s]);
  }
  tree_.sign.resize((tree_.dof.size() + 1) / 2);
  for (std::size_t d = 0; d < tree_.dof.size(); ++d) tree_.sign[d / 2][d % 2] = tree_.dof[d].sign;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    if (!node.is_free) continue;
    const Body& b = model_.body(node.body);
    slot[n] = tree_.num_slots();
    FreeBody body;
    body.m = node.composite_m;
    body.own_m = node.inertia.mass;
    body.h = plain(node.inertia.h);
    body.I = plain_symmetric(node.inertia.I);
    body.R_WJ = plain(node.R_PJ);
    body.p_WJ = plain(node.p_WJ);
    body.q = b.q_index;
    body.v = b.v_index;
    tree_.free.push_back(body);
  }
  for (std::size_t i = 0; i < node_of_.size(); ++i) {
    const int host = node_of_[i] < 0 ? -1 : slot[idx(node_of_[i])];
    tree_.host.push_back({host, plain(X_HB_[i].R), plain(X_HB_[i].p)});
  }
}

void TreeBuilder::build() {
  merge_bodies();
  describe_shapes();
  singles_.push_back(-1);
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    if (!nodes_[n].is_free) continue;
    nodes_[n].where.index = static_cast<int>(singles_.size());
    singles_.push_back(static_cast<int>(n));
  }
  emit_children(roots_);
  place_joints();
  tree_.pair_order.resize(pairs_.size());
  tree_.single_parent.resize(singles_.size(), 0);
  for (const Order& o : tree_.order) {
    if (o.kind == Kind::kSingle) {
      tree_.single_parent[idx(o.index)] = o.parent;
    } else {
      tree_.pair_order[idx(o.index)] = o;
    }
  }
  tree_.gravity = plain(model_.gravity());
  tree_.num_v = model_.num_v();
}

std::size_t lanes_for(int count) {
  return idx((count + 1) / 2);
}

}  // namespace

Tree::Tree(const Model& model, Pairing pairing) {
  for (int i = 0; i < model.num_bodies(); ++i) {
    const JointType type = model.body(i).joint.type;
    if (type != JointType::kFixed && type != JointType::kRevolute && type != JointType::kFloating) {
      return;
    }
    if (type == JointType::kFloating && model.body(i).parent != kWorld) return;
  }
  TreeBuilder(model, pairing, this).build();
  usable = true;
}

JointValues::JointValues(const Tree& tree)
    : angle(lanes_for(tree.num_dofs())),
      sine(angle),
      cosine(angle),
      rate(angle),
      effort(angle),
      added(angle),
      result(angle),
      F_ext(6 * idx(tree.num_slots()), 0.0) {}

void clear_forces(JointValues& j) noexcept {
  std::fill(j.F_ext.begin(), j.F_ext.end(), 0.0);
}

void add_force(const Tree& tree, int body, const double* F, JointValues& j) noexcept {
  const Host& host = tree.host[idx(body)];
  if (host.slot < 0) return;
  const Vec<double> f = host.R_HB * Vec<double>{F[3], F[4], F[5]};
  const Vec<double> n = host.R_HB * Vec<double>{F[0], F[1], F[2]} + cross(host.p_HB, f);
  double* sum = j.F_ext.data() + 6 * idx(host.slot);
  sum[0] += n.x;
  sum[1] += n.y;
  sum[2] += n.z;
  sum[3] += f.x;
  sum[4] += f.y;
  sum[5] += f.z;
}

void turn_joints(const Tree& tree, const double* q, JointValues& j) noexcept {
  double* angle = JointValues::of(j.angle);
  for (std::size_t k = 0; k < tree.dof.size(); ++k) angle[k] = tree.dof[k].sign * q[tree.dof[k].q];
  trig::sincos(angle, tree.num_dofs(), JointValues::of(j.sine), JointValues::of(j.cosine));
}

void gather(const Tree& tree, const double* v, std::vector<V2>& values) noexcept {
  double* place = JointValues::of(values);
  for (std::size_t k = 0; k < tree.dof.size(); ++k) place[k] = tree.dof[k].sign * v[tree.dof[k].v];
}

void scatter(const Tree& tree, const std::vector<V2>& values, double* v) noexcept {
  const double* place = JointValues::of(values);
  for (std::size_t k = 0; k < tree.dof.size(); ++k) v[tree.dof[k].v] = tree.dof[k].sign * place[k];
}

}  // namespace kagami::models::kernel
