#include "control/balance/three_joint.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "models/base/trig.hpp"

// [Takahashi 2012] Eq. (6.11); n31 as printed has m1 lg1 + mh1 l1 (the upper body's mass missing at
// l1), no bracket and S_h1 for C_h1:
//   n11 = -m2 lg2 (C_a C_h1 C_h2 - S_a S_h2)
//   n31 = (m1 lg1 + (mh1 + m2) l1) C_a + m2 lg2 (C_a C_h2 - S_a C_h1 S_h2)
// Here n31 = dx/da, -n11 = dx/dh2 and -n12 = dx/dh1 of the forward momentum x.
namespace kagami::control {
namespace {

void check_value(double value, double min, const char* what) {
  if (value >= min && std::isfinite(value)) return;
  throw ConfigError("three-joint model: " + std::string(what) + " " + number_text(value) +
                    " is not a finite number of at least " + number_text(min));
}

}  // namespace

void check(const ThreeJointModel& m) {
  check_value(m.m1, 0.0, "m1");
  check_value(m.mh1, 0.0, "mh1");
  check_value(m.m2, 1e-6, "m2");
  check_value(m.l1, 1e-6, "l1");
  check_value(m.lg1, 0.0, "lg1");
  check_value(m.lg2, 1e-6, "lg2");
}

ThreeJointNullSpace null_space(const ThreeJointModel& m, double a, double h1, double h2) noexcept {
  const double Ca = trig::cos(a), Sa = trig::sin(a);
  const double C1 = trig::cos(h1), S1 = trig::sin(h1);
  const double C2 = trig::cos(h2), S2 = trig::sin(h2);
  const double low = m.m1 * m.lg1 + (m.mh1 + m.m2) * m.l1;
  ThreeJointNullSpace n;
  n.n11 = -m.m2 * m.lg2 * (Ca * C1 * C2 - Sa * S2);
  n.n31 = low * Ca + m.m2 * m.lg2 * (Ca * C2 - Sa * C1 * S2);
  n.n12 = m.m2 * m.lg2 * Ca * S1 * S2;
  n.n22 = n.n31;
  return n;
}

double ankle_to_hip_ratio(const ThreeJointModel& model, double a, double h1, double h2) noexcept {
  const ThreeJointNullSpace n = null_space(model, a, h1, h2);
  return n.n31 == 0.0 ? std::numeric_limits<double>::quiet_NaN() : n.n11 / n.n31;  // (6.12)
}

}  // namespace kagami::control
