/// A model prepared for derivation: welds merged, joint axes on coordinate axes, limbs paired.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/robot/model.hpp"

namespace kagami::models::hybrid {

/// How a joint of one degree of freedom moves.
enum class Move : std::uint8_t {
  kTurn,   ///< by its coordinate's angle about the axis
  kSlide,  ///< by its coordinate along the axis (m)
  kSpin,   ///< a third of a spherical joint: a rate about the axis, at angle zero
};

/// One moving body in its own frame B, whose origin is that of the model's body and whose axes are
/// chosen so that the joint turns about the coordinate axis `axis`.
struct PlanBody {
  int body = 0;     ///< index in the model, which several in a row may share
  int parent = -1;  ///< index in Plan::bodies, -1: the world
  int axis = 2;     ///< 0, 1, 2; the joint moves about or along it in the positive sense
  Move move = Move::kTurn;
  int third = 0;  ///< kSpin: which of the three; the quaternion turns the first's frame
  int q = 0;      ///< its coordinate; kSpin: the first of the quaternion
  int v = 0;      ///< its degree of freedom
  Pose X_PJ;      ///< joint frame in the parent's chosen frame
  SpatialInertia inertia;
  double rotor = 0.0;  ///< kg m^2
  std::vector<int> children;
};

/// One body, or two of mirrored limbs that are computed side by side.
struct LimbUnit {
  int lanes = 1;
  std::array<int, 2> body{-1, -1};  ///< indices in Plan::bodies, equal with one lane
  int parent = -1;                  ///< index in Plan::units, -1: the world
  int column = 0;                   ///< first of its columns among all joint quantities
  std::vector<int> children;
};

struct Plan {
  bool floating = false;           ///< bodies[0], units[0] are then the base
  Vec3 gravity = Vec3::Zero();     ///< m/s^2, in W
  Mat3 R_base = Mat3::Identity();  ///< axes of the base joint's frame J in W
  std::vector<PlanBody> bodies;
  std::vector<LimbUnit> units;  ///< parents before children
  int columns = 0;              ///< joints, each pair on an even column
  int num_q = 0;
  int num_v = 0;
};

/// Empty when the hybrid modelling supports every joint of the model: no loops, and no floating
/// joint but the first. Otherwise what is in the way.
std::string plan_problem(const Model& model);
/// Throws ModelError with plan_problem(). `pair_limbs` false gives one body per unit.
Plan make_plan(const Model& model, bool pair_limbs);

}  // namespace kagami::models::hybrid
