/// Boxes of 200 x 100 x 50 mm and a robot that reaches itself, under every method, and what they
/// bear.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "models/contact/world/world.hpp"

namespace kagami::test {

inline constexpr double kG = 9.81;               ///< m/s^2
inline constexpr double kStep = 1e-3;            ///< s
inline constexpr double kDegree = M_PI / 180.0;  ///< rad
inline const Vec3 kBox(0.2, 0.1, 0.05);          ///< m
inline const models::Surface kRough{.mu_static = 0.5, .mu_kinetic = 0.45, .restitution = 0.0};
/// Slides with the friction that it sticks with.
inline constexpr models::Surface kEqualFriction{
    .mu_static = 0.5, .mu_kinetic = 0.5, .restitution = 0.0};

/// A homogeneous one with its centre at `p` (m).
models::SceneSystem box_at(const std::string& name, const Vec3& p, double mass,
                           const models::Motion& V = models::Motion::zero(),
                           const Mat3& R = Mat3::Identity(),
                           const models::Surface& surface = kRough);

/// A trunk of 1 kg that nothing holds, an upper and a lower arm of 0.1 kg that fold the hand onto
/// it.
models::SceneSystem folding_robot();

/// Default settings of a method.
models::ContactSettings by(models::MethodName method);

/// Upward force that points of the last step exert on a system, of others and of the ground (N).
double lift_of(const models::World& world, int system, double h);
/// Force between two systems, up on the second (N).
double lift_between(const models::World& world, int lower, int upper, double h);

/// A test that runs by one method after another.
class ByMethod : public ::testing::TestWithParam<models::MethodName> {
 protected:
  static bool volumetric() { return GetParam() == models::MethodName::kVolumetric; }
  static models::ContactSettings settings() { return by(GetParam()); }
};

}  // namespace kagami::test
