/// The numbers of a joint that are fitted, and how they are varied.
#pragma once

#include <array>
#include <cstddef>

#include "tools/gap/joint_replay.hpp"

namespace kagami::tools {

/// Parameters that are fitted together or not at all. Those from kPlay on are effects that the
/// expected model may lack: one takes part in a fit only where the readings are explained clearly
/// better with it.
enum class Effect {
  kAlways,  ///< takes part in every fit
  kLoop,    ///< of the position loop: takes part unless masses of links are fitted
  kPlay,    ///< of the gear; excludes a dead band
  kDeadBand,
  kCoulomb,
  kViscous,
  kStribeck,
  kLoadFriction,
  kReadingGain
};
inline constexpr std::size_t kNumEffects = 9;
constexpr std::size_t place_of(Effect effect) noexcept {
  return static_cast<std::size_t>(effect);
}

/// An effect that the expected model may lack.
constexpr bool is_extra(Effect effect) noexcept {
  return effect >= Effect::kPlay;
}
using Effects = std::array<bool, kNumEffects>;

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
inline constexpr std::size_t kNumFitParameters = 16;
// places in it
inline constexpr std::size_t kFilter1 = 1;
inline constexpr std::size_t kFilter2 = 2;
inline constexpr std::size_t kLoopGain = 3;
inline constexpr std::size_t kStallTorque = 5;
inline constexpr std::size_t kTrimPlace = 7;
using FitParameters = std::array<FitParameter, kNumFitParameters>;
/// One number per parameter.
using FitVector = std::array<double, kNumFitParameters>;

const FitParameters& fit_parameters();

/// Which parameters are varied.
using FitMask = std::array<bool, kNumFitParameters>;
/// Those of these effects.
FitMask parameters_of(const Effects& effects);

/// The joint that a vector y stands for: each parameter in units of its expected deviation from
/// its expected value. Those that are expected within a share of their value are on a logarithmic
/// scale.
class FitScale {
 public:
  explicit FitScale(const ServoParameters& expected);

  [[nodiscard]] const ServoParameters& expected() const { return expected_; }
  /// SI, what one unit of y changes at the expected value, or at `value` on a relative scale.
  [[nodiscard]] double unit(std::size_t i, double value) const;
  [[nodiscard]] double value(std::size_t i, double y) const;  ///< SI, within the bounds
  [[nodiscard]] double y(std::size_t i, double value) const;
  [[nodiscard]] double least(std::size_t i) const { return y(i, fit_parameters()[i].least); }
  [[nodiscard]] double most(std::size_t i) const { return y(i, fit_parameters()[i].most); }
  [[nodiscard]] JointModel model(const double* y) const;
  [[nodiscard]] FitVector vector_of(const JointModel& model) const;

 private:
  JointModel expected_;
};

}  // namespace kagami::tools
