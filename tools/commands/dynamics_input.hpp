/// What `kagami dynamics` computes on: a model and its states, from files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/base/types.hpp"
#include "models/robot/model.hpp"
#include "models/robot/state.hpp"
#include "tools/cli/console.hpp"

namespace kagami::tools {

/// A force of the surroundings that keeps its direction in the world and its point on the body.
struct ExternalForce {
  BodyIndex body = 0;
  Vec3 point = Vec3::Zero();   ///< p_BoQ in B (m)
  Vec3 force = Vec3::Zero();   ///< in W (N)
  Vec3 moment = Vec3::Zero();  ///< in W (N m)
};

/// One entry of a states file.
struct StateEntry {
  models::State state;
  JointVector tau;
  std::optional<JointVector> inverse_vdot;  ///< accelerations for inverse dynamics
  std::vector<ExternalForce> external;
  std::string where;  ///< file and place, for messages
};

struct DynamicsOptions {
  std::string model;
  std::string states;     ///< file; empty = those of the model's file, or the neutral state
  std::string case_id;    ///< of an oracle file with "cases"
  std::string base;       ///< "fixed", "floating"; empty = as in the file, a robot folder fixed
  std::string algorithm;  ///< empty = aba, with loops crba
  std::string integrator = "rk4";
  std::optional<double> duration;  ///< s
  double dt = 1e-3;                ///< s
  double tolerance = 1e-9;
  std::string data;
  bool close = false;          ///< bring states to their loops
  bool ignore_limits = false;  ///< simulate beyond the joint limits
  bool csv = false;
};

struct DynamicsInput {
  std::string name;
  models::Model model;
  std::filesystem::path folder;    ///< the robot's; empty where the model came from a single file
  std::vector<StateEntry> states;  ///< at least one
};

/// Reads and checks everything, loops included: a state that does not close them is refused, or
/// with opt.close brought to one that does; remarks go to `io`. Throws ConfigError or ModelError
/// that names file, place, value and what was expected.
DynamicsInput read_dynamics_input(const DynamicsOptions& opt, Console& io);

}  // namespace kagami::tools
