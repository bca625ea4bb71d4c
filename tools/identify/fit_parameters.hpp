/// The numbers of a joint that are fitted, and how they are varied.
#pragma once

#include <array>
#include <cstddef>

#include "tools/gap/joint_replay.hpp"

namespace kagami::tools {

/// Effects that the expected model may lack. One takes part in a fit only where the readings are
/// explained clearly better with it.
enum class Effect {
  kAlways,  ///< takes part in every fit
  kPlay,
  kCoulomb,
  kViscous,
  kStribeck,
  kLoadFriction,
  kReadingGain
};
inline constexpr std::size_t kNumEffects = 7;

/// One number of a joint that is fitted.
struct FitParameter {
  const char* key = "";   ///< in a servo file
  double per_unit = 1.0;  ///< the file's value of 1 in SI units
  double JointModel::*member = nullptr;
  double expected = 0.0;  ///< SI: so near the model's value it is expected (standard deviation)
  double relative = 0.0;  ///< the same as a share of the model's value; one of the two is 0
  double least = 0.0;     ///< SI, bounds
  double most = 0.0;
  Effect effect = Effect::kAlways;
};
inline constexpr std::size_t kNumFitParameters = 15;
// places in it
inline constexpr std::size_t kFilter1 = 1;
inline constexpr std::size_t kFilter2 = 2;
inline constexpr std::size_t kLoopGain = 3;
inline constexpr std::size_t kStallTorque = 5;
inline constexpr std::size_t kTrimPlace = 7;
using FitParameters = std::array<FitParameter, kNumFitParameters>;
/// One number per parameter.
using FitVector = std::array<double, kNumFitParameters>;

/// For a model whose servo is `expected`: its play is that of the gear, or a dead band where it has
/// one.
FitParameters fit_parameters(const ServoParameters& expected);

/// The joint that a vector y stands for: each parameter in units of its expected deviation from
/// its expected value. Those that are expected within a share of their value are on a logarithmic
/// scale.
class FitScale {
 public:
  explicit FitScale(const ServoParameters& expected);

  [[nodiscard]] const FitParameter& parameter(std::size_t i) const { return parameters_[i]; }
  /// SI, what one unit of y changes at the expected value, or at `value` on a relative scale.
  [[nodiscard]] double unit(std::size_t i, double value) const;
  [[nodiscard]] double value(std::size_t i, double y) const;  ///< SI, within the bounds
  [[nodiscard]] double y(std::size_t i, double value) const;
  [[nodiscard]] double least(std::size_t i) const { return y(i, parameters_[i].least); }
  [[nodiscard]] double most(std::size_t i) const { return y(i, parameters_[i].most); }
  [[nodiscard]] JointModel model(const double* y) const;
  [[nodiscard]] FitVector vector_of(const JointModel& model) const;

 private:
  JointModel expected_;
  FitParameters parameters_;
};

}  // namespace kagami::tools
