/// Simulates a closed chain without joint forces: the part that such experiments share.
#pragma once

#include "models/robot/model.hpp"
#include "models/robot/state.hpp"
#include "tools/experiments/experiment.hpp"

namespace kagami::tools {

/// As run_tree for a model with loops, by crba (multipliers on the mass matrix) or ada
/// (multi-handle assembly). `start` must close the loops. Besides, in this order: F:JOINT.x, .y, .z
/// of every tree joint (on its child) and loop joint (on body a), N, world axes;
/// "smallest_singular_value" of the loops' equations, 0 at a singular pose; "rank"; "loop_gap" (m
/// or rad); "other_gap" (rad/s^2 or m/s^2): how far the accelerations of the other of the two
/// algorithms are from this one's.
void run_loops(const models::Model& model, const models::State& start,
               const ExperimentSettings& settings, ExperimentResult& result);

}  // namespace kagami::tools
