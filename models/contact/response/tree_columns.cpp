// Nodes and columns of the response from what the articulated-body algorithm leaves: the kernels'
// arrays (frames of their own, limbs in lanes) or the reference's.
#include <Eigen/Geometry>
#include <algorithm>

#include "models/base/idx.hpp"
#include "models/contact/response/tree_bodies.hpp"

namespace kagami::models {
namespace {

using kernel::CompositeBody;
using kernel::KernelMat3;
using kernel::Kind;
using kernel::SymMat3;
using kernel::Vec;

// [n; f] about the body's origin p, turned by R, about O
void put_force(const KernelMat3<double>& R, const Vec<double>& r, const Vec<double>& n,
               const Vec<double>& f, double scale, double* out) noexcept {
  const Vec<double> F = R * f * scale;
  const Vec<double> N = R * n * scale + kernel::cross(r, F);
  kernel::set6(out, N, F);
}

}  // namespace

// nodes of the kernel's tree: free bodies first, then the joints in the order of computing
void TreeBodies::make_kernel_nodes() {
  const kernel::Tree& tree = aba_.fast;

  node_of_slot_.assign(idx(tree.num_slots()), -1);
  for (std::size_t i = 0; i < tree.free.size(); ++i) {
    node_of_slot_[idx(tree.num_dofs()) + i] = static_cast<int>(i);
    ResponseNode node;
    node.given = true;
    node.v_index = tree.free[i].v;
    tree_.node.push_back(node);
  }
  const auto single_node = [&](int index) {
    if (index == 0) return -1;
    if (idx(index) <= tree.free.size()) return index - 1;
    return node_of_slot_[idx(tree.single[idx(index)].at)];
  };
  for (const kernel::Order& o : tree.order) {
    const bool alone = o.kind == Kind::kSingle;
    const int first = alone ? tree.single[idx(o.index)].at : tree.pair[idx(o.index)].at;
    for (int lane = 0; lane < (alone ? 1 : 2); ++lane) {
      ResponseNode node;
      node.nv = 1;
      node.parent = o.kind == Kind::kPairOnPair
                        ? node_of_slot_[idx(tree.pair[idx(o.parent)].at + lane)]
                        : single_node(o.parent);
      node.v_index = tree.dof[idx(first + lane)].v;
      node.sign = tree.dof[idx(first + lane)].sign;
      node_of_slot_[idx(first + lane)] = static_cast<int>(tree_.node.size());
      tree_.node.push_back(node);
    }
  }
  place_of_slot_.resize(node_of_slot_.size());
  for (const kernel::Order& o : aba_.fast.order) {
    if (o.kind == Kind::kSingle) {
      place_of_slot_[idx(aba_.fast.single[idx(o.index)].at)] = {false, o.index, 0};
    } else {
      for (int lane = 0; lane < 2; ++lane) {
        place_of_slot_[idx(aba_.fast.pair[idx(o.index)].at + lane)] = {true, o.index, lane};
      }
    }
  }
  for (std::size_t i = 0; i < aba_.fast.free.size(); ++i) {
    place_of_slot_[idx(aba_.fast.num_dofs()) + i] = {false, static_cast<int>(i) + 1, 0};
  }
  for (const BodyIndex body : touching_) {
    const int slot = aba_.fast.host[idx(body)].slot;
    node_.push_back(slot < 0 ? -1 : node_of_slot_[idx(slot)]);
  }
}

void TreeBodies::make_reference_nodes() {
  for (int i = 0; i < model_.num_bodies(); ++i) {
    const Body& b = model_.body(i);
    ResponseNode node;
    node.parent = b.parent;
    node.nv = b.nv;
    node.v_index = b.v_index;
    tree_.node.push_back(node);
  }
  for (const BodyIndex body : touching_) node_.push_back(body);
}

// columns of the needed joints from what the kernel left, poses of the touching bodies
void TreeBodies::load_kernel(const State& state) noexcept {
  const kernel::Tree& tree = aba_.fast;
  kernel::place_bodies(tree, state.q.data(), aba_.kernel.values, placed_);
  const Vec<double> O = plain(origin_);
  const auto load = [&](const auto& step, const auto& placed, const auto& body, int lane) {
    ResponseNode& node = tree_.node[idx(node_of_slot_[idx(step.at + lane)])];
    if (!node.needed) return;
    const auto& M = placed.R_WB;
    const KernelMat3<double> R{
        kernel::lane(M.xx, lane), kernel::lane(M.xy, lane), kernel::lane(M.xz, lane),
        kernel::lane(M.yx, lane), kernel::lane(M.yy, lane), kernel::lane(M.yz, lane),
        kernel::lane(M.zx, lane), kernel::lane(M.zy, lane), kernel::lane(M.zz, lane)};
    const Vec<double> r = kernel::lane(placed.p_WB, lane) - O;
    const Vec<double> z{R.xz, R.yz, R.zz};
    kernel::set6(node.S[0], z, kernel::cross(r, z));
    node.D_inverse[0][0] = kernel::lane(body.D_inverse, lane);
    put_force(R, r, kernel::lane(body.Un, lane), kernel::lane(body.Uf, lane), node.D_inverse[0][0],
              node.G[0]);
  };
  for (const kernel::Order& o : tree.order) {
    if (o.kind == Kind::kSingle) {
      load(tree.single[idx(o.index)], placed_.single[idx(o.index)],
           aba_.kernel.body.single[idx(o.index)], 0);
    } else {
      for (int lane = 0; lane < 2; ++lane) {
        load(tree.pair[idx(o.index)], placed_.pair[idx(o.index)],
             aba_.kernel.body.pair[idx(o.index)], lane);
      }
    }
  }
}

// a free root's response about O, in W
void TreeBodies::respond_free(std::size_t i) noexcept {
  const CompositeBody<double>& placed = placed_.single[i + 1];
  const KernelMat3<double>& R = placed.R_WB;
  const SymMat3<double> ww = rotated(R, roots_[i].ww);
  const KernelMat3<double> wv = rotated(R, roots_[i].wv);
  const SymMat3<double> vv = rotated(R, roots_[i].vv);
  auto& Phi = tree_.node[i].Phi;
  const double rows[6][6] = {
      {ww.xx, ww.xy, ww.xz, wv.xx, wv.xy, wv.xz}, {ww.xy, ww.yy, ww.yz, wv.yx, wv.yy, wv.yz},
      {ww.xz, ww.yz, ww.zz, wv.zx, wv.zy, wv.zz}, {wv.xx, wv.yx, wv.zx, vv.xx, vv.xy, vv.xz},
      {wv.xy, wv.yy, wv.zy, vv.xy, vv.yy, vv.yz}, {wv.xz, wv.yz, wv.zz, vv.xz, vv.yz, vv.zz}};
  for (int k = 0; k < 6; ++k) std::copy_n(rows[k], 6, Phi[k]);
  const Vec<double> r = placed.p_WB - plain(origin_);
  if (r.x == 0.0 && r.y == 0.0 && r.z == 0.0) return;
  // v_O = v + r x w: Phi_O = X Phi X' with X = [1 0; [r x] 1]
  const auto shift = [&r](double* x, int stride) {
    const Vec<double> v = kernel::cross(r, Vec<double>{x[0], x[stride], x[2 * stride]});
    x[3 * stride] += v.x;
    x[4 * stride] += v.y;
    x[5 * stride] += v.z;
  };
  for (int c = 0; c < 6; ++c) shift(&Phi[0][c], 6);
  for (int c = 0; c < 6; ++c) shift(&Phi[c][0], 1);
}

// the same from the reference algorithm: any type of joint
void TreeBodies::load_reference() noexcept {
  for (int i = 0; i < model_.num_bodies(); ++i) {
    const Body& b = model_.body(i);
    Pose& X = X_WB_all_[idx(i)];
    X = b.parent == kWorld ? aba_.tree.X_PB[idx(i)]
                           : X_WB_all_[idx(b.parent)] * aba_.tree.X_PB[idx(i)];
    if (i == 0) origin_ = X.p;
    ResponseNode& node = tree_.node[idx(i)];
    if (!node.needed) continue;
    const Pose X_OB{X.R, X.p - origin_};
    for (int k = 0; k < b.nv; ++k) {
      const int dof = b.v_index + k;
      const Motion S = X_OB * aba_.tree.S[idx(dof)];
      for (int e = 0; e < 6; ++e) node.S[k][e] = S.c[e];
      Force G = Force::zero();
      for (int l = 0; l < b.nv; ++l) {
        node.D_inverse[k][l] = b.nv == 1 ? 1.0 / aba_.D[dof] : aba_.D_inverse[idx(i)](k, l);
        G += aba_.U[idx(b.v_index + l)] * node.D_inverse[k][l];
      }
      G = X_OB * G;
      for (int e = 0; e < 6; ++e) node.G[k][e] = G.c[e];
    }
  }
}

// X_WB of a body from its host's pose
Pose TreeBodies::pose_of(BodyIndex body) const noexcept {
  const kernel::Host& host = aba_.fast.host[idx(body)];
  KernelMat3<double> R{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  Vec<double> p{0.0, 0.0, 0.0};
  if (host.slot >= 0) {
    const HostPlace& h = place_of_slot_[idx(host.slot)];
    if (h.pair) {
      const auto& b = placed_.pair[idx(h.index)];
      const auto pick = [&h](kernel::V2 x) { return x[h.lane]; };
      R = {pick(b.R_WB.xx), pick(b.R_WB.xy), pick(b.R_WB.xz), pick(b.R_WB.yx), pick(b.R_WB.yy),
           pick(b.R_WB.yz), pick(b.R_WB.zx), pick(b.R_WB.zy), pick(b.R_WB.zz)};
      p = {pick(b.p_WB.x), pick(b.p_WB.y), pick(b.p_WB.z)};
    } else {
      R = placed_.single[idx(h.index)].R_WB;
      p = placed_.single[idx(h.index)].p_WB;
    }
  }
  const KernelMat3<double> R_WB = kernel::times(R, host.R_HB);
  const Vec<double> p_WB = p + R * host.p_HB;
  Pose X;
  X.R << R_WB.xx, R_WB.xy, R_WB.xz, R_WB.yx, R_WB.yy, R_WB.yz, R_WB.zx, R_WB.zy, R_WB.zz;
  X.p << p_WB.x, p_WB.y, p_WB.z;
  return X;
}

}  // namespace kagami::models
