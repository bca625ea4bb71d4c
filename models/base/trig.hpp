/// Every transcendental function of the cycle goes through here, so that its bits can be fixed
/// later.
///
/// The C library picks its sine by the processor, and about one result in two thousand differs in
/// the last bit between machines. Replacing these few functions replaces all of the cycle's.
#pragma once

#include <cmath>

namespace kagami::trig {

inline double sin(double angle) noexcept {
  return std::sin(angle);
}
inline double cos(double angle) noexcept {
  return std::cos(angle);
}
inline double atan2(double y, double x) noexcept {
  return std::atan2(y, x);
}
inline double asin(double x) noexcept {
  return std::asin(x);
}
inline double acos(double x) noexcept {
  return std::acos(x);
}
inline double exp(double x) noexcept {
  return std::exp(x);
}

}  // namespace kagami::trig
