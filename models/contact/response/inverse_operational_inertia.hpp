/// The joints of a tree as columns in W about one point, and what an impulse on one body does to
/// another.
#pragma once

#include <vector>

namespace kagami::models {

/// One joint with the body behind it. All six-vectors [angular; linear], axes of W, about O.
struct ResponseNode {
  int parent = -1;      ///< node, -1: the world; smaller than the own index
  bool needed = false;  ///< on the way to a touching body
  bool given = false;   ///< a free root, whose Phi its owner writes
  int nv = 0;           ///< columns, 0..6
  int v_index = 0;      ///< of its first degree of freedom in the model's v
  double sign = 1.0;    ///< of a single column against the model's v
  double S[6][6] = {};  ///< S[k]: motion of the body per unit rate of column k
  double G[6][6] = {};  ///< G[k] = sum over l of (D^-1)[k][l] U[l]
  double D_inverse[6][6] = {};
  double Phi[6][6] = {};  ///< response of the body to impulses on itself
};

/// Plain numbers only. D^-1, U, S as in aba.cpp; with L = 1 - sum over k of S[k] G[k]':
///   Phi_B = L Phi_P L' + S D^-1 S'        (r-1)
///   Phi_jk = L_(a..j) Phi_a L_(a..k)'     (r-2)  a: nearest common ancestor
struct InverseOperationalInertia {
  std::vector<ResponseNode> node;
  std::vector<int> way;  ///< scratch of block, as long as node

  /// (r-1) for all needed nodes. Cycle code.
  void respond() noexcept;
  /// (r-2): the 6x6 block of node j to node k, rows `stride` apart; after respond. Cycle code.
  void block(int j, int k, double* out, int stride) noexcept;
  /// X = L_(a..n) X from ancestor a down to n. Cycle code.
  void go_down(int a, int n, double X[6][6]) noexcept;
  /// Marks the nodes on the way from `n` to the world. Set-up.
  void need(int n);
};

}  // namespace kagami::models
