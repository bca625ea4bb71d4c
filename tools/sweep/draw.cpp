#include "tools/sweep/draw.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "models/base/hash.hpp"

namespace kagami::tools {
namespace {

std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

constexpr std::uint64_t kGamma = 0x9E3779B97F4A7C15u;

}  // namespace

DrawStream::DrawStream(std::uint64_t seed, std::string_view parameter, std::uint64_t draw)
    : state_(mixed(mixed(mixed(seed + kGamma) + text_hash(parameter)) + kGamma * (draw + 1))) {}

std::uint64_t DrawStream::bits() {
  state_ += kGamma;
  return mixed(state_);
}

double DrawStream::uniform() {
  return static_cast<double>(bits() >> 11) * 0x1p-53;
}

double DrawStream::normal() {
  for (;;) {
    const double u = 2.0 * uniform() - 1.0;
    const double v = 2.0 * uniform() - 1.0;
    const double s = u * u + v * v;
    if (s > 0.0 && s < 1.0) return u * std::sqrt(-2.0 * natural_log(s) / s);
  }
}

double natural_log(double x) {
  // x = m 2^e with m in [1/sqrt(2), sqrt(2)); ln m = 2 artanh t, t = (m - 1) / (m + 1)
  constexpr double kLn2 = 0.693147180559945309417;
  constexpr int kTerms = 13;  // t^2 <= 0.0295: the next term is below 1e-20
  int e = 0;
  double m = std::frexp(x, &e);
  if (m < 0.70710678118654752440) {
    m *= 2.0;
    --e;
  }
  const double t = (m - 1.0) / (m + 1.0);
  double sum = 0.0;
  for (int k = kTerms; k >= 0; --k) sum = sum * (t * t) + 1.0 / (2 * k + 1);
  return e * kLn2 + 2.0 * t * sum;
}

double with_12_digits(double x) {
  return std::strtod(fmt::format("{:.12g}", x).c_str(), nullptr);
}

}  // namespace kagami::tools
