#include "tools/identify/fit_parameters.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/angle.hpp"

namespace kagami::tools {

const FitParameters& fit_parameters() {
  constexpr double kDeg = 57.295779513082323;
  constexpr double kShare = 0.3;
  using S = JointModel;
  static const FitParameters kAll = {
      {{"delay_s", 1.0, &S::delay, 0.02, 0.0, 0.0, 0.2},
       {"filter_1_s", 1.0, &S::filter_1, 0.05, 0.0, 0.0, 0.5},
       {"filter_2_s", 1.0, &S::filter_2, 0.05, 0.0, 0.0, 0.5},
       {"kp", 1.0, &S::kp, 0.0, kShare, 1.0, 1000.0, Effect::kLoop},
       {"kde", 1.0, &S::kde, 0.0, kShare, 1e-3, 20.0, Effect::kLoop},
       {"stall_torque", 1.0, &S::stall_torque, 0.0, kShare, 0.05, 20.0},
       {"free_speed", 1.0, &S::free_speed, 0.0, kShare, 0.5, 50.0},
       {"trim_deg", kDeg, &S::trim, to_rad(5.0), 0.0, to_rad(-20.0), to_rad(20.0)},
       {"backlash_deg", kDeg, &S::backlash, to_rad(0.5), 0.0, 0.0, to_rad(10.0), Effect::kPlay},
       {"dead_band_deg", kDeg, &S::dead_band, to_rad(0.5), 0.0, 0.0, to_rad(10.0),
        Effect::kDeadBand},
       {"coulomb_friction", 1.0, &S::coulomb_friction, 0.02, 0.0, 0.0, 1.0, Effect::kCoulomb},
       {"viscous_friction", 1.0, &S::viscous_friction, 0.02, 0.0, 0.0, 5.0, Effect::kViscous},
       {"static_friction", 1.0, &S::static_friction, 0.02, 0.0, 0.0, 1.0, Effect::kStribeck},
       {"stribeck_speed", 1.0, &S::stribeck_speed, 0.0, 0.5, 0.01, 10.0, Effect::kStribeck},
       {"load_friction", 1.0, &S::load_friction, 0.1, 0.0, 0.0, 0.9, Effect::kLoadFriction},
       {"reading_gain", 1.0, &S::reading_gain, 0.02, 0.0, -0.5, 0.5, Effect::kReadingGain}}};
  return kAll;
}

FitMask parameters_of(const Effects& effects) {
  FitMask mask{};
  for (std::size_t i = 0; i < mask.size(); ++i) {
    mask[i] = effects[place_of(fit_parameters()[i].effect)];
  }
  return mask;
}

FitScale::FitScale(const ServoParameters& expected) : expected_{expected} {
  // a logarithm needs more than 0
  for (const FitParameter& p : fit_parameters()) {
    if (p.relative > 0.0) expected_.*p.member = std::max(expected_.*p.member, p.least);
  }
}

double FitScale::unit(std::size_t i, double value) const {
  const FitParameter& p = fit_parameters()[i];
  return p.relative > 0.0 ? p.relative * value : p.expected;
}

double FitScale::value(std::size_t i, double y) const {
  const FitParameter& p = fit_parameters()[i];
  const double from = expected_.*p.member;
  const double moved = p.relative > 0.0 ? from * std::exp(p.relative * y) : from + p.expected * y;
  return std::clamp(moved, p.least, p.most);
}

double FitScale::y(std::size_t i, double value) const {
  const FitParameter& p = fit_parameters()[i];
  const double from = expected_.*p.member;
  return p.relative > 0.0 ? std::log(value / from) / p.relative : (value - from) / p.expected;
}

JointModel FitScale::model(const double* y) const {
  JointModel model = expected_;
  for (std::size_t i = 0; i < kNumFitParameters; ++i)
    model.*fit_parameters()[i].member = value(i, y[i]);
  return model;
}

FitVector FitScale::vector_of(const JointModel& model) const {
  FitVector all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = y(i, model.*fit_parameters()[i].member);
  return all;
}

}  // namespace kagami::tools
