/// Six-vectors and 6 x 6 matrices of expressions, angular part first.
#pragma once

#include <array>

#include "models/hybrid/algebra.hpp"

namespace kagami::models::hybrid {

using Vec6e = std::array<Expr, 6>;
using Mat6e = std::array<Vec6e, 6>;  // rows

Vec6e six(const Vec3e& a, const Vec3e& b);
Accel accel(const Vec6e& a);
Mat6e matrix(const InertiaE& I);
Expr sum(const Vec6e& a, const Vec6e& b);  ///< a' b
Mat6e transposed(const Mat6e& m);
/// A symmetric matrix from its lower triangle: the upper one is then never computed.
Mat6e mirrored(Mat6e m);
Vec6e column(const Mat6e& m, std::size_t c);
void set_column(Mat6e& m, std::size_t c, const Vec6e& v);
/// Both parts of every column expressed in J instead of B.
Mat6e turn_rows(const PlanarRotation& t, const Mat6e& m);

/// L D L' of a symmetric matrix: L unit lower (its upper triangle means nothing), D inverted.
struct Factored {
  Mat6e L;
  Vec6e D_inverse;
};
Factored factor(const Mat6e& m);
Vec6e solve(const Factored& f, Vec6e y);

}  // namespace kagami::models::hybrid
