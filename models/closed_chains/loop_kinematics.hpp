/// The equations of the loop joints: how far they gape, how fast, and how their rate turns.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "models/base/types.hpp"
#include "models/dynamics/tree_pass.hpp"
#include "models/robot/model.hpp"
#include "models/spatial/pose.hpp"
#include "models/spatial/vectors.hpp"

namespace kagami::models {

/// One row per direction that a loop joint holds, loops in model order: m = sum of
/// Loop::num_constraints. Sized from the model; no call allocates afterwards.
struct LoopKinematics {
  explicit LoopKinematics(const Model& model);

  TreePass tree;
  std::vector<BodyIndex> meeting;  ///< per loop: last body that both branches hang on, or kWorld
  std::vector<int> first_row;      ///< per loop
  std::vector<Pose> X_JL;          ///< per loop: where L is as seen from J
  std::vector<Force> T;            ///< per row: the unit load of the direction, on L, in L
  std::vector<Force> Tdot;         ///< per row: how T changes in L
  std::vector<Motion> a;           ///< per body: acceleration without vdot, without gravity
  Eigen::VectorXd e;               ///< gap per row (rad or m); 0 = closed
  Eigen::MatrixXd J;               ///< m x n: de/dt = J v where e = 0
  Eigen::VectorXd k;               ///< Jdot v (rad/s^2 or m/s^2)
};

/// e, T and J at q; the tree's poses on the way. Cycle code.
void place_loops(const Model& model, const JointVector& q, LoopKinematics& w) noexcept;
/// k at q, v; after place_loops at the same q. Cycle code.
void move_loops(const Model& model, const JointVector& q, const JointVector& v,
                LoopKinematics& w) noexcept;
/// Pose of frame L of a loop in the world; after place_loops. Cycle code.
Pose loop_pose(const Model& model, const LoopKinematics& w, int loop) noexcept;
/// Adds a loop joint's force F_L on body a (about Lo, in L) and its reaction on body b to F_ext,
/// F_Bo_B per body; after place_loops. Cycle code.
void add_loop_force(const Model& model, const LoopKinematics& w, int loop, const Force& F_L,
                    std::span<Force> F_ext) noexcept;

}  // namespace kagami::models
