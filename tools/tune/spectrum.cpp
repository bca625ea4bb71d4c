#include "tools/tune/spectrum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>

#include "models/base/errors.hpp"

namespace kagami::tools {
namespace {

// indices by their bits turned round
void reorder(std::vector<std::complex<double>>& x) {
  for (std::size_t i = 1, j = 0; i < x.size(); ++i) {
    std::size_t bit = x.size() >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
}

// the highest line by the parabola through it and its neighbours
void find_peak(Spectrum& s) {
  const std::vector<double>& a = s.amplitude;
  std::size_t top = 1;
  for (std::size_t k = 2; k < a.size(); ++k) {
    if (a[k] > a[top]) top = k;
  }
  s.peak = a[top];
  s.peak_hz = static_cast<double>(top) * s.resolution;
  if (top + 1 >= a.size()) return;
  const double bend = a[top - 1] - 2.0 * a[top] + a[top + 1];
  if (!(bend < 0.0)) return;
  const double shift = std::clamp(0.5 * (a[top - 1] - a[top + 1]) / bend, -0.5, 0.5);
  s.peak_hz += shift * s.resolution;
  s.peak = a[top] - 0.25 * (a[top - 1] - a[top + 1]) * shift;
}

}  // namespace

void fourier_transform(std::vector<std::complex<double>>& x) {
  const std::size_t n = x.size();
  if (!std::has_single_bit(n)) {
    throw Error("fourier_transform: length " + std::to_string(n) + ", expected a power of two");
  }
  reorder(x);
  for (std::size_t half = 1; half < n; half *= 2) {
    for (std::size_t k = 0; k < half; ++k) {
      const double turn = -std::numbers::pi * static_cast<double>(k) / static_cast<double>(half);
      const std::complex<double> w(std::cos(turn), std::sin(turn));
      for (std::size_t i = k; i < n; i += 2 * half) {
        const std::complex<double> odd = w * x[i + half];
        x[i + half] = x[i] - odd;
        x[i] += odd;
      }
    }
  }
}

Spectrum spectrum_of(std::span<const double> curve, double dt) {
  const std::size_t n = curve.size();
  if (n < 4 || !(dt > 0.0)) {
    throw Error("spectrum_of: " + std::to_string(n) + " values at steps of " + std::to_string(dt) +
                " s, expected at least 4 at steps above 0");
  }
  const double mean = std::accumulate(curve.begin(), curve.end(), 0.0) / static_cast<double>(n);
  const std::size_t length = std::bit_ceil(4 * n);
  std::vector<std::complex<double>> x(length);
  double weight = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double turn = 2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    const double hann = 0.5 - 0.5 * std::cos(turn);
    weight += hann;
    x[i] = hann * (curve[i] - mean);
  }
  fourier_transform(x);
  Spectrum s;
  s.resolution = 1.0 / (static_cast<double>(length) * dt);
  for (std::size_t k = 0; k <= length / 2; ++k) {
    s.amplitude.push_back((k == 0 ? 1.0 : 2.0) * std::abs(x[k]) / weight);
  }
  find_peak(s);
  return s;
}

}  // namespace kagami::tools
