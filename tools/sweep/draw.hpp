/// Random numbers that follow from a seed, a name and a number: the same bits on every machine and
/// in every order of calls.
#pragma once

#include <cstdint>
#include <string_view>

namespace kagami::tools {

/// The stream of random numbers of one parameter in one draw: SplitMix64 from a hash of both.
class DrawStream {
 public:
  DrawStream(std::uint64_t seed, std::string_view parameter, std::uint64_t draw);

  std::uint64_t bits();
  /// In [0, 1), a multiple of 2^-53.
  double uniform();
  /// Of mean 0 and deviation 1, by Marsaglia's polar method.
  double normal();

 private:
  std::uint64_t state_;
};

/// Natural logarithm of a positive finite number, made of + - * / in a written order, for the same
/// bits on every machine (decision 0002). Error at most 4 units in the last place.
double natural_log(double x);

/// The number nearest to `x` with 12 decimal digits: its text is short and reads back the same.
double with_12_digits(double x);

}  // namespace kagami::tools
