/// A closed chain of up to six rods with parallel hinges, reduced to its plane: two independent
/// equations per loop, everything in small arrays.
#pragma once

#include <array>
#include <optional>

#include "models/robot/model.hpp"

namespace kagami::models {

/// Most links and most equations of a PlanarChain.
inline constexpr int kMaxPlanarLinks = 6;
inline constexpr int kMaxPlanarRows = 6;

using PlanarVector = std::array<double, kMaxPlanarLinks>;
/// A point or a vector of the plane (m).
struct PlanarPoint {
  double x = 0.0;
  double y = 0.0;
};

/// What of a model matters in its plane. Immutable.
struct PlanarModel {
  struct Link {
    int parent = kWorld;
    double sign = 1.0;     ///< +1: its axis points along the plane's normal
    PlanarPoint joint;     ///< in the parent, axes of the plane at q = 0
    PlanarPoint com;       ///< in the link
    double mass = 0.0;     ///< kg
    double inertia = 0.0;  ///< about the mass centre and the normal (kg m^2)
    double rotor = 0.0;    ///< kg m^2
  };
  struct Pin {
    int a = 0;
    int b = kWorld;
    PlanarPoint on_a;
    PlanarPoint on_b;
  };

  int links = 0;
  int rows = 0;  ///< two per pin
  PlanarPoint gravity;
  std::array<Link, kMaxPlanarLinks> link;
  std::array<Pin, kMaxPlanarRows / 2> pin;
};

/// The plane of a model whose bodies all turn about parallel axes and whose loops are hinges about
/// them, or balls, in one plane; empty for any other model or a larger one. Set-up.
std::optional<PlanarModel> planar_model(const Model& model);

/// Everything one state gives; overwritten by evaluate.
struct PlanarWork {
  std::array<std::array<double, kMaxPlanarLinks>, kMaxPlanarLinks> L;  ///< unit lower; D inverted
  std::array<double, kMaxPlanarLinks> d;                               ///< 1 / D, H = L D L'
  std::array<double, kMaxPlanarLinks> free;                            ///< H^-1 (tau - b)
  std::array<std::array<double, kMaxPlanarLinks>, kMaxPlanarRows> J;
  std::array<std::array<double, kMaxPlanarLinks>, kMaxPlanarRows> G;  ///< rows of J H^-1
  std::array<std::array<double, kMaxPlanarRows>, kMaxPlanarRows> A;   ///< J H^-1 J', factored
  std::array<double, kMaxPlanarRows> a;                               ///< 1 / its pivots
  std::array<double, kMaxPlanarRows> e;                               ///< gap (m)
  std::array<double, kMaxPlanarRows> k;                               ///< Jdot v (m/s^2)
};

/// H, b, J, e, k and the factors at q, v. False where the loops are within 1e-4 of losing rank (in
/// singular values, against the largest) or something is not finite. Cycle code.
bool evaluate(const PlanarModel& model, const PlanarVector& q, const PlanarVector& v,
              const PlanarVector& tau, PlanarWork& w) noexcept;
/// The gaps alone, into w.e. Cycle code.
void evaluate_gaps(const PlanarModel& model, const PlanarVector& q, PlanarWork& w) noexcept;
/// x += H^-1 J' (J H^-1 J')^-1 r: the smallest change, in the metric of H, with J dx = r. After
/// evaluate. Cycle code.
void move_to(const PlanarModel& model, const PlanarWork& w,
             const std::array<double, kMaxPlanarRows>& r, PlanarVector& x) noexcept;

}  // namespace kagami::models
