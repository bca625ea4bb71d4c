/// The setup of a record whose commands come from elsewhere: a record holds a motion, so one pose
/// stands in for it.
#pragma once

#include <string>

#include "models/base/types.hpp"
#include "motions/file/motion.hpp"
#include "runtime/app/assemble.hpp"

namespace kagami::tools {

/// The pose at which a model without commands rests.
struct StandInPose {
  std::string name;  ///< of the motion
  std::string note;
  JointArray<double> angle{};  ///< rad, model order; cut to the soft limits
  motions::Start start = motions::Start::kStanding;
};

/// read_setup for `config`, whose motion file is not read. Throws as read_setup.
runtime::RunSetup read_setup_with_pose(const runtime::RunConfig& config, const StandInPose& pose);

}  // namespace kagami::tools
