#include "models/contact/response_tree.hpp"

namespace kagami::models {
namespace {

std::size_t at(int i) noexcept {
  return static_cast<std::size_t>(i);
}

// y = A g, A symmetric
void times(const double A[6][6], const double* g, double* y) noexcept {
  for (int i = 0; i < 6; ++i) {
    y[i] = ((A[i][0] * g[0] + A[i][1] * g[1]) + (A[i][2] * g[2] + A[i][3] * g[3])) +
           (A[i][4] * g[4] + A[i][5] * g[5]);
  }
}

double dot(const double* a, const double* b) noexcept {
  return ((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])) + (a[4] * b[4] + a[5] * b[5]);
}

// Phi_B = Phi_P - S y' - y S' + k S S' with y = Phi_P G, k = D^-1 + G' y
void respond_one(const double Phi_P[6][6], ResponseNode& b) noexcept {
  const double* S = b.S[0];
  double y[6];
  times(Phi_P, b.G[0], y);
  const double half = 0.5 * (b.D_inverse[0][0] + dot(b.G[0], y));
  double z[6];
  for (int i = 0; i < 6; ++i) z[i] = half * S[i] - y[i];
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) b.Phi[i][j] = Phi_P[i][j] + (S[i] * z[j] + z[i] * S[j]);
  }
}

// X = L X
void left(const ResponseNode& b, double X[6][6]) noexcept {
  double r[6][6];
  for (int k = 0; k < b.nv; ++k) {
    for (int j = 0; j < 6; ++j) {
      r[k][j] = ((b.G[k][0] * X[0][j] + b.G[k][1] * X[1][j]) +
                 (b.G[k][2] * X[2][j] + b.G[k][3] * X[3][j])) +
                (b.G[k][4] * X[4][j] + b.G[k][5] * X[5][j]);
    }
  }
  for (int k = 0; k < b.nv; ++k) {
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j) X[i][j] -= b.S[k][i] * r[k][j];
    }
  }
}

// X = X L'
void right(const ResponseNode& b, double X[6][6]) noexcept {
  for (int i = 0; i < 6; ++i) {
    double r[6];
    for (int k = 0; k < b.nv; ++k) r[k] = dot(X[i], b.G[k]);
    for (int k = 0; k < b.nv; ++k) {
      for (int j = 0; j < 6; ++j) X[i][j] -= r[k] * b.S[k][j];
    }
  }
}

void respond_many(const double Phi_P[6][6], ResponseNode& b) noexcept {
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) b.Phi[i][j] = Phi_P[i][j];
  }
  left(b, b.Phi);
  right(b, b.Phi);
  for (int k = 0; k < b.nv; ++k) {
    for (int l = 0; l < b.nv; ++l) {
      for (int i = 0; i < 6; ++i) {
        const double s = b.D_inverse[k][l] * b.S[k][i];
        for (int j = 0; j < 6; ++j) b.Phi[i][j] += s * b.S[l][j];
      }
    }
  }
}

constexpr double kNothing[6][6] = {};

}  // namespace

void ResponseTree::respond() noexcept {
  for (ResponseNode& b : node) {
    if (!b.needed || b.nv == 0) continue;
    const auto& Phi_P = b.parent < 0 ? kNothing : node[at(b.parent)].Phi;
    if (b.nv == 1) {
      respond_one(Phi_P, b);
    } else {
      respond_many(Phi_P, b);
    }
  }
}

void ResponseTree::block(int j, int k, double* out, int stride) noexcept {
  // nearest common ancestor: the larger index climbs until both meet
  int a = j;
  int c = k;
  while (a != c) {
    if (a > c) {
      a = node[at(a)].parent;
    } else {
      c = node[at(c)].parent;
    }
  }
  double X[6][6];
  const auto& Phi_a = a < 0 ? kNothing : node[at(a)].Phi;
  for (int i = 0; i < 6; ++i) {
    for (int l = 0; l < 6; ++l) X[i][l] = Phi_a[i][l];
  }
  if (a >= 0) {
    // the ways down, found upwards
    for (const bool to_j : {true, false}) {
      int length = 0;
      int n = to_j ? j : k;
      while (n != a) {
        way[at(length++)] = n;
        n = node[at(n)].parent;
      }
      while (length > 0) {
        const ResponseNode& b = node[at(way[at(--length)])];
        if (to_j) {
          left(b, X);
        } else {
          right(b, X);
        }
      }
    }
  }
  for (int i = 0; i < 6; ++i) {
    for (int l = 0; l < 6; ++l) out[i * stride + l] = X[i][l];
  }
}

void ResponseTree::need(int n) {
  for (; n >= 0 && !node[at(n)].needed; n = node[at(n)].parent) node[at(n)].needed = true;
}

}  // namespace kagami::models
