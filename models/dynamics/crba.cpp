// Composite-rigid-body algorithm. [RBDA] = Featherstone, Rigid Body Dynamics Algorithms, 2008,
// Table 6.2. Body i is B, its parent lambda(i) is P; every quantity is about Bo, expressed in B.
//   Ic_P += X* Ic X^-1                     (crba-1)
//   F    = Ic S                            (crba-2)
//   H_ii = S' F + J                        (crba-3)
//   F    = X F,  j = lambda(j)             (crba-4)
//   H_ij = F' S_j = H_ji'                  (crba-5)
// J, the rotor inertia seen through the gears (kg m^2), is ours; RBDA has J = 0.
#include "models/dynamics/crba.hpp"

#include "models/base/idx.hpp"

namespace kagami::models {
namespace {

void add_composites(const Model& model, CrbaWorkspace& w) noexcept {
  for (int i = 0; i < model.num_bodies(); ++i) w.Ic[idx(i)] = model.body(i).inertia;
  for (int i = model.num_bodies() - 1; i >= 0; --i) {
    const BodyIndex parent = model.body(i).parent;
    if (parent == kWorld) continue;
    w.Ic[idx(parent)] = w.Ic[idx(parent)] + w.tree.X_PB[idx(i)] * w.Ic[idx(i)];  // (crba-1)
  }
}

// column of one degree of freedom k of body i: its own block, then up to the root
void fill_column(const Model& model, int i, int k, CrbaWorkspace& w, JointMatrix& H) noexcept {
  const Body& own = model.body(i);
  Force F = w.Ic[idx(i)] * w.tree.S[idx(k)];  // (crba-2)
  for (int l = own.v_index; l <= k; ++l) {
    H(l, k) = power(w.tree.S[idx(l)], F);  // (crba-3)
    H(k, l) = H(l, k);
  }
  H(k, k) += model.rotor_inertia()[k];
  for (int j = i; model.body(j).parent != kWorld; j = model.body(j).parent) {
    F = w.tree.X_PB[idx(j)] * F;  // (crba-4)
    const Body& above = model.body(model.body(j).parent);
    for (int l = above.v_index; l < above.v_index + num_v(above.joint.type); ++l) {
      H(l, k) = power(w.tree.S[idx(l)], F);  // (crba-5)
      H(k, l) = H(l, k);
    }
  }
}

// the answer to a q of another size than the model's
void no_matrix(const Model& model, JointMatrix& H) noexcept {
  H.setConstant(model.num_v(), model.num_v(), kNaN);
}

}  // namespace

CrbaWorkspace::CrbaWorkspace(const Model& model)
    : fast(model), kernel(fast), tree(model), Ic(idx(model.num_bodies())) {}

void crba_reference(const Model& model, const JointVector& q, CrbaWorkspace& w,
                    JointMatrix& H) noexcept {
  if (q.size() != model.num_q()) return no_matrix(model, H);
  place_joints(model, q, w.tree);
  add_composites(model, w);
  H.setZero(model.num_v(), model.num_v());
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    for (int k = b.v_index; k < b.v_index + num_v(b.joint.type); ++k) {
      fill_column(model, i, k, w, H);
    }
  }
}

void crba(const Model& model, const JointVector& q, CrbaWorkspace& w, JointMatrix& H) noexcept {
  if (q.size() != model.num_q()) return no_matrix(model, H);
  if (!w.fast.usable) return crba_reference(model, q, w, H);
  H.resize(model.num_v(), model.num_v());
  kernel::crba(w.fast, q.data(), model.rotor_inertia().data(), w.kernel, H.data());
}

}  // namespace kagami::models
