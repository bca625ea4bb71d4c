#include "models/hybrid/algebra.hpp"

#include "models/base/idx.hpp"

namespace kagami::models::hybrid {
namespace {

struct Cyclic {
  std::size_t i, j, k;
};
// i, j, k right-handed with k the axis
Cyclic around(int axis) {
  return {idx((axis + 1) % 3), idx((axis + 2) % 3), idx(axis)};
}

Mat3e zero_matrix(Graph& g) {
  return {zero_vector(g), zero_vector(g), zero_vector(g)};
}

// the 2 x 2 part keeps its trace, t and w carry the rest
Mat3e turn_matrix(const PlanarRotation& t, const Mat3e& H) {
  const auto [i, j, k] = around(t.axis);
  const Expr d = H[i][i] - H[j][j];
  const Expr b2 = H[i][j] + H[j][i];
  const Expr x = t.ss * d + t.sc * b2;
  const Expr y = t.sc * d - t.ss * b2;
  Mat3e out = H;
  out[i][i] = H[i][i] - x;
  out[j][j] = H[j][j] + x;
  out[i][j] = H[i][j] + y;
  out[j][i] = H[j][i] + y;
  out[i][k] = t.c * H[i][k] - t.s * H[j][k];
  out[j][k] = t.s * H[i][k] + t.c * H[j][k];
  out[k][i] = t.c * H[k][i] - t.s * H[k][j];
  out[k][j] = t.s * H[k][i] + t.c * H[k][j];
  return out;
}

// R S R', the upper triangle mirrored when S is symmetric
Mat3e similar(const Mat3e& R, const Mat3e& S, bool symmetric) {
  Mat3e RS;
  for (std::size_t c = 0; c < 3; ++c) {
    const Vec3e column = times(R, Vec3e{S[0][c], S[1][c], S[2][c]});
    for (std::size_t r = 0; r < 3; ++r) RS[r][c] = column[r];
  }
  Mat3e out;
  for (std::size_t r = 0; r < 3; ++r) {
    out[r] = times(R, RS[r]);
    for (std::size_t c = 0; symmetric && c < r; ++c) out[r][c] = out[c][r];
  }
  return out;
}

Mat3e plus_matrix(const Mat3e& a, const Mat3e& b) {
  return {plus(a[0], b[0]), plus(a[1], b[1]), plus(a[2], b[2])};
}

}  // namespace

UnitConstants constants_of(Graph& g, const Plan& plan, const LimbUnit& unit) {
  const PlanBody& a = plan.bodies[idx(unit.body[0])];
  const PlanBody& b = plan.bodies[idx(unit.body[1])];
  UnitConstants k;
  k.axis = a.axis;
  k.slides = a.move == Move::kSlide;
  for (int r = 0; r < 3; ++r) {
    k.p[idx(r)] = g.constant(Lanes{a.X_PJ.p[r], b.X_PJ.p[r]});
    k.h[idx(r)] = g.constant(Lanes{a.inertia.h[r], b.inertia.h[r]});
    for (int c = 0; c < 3; ++c) {
      k.R_PJ[idx(r)][idx(c)] = g.constant(Lanes{a.X_PJ.R(r, c), b.X_PJ.R(r, c)});
      k.I[idx(r)][idx(c)] = g.constant(Lanes{a.inertia.I(r, c), b.inertia.I(r, c)});
    }
  }
  k.mass = g.constant(Lanes{a.inertia.mass, b.inertia.mass});
  k.rotor = g.constant(Lanes{a.rotor, b.rotor});
  return k;
}

Vec3e zero_vector(Graph& g) {
  return {g.constant(0.0), g.constant(0.0), g.constant(0.0)};
}
Vec3e plus(const Vec3e& a, const Vec3e& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
Vec3e cross(const Vec3e& a, const Vec3e& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Expr dot(const Vec3e& a, const Vec3e& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Vec3e times(const Mat3e& R, const Vec3e& v) {
  return {dot(R[0], v), dot(R[1], v), dot(R[2], v)};
}
Vec3e transpose_times(const Mat3e& R, const Vec3e& v) {
  return {R[0][0] * v[0] + R[1][0] * v[1] + R[2][0] * v[2],
          R[0][1] * v[0] + R[1][1] * v[1] + R[2][1] * v[2],
          R[0][2] * v[0] + R[1][2] * v[1] + R[2][2] * v[2]};
}
Vec3e turn(const PlanarRotation& t, const Vec3e& v) {
  const auto [i, j, k] = around(t.axis);
  Vec3e out = v;
  out[i] = t.c * v[i] - t.s * v[j];
  out[j] = t.s * v[i] + t.c * v[j];
  return out;
}
Vec3e turn_back(const PlanarRotation& t, const Vec3e& v) {
  const auto [i, j, k] = around(t.axis);
  Vec3e out = v;
  out[i] = t.c * v[i] + t.s * v[j];
  out[j] = t.c * v[j] - t.s * v[i];
  return out;
}

Mat3e products(const Vec3e& w) {
  Mat3e ww;
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 3; ++c) ww[r][c] = w[r] * w[c];
  }
  return ww;
}

Vec3e centripetal(const Mat3e& ww, const Vec3e& r) {
  return {ww[0][1] * r[1] + ww[0][2] * r[2] - (ww[1][1] + ww[2][2]) * r[0],
          ww[0][1] * r[0] + ww[1][2] * r[2] - (ww[0][0] + ww[2][2]) * r[1],
          ww[0][2] * r[0] + ww[1][2] * r[1] - (ww[0][0] + ww[1][1]) * r[2]};
}

Wrench gyroscopic(const Mat3e& ww, const UnitConstants& k) {
  Wrench F;
  for (int axis = 0; axis < 3; ++axis) {
    const auto [y, z, x] = around(axis);
    F.n[x] = (k.I[z][z] - k.I[y][y]) * ww[y][z] + k.I[y][z] * (ww[y][y] - ww[z][z]) +
             k.I[x][z] * ww[x][y] - k.I[x][y] * ww[x][z];
  }
  F.f = centripetal(ww, k.h);
  return F;
}

InertiaE zero_inertia(Graph& g) {
  return {zero_matrix(g), zero_matrix(g), zero_matrix(g)};
}

InertiaE rigid(Graph& g, const UnitConstants& k) {
  InertiaE I = zero_inertia(g);
  I.A = k.I;
  for (std::size_t r = 0; r < 3; ++r) I.M[r][r] = k.mass;
  I.H[0][1] = -k.h[2];  // H = [h]x
  I.H[0][2] = k.h[1];
  I.H[1][0] = k.h[2];
  I.H[1][2] = -k.h[0];
  I.H[2][0] = -k.h[1];
  I.H[2][1] = k.h[0];
  return I;
}

InertiaE plus(const InertiaE& a, const InertiaE& b) {
  return {plus_matrix(a.A, b.A), plus_matrix(a.H, b.H), plus_matrix(a.M, b.M)};
}

InertiaE turn(const PlanarRotation& t, const InertiaE& I) {
  return {turn_matrix(t, I.A), turn_matrix(t, I.H), turn_matrix(t, I.M)};
}

InertiaE to_parent(const UnitConstants& k, const InertiaE& I) {
  InertiaE out{similar(k.R_PJ, I.A, true), similar(k.R_PJ, I.H, false), similar(k.R_PJ, I.M, true)};
  // H' = H + [p]x M, column by column; A' = A + [p]x H^T + H' [p]x^T, row r of X [p]x^T = p x row
  const Mat3e H = out.H;
  for (std::size_t c = 0; c < 3; ++c) {
    const Vec3e m = cross(k.p, Vec3e{out.M[0][c], out.M[1][c], out.M[2][c]});
    for (std::size_t r = 0; r < 3; ++r) out.H[r][c] = H[r][c] + m[r];
  }
  Mat3e left;
  for (std::size_t c = 0; c < 3; ++c) {
    const Vec3e column = cross(k.p, H[c]);
    for (std::size_t r = 0; r < 3; ++r) left[r][c] = column[r];
  }
  for (std::size_t r = 0; r < 3; ++r) {
    const Vec3e right = cross(k.p, out.H[r]);
    for (std::size_t c = r; c < 3; ++c)
      out.A[r][c] = out.A[c][r] = out.A[r][c] + left[r][c] + right[c];
  }
  return out;
}

Wrench to_parent(const UnitConstants& k, const Wrench& F) {
  Wrench out{times(k.R_PJ, F.n), times(k.R_PJ, F.f)};
  out.n = plus(out.n, cross(k.p, out.f));
  return out;
}

Wrench times(const InertiaE& I, const Accel& a) {
  return {plus(times(I.A, a.ang), times(I.H, a.lin)),
          plus(transpose_times(I.H, a.ang), times(I.M, a.lin))};
}

}  // namespace kagami::models::hybrid
