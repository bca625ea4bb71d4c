#include "models/contact/response/inverse_operational_inertia.hpp"

#include <utility>

#include "models/base/idx.hpp"
#include "models/contact/response/pairs.hpp"

namespace kagami::models {
namespace {

using Row = pairs::Row<3>;

double dot(const double* a, const double* b) noexcept {
  return ((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])) + (a[4] * b[4] + a[5] * b[5]);
}

// sum over k of g[k] times row k of A: A' g
Row sum_rows(const double* g, const double A[6][6]) noexcept {
  Row sum = Row::zero();
  for (int k = 0; k < 6; ++k) sum.add(g[k], A[k]);
  return sum;
}

// Phi_B = Phi_P - S y' - y S' + k S S' with y = Phi_P G, k = D^-1 + G' y
void respond_one(const double Phi_P[6][6], ResponseNode& b) noexcept {
  const double* S = b.S[0];
  double z[6];
  const Row y = sum_rows(b.G[0], Phi_P);
  y.put(z);
  const double half = 0.5 * (b.D_inverse[0][0] + dot(b.G[0], z));
  for (int i = 0; i < 6; ++i) z[i] = half * S[i] - z[i];
  for (int i = 0; i < 6; ++i) {
    Row row = Row::of(Phi_P[i]);
    row.add(S[i], z);
    row.add(z[i], S);
    row.put(b.Phi[i]);
  }
}

// X = L X
void left(const ResponseNode& b, double X[6][6]) noexcept {
  if (b.nv == 1) {
    const Row r = sum_rows(b.G[0], X);
    for (int i = 0; i < 6; ++i) {
      Row row = Row::of(X[i]);
      row.add(-b.S[0][i], r);
      row.put(X[i]);
    }
    return;
  }
  double r[6][6];
  for (int k = 0; k < b.nv; ++k) sum_rows(b.G[k], X).put(r[k]);
  for (int k = 0; k < b.nv; ++k) {
    for (int i = 0; i < 6; ++i) pairs::add_row(X[i], -b.S[k][i], r[k], 6);
  }
}

// X = X L'
void right(const ResponseNode& b, double X[6][6]) noexcept {
  for (int i = 0; i < 6; ++i) {
    double r[6];
    for (int k = 0; k < b.nv; ++k) r[k] = dot(X[i], b.G[k]);
    for (int k = 0; k < b.nv; ++k) pairs::add_row(X[i], -r[k], b.S[k], 6);
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

void InverseOperationalInertia::respond() noexcept {
  for (ResponseNode& b : node) {
    if (!b.needed || b.given) continue;
    const auto& Phi_P = b.parent < 0 ? kNothing : node[idx(b.parent)].Phi;
    if (b.nv == 1) {
      respond_one(Phi_P, b);
    } else {
      respond_many(Phi_P, b);
    }
  }
}

// X = L_(a..n) X
void InverseOperationalInertia::go_down(int a, int n, double X[6][6]) noexcept {
  int length = 0;
  for (; n != a; n = node[idx(n)].parent) way[idx(length++)] = n;
  while (length > 0) left(node[idx(way[idx(--length)])], X);
}

void InverseOperationalInertia::block(int j, int k, double* out, int stride) noexcept {
  // nearest common ancestor: the larger index climbs until both meet
  int a = j;
  int c = k;
  while (a != c) {
    if (a > c) {
      a = node[idx(a)].parent;
    } else {
      c = node[idx(c)].parent;
    }
  }
  if (a < 0) {
    for (int i = 0; i < 6; ++i) {
      for (int l = 0; l < 6; ++l) out[i * stride + l] = 0.0;
    }
    return;
  }
  // Phi_a is symmetric: (L_k Phi_a)' = Phi_a L_k'
  double X[6][6];
  for (int i = 0; i < 6; ++i) Row::of(node[idx(a)].Phi[i]).put(X[i]);
  if (k != a) {
    go_down(a, k, X);
    for (int i = 0; i < 6; ++i) {
      for (int l = 0; l < i; ++l) std::swap(X[i][l], X[l][i]);
    }
  }
  go_down(a, j, X);
  for (int i = 0; i < 6; ++i) Row::of(X[i]).put(out + i * stride);
}

void InverseOperationalInertia::need(int n) {
  for (; n >= 0 && !node[idx(n)].needed; n = node[idx(n)].parent) node[idx(n)].needed = true;
}

}  // namespace kagami::models
