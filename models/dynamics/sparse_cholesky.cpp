// Featherstone, Rigid Body Dynamics Algorithms, 2008, Tables 6.3 (L'L factorisation) and 6.5
// (solution) over the expanded parent array of section 6.4. Row k of L has entries for the
// ancestors of k only.
#include "models/dynamics/sparse_cholesky.hpp"

#include <cmath>

namespace kagami::models {

std::vector<int> dof_parents(const Model& model) {
  std::vector<int> parent(static_cast<std::size_t>(model.num_v()), -1);
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    // the last coordinate of the nearest joint above that moves
    BodyIndex above = b.parent;
    while (above != kWorld && num_v(model.body(above).joint.type) == 0) {
      above = model.body(above).parent;
    }
    int last = -1;
    if (above != kWorld) {
      last = model.body(above).v_index + num_v(model.body(above).joint.type) - 1;
    }
    for (int k = b.v_index; k < b.v_index + num_v(b.joint.type); ++k) {
      parent[static_cast<std::size_t>(k)] = last;
      last = k;
    }
  }
  return parent;
}

bool factor_tree(const std::vector<int>& parent, JointMatrix& H) noexcept {
  const auto up = [&](int k) { return parent[static_cast<std::size_t>(k)]; };
  for (int k = static_cast<int>(parent.size()) - 1; k >= 0; --k) {
    if (!(H(k, k) > 0.0)) return false;
    H(k, k) = std::sqrt(H(k, k));
    for (int i = up(k); i >= 0; i = up(i)) H(k, i) /= H(k, k);
    for (int i = up(k); i >= 0; i = up(i)) {
      for (int j = i; j >= 0; j = up(j)) H(i, j) -= H(k, i) * H(k, j);
    }
  }
  return true;
}

void solve_tree(const std::vector<int>& parent, const JointMatrix& L, JointVector& x) noexcept {
  const auto up = [&](int k) { return parent[static_cast<std::size_t>(k)]; };
  const int n = static_cast<int>(parent.size());
  for (int i = n - 1; i >= 0; --i) {
    x[i] /= L(i, i);
    for (int j = up(i); j >= 0; j = up(j)) x[j] -= L(i, j) * x[i];
  }
  for (int i = 0; i < n; ++i) {
    for (int j = up(i); j >= 0; j = up(j)) x[i] -= L(i, j) * x[j];
    x[i] /= L(i, i);
  }
}

}  // namespace kagami::models
