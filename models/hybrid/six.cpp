#include "models/hybrid/six.hpp"

namespace kagami::models::hybrid {

Vec6e six(const Vec3e& a, const Vec3e& b) {
  return {a[0], a[1], a[2], b[0], b[1], b[2]};
}

Accel accel(const Vec6e& a) {
  return {{a[0], a[1], a[2]}, {a[3], a[4], a[5]}};
}

Mat6e matrix(const InertiaE& I) {
  Mat6e m;
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 3; ++c) {
      m[r][c] = I.A[r][c];
      m[r][c + 3] = I.H[r][c];
      m[c + 3][r] = I.H[r][c];
      m[r + 3][c + 3] = I.M[r][c];
    }
  }
  return m;
}

Expr sum(const Vec6e& a, const Vec6e& b) {
  Expr s = a[0] * b[0];
  for (std::size_t r = 1; r < 6; ++r) s += a[r] * b[r];
  return s;
}

Mat6e transposed(const Mat6e& m) {
  Mat6e t;
  for (std::size_t r = 0; r < 6; ++r) {
    for (std::size_t c = 0; c < 6; ++c) t[r][c] = m[c][r];
  }
  return t;
}

Mat6e mirrored(Mat6e m) {
  for (std::size_t r = 0; r < 6; ++r) {
    for (std::size_t c = r + 1; c < 6; ++c) m[r][c] = m[c][r];
  }
  return m;
}

Vec6e column(const Mat6e& m, std::size_t c) {
  return {m[0][c], m[1][c], m[2][c], m[3][c], m[4][c], m[5][c]};
}

void set_column(Mat6e& m, std::size_t c, const Vec6e& v) {
  for (std::size_t r = 0; r < 6; ++r) m[r][c] = v[r];
}

Mat6e turn_rows(const PlanarRotation& t, const Mat6e& m) {
  Mat6e out;
  for (std::size_t c = 0; c < 6; ++c) {
    const Accel a = accel(column(m, c));
    set_column(out, c, six(turn(t, a.ang), turn(t, a.lin)));
  }
  return out;
}

Factored factor(const Mat6e& m) {
  Factored f{m, {}};
  Mat6e& L = f.L;
  for (std::size_t k = 0; k < 6; ++k) {
    f.D_inverse[k] = L[k][k].graph->constant(1.0) / L[k][k];
    for (std::size_t r = k + 1; r < 6; ++r) {
      const Expr l = L[r][k] * f.D_inverse[k];
      for (std::size_t c = r; c < 6; ++c) L[c][r] = L[r][c] = L[r][c] - l * L[k][c];
      L[r][k] = l;
    }
  }
  return f;
}

Vec6e solve(const Factored& f, Vec6e y) {
  for (std::size_t k = 0; k < 6; ++k) {
    for (std::size_t r = k + 1; r < 6; ++r) y[r] = y[r] - f.L[r][k] * y[k];
  }
  for (std::size_t k = 6; k-- > 0;) {
    y[k] = y[k] * f.D_inverse[k];
    for (std::size_t r = k + 1; r < 6; ++r) y[k] = y[k] - f.L[r][k] * y[r];
  }
  return y;
}

}  // namespace kagami::models::hybrid
