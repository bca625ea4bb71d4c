#include "models/dynamics/kernel/free_body.hpp"

#include <cmath>

namespace kagami::models::kernel {

KernelMat3<double> rotation_of(const FreeBody& body, const double* q) noexcept {
  const double* p = q + body.q + 3;
  const double size = std::sqrt((p[0] * p[0] + p[1] * p[1]) + (p[2] * p[2] + p[3] * p[3]));
  const double scale = 1.0 / size;
  const double w = p[0] * scale;
  const double x = p[1] * scale;
  const double y = p[2] * scale;
  const double z = p[3] * scale;
  const double x2 = x + x;
  const double y2 = y + y;
  const double z2 = z + z;
  const KernelMat3<double> R_JB{
      1.0 - (y * y2 + z * z2), x * y2 - w * z2,         x * z2 + w * y2,
      x * y2 + w * z2,         1.0 - (x * x2 + z * z2), y * z2 - w * x2,
      x * z2 - w * y2,         y * z2 + w * x2,         1.0 - (x * x2 + y * y2)};
  return times(body.R_WJ, R_JB);
}

// A = L D L'; L's columns are kept multiplied by D beside their quotients
bool solve6(double A[6][6], const double* b, double* x) noexcept {
  double inverse[6];
  bool positive = true;
  for (int k = 0; k < 6; ++k) x[k] = b[k];
  for (int k = 0; k < 6; ++k) {
    positive &= A[k][k] > 0.0;
    inverse[k] = 1.0 / A[k][k];
    for (int i = k + 1; i < 6; ++i) {
      const double factor = A[i][k] * inverse[k];
      for (int j = k + 1; j <= i; ++j) A[i][j] -= factor * A[j][k];
      x[i] -= factor * x[k];
    }
  }
  for (int k = 5; k >= 0; --k) {
    double rest = x[k];
    for (int i = k + 1; i < 6; ++i) rest -= A[i][k] * x[i];
    x[k] = rest * inverse[k];
  }
  return positive;
}

}  // namespace kagami::models::kernel
