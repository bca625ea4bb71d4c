/// Spectrum of a curve, and its highest line.
#pragma once

#include <complex>
#include <span>
#include <vector>

namespace kagami::tools {

/// In place, X_k = sum_n x_n exp(-2 pi i k n / N), by halving (Cooley and Tukey 1965). Throws Error
/// when the length is no power of two.
void fourier_transform(std::vector<std::complex<double>>& x);

/// One-sided amplitudes: a sine of amplitude A on a line shows A there.
struct Spectrum {
  double resolution = 0.0;        ///< Hz from line to line
  std::vector<double> amplitude;  ///< unit of the curve; line k is at k * resolution
  double peak_hz = 0.0;           ///< highest line above 0 Hz, refined between lines
  double peak = 0.0;              ///< its amplitude
};

/// Of a curve at equal steps of `dt` s: its mean is taken out, a Hann window put over it (so a sine
/// off the lines leaks to its neighbours alone) and zeros behind it up to four times its length or
/// more. Throws Error for fewer than 4 values or dt that is not above 0.
Spectrum spectrum_of(std::span<const double> curve, double dt);

}  // namespace kagami::tools
