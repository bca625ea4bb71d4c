/// One motion file turned into another, and what changed by it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/motion/motion_source.hpp"

namespace kagami::tools {

/// What became of a joint.
struct ConvertedJoint {
  std::string joint;
  int channel = -1;                       ///< of the file; -1: the file names the joint
  double from_min = 0.0, from_max = 0.0;  ///< rad, in the file, mapped to the joint
  double to_min = 0.0, to_max = 0.0;      ///< rad, read back from what was written
  double largest = 0.0;                   ///< rad, change of an angle of a pose
  int clipped = 0;                        ///< poses at a limit
};

struct Conversion {
  motions::MotionFormat from{}, to{};
  std::string text;  ///< of the new file
  std::vector<ConvertedJoint> joints;
  int poses_from = 0, poses_to = 0;
  double duration_from = 0.0, duration_to = 0.0;  ///< s
  std::vector<std::string> warnings;
};

struct ConvertSettings {
  motions::MotionFormat to = motions::MotionFormat::kKagami;
  bool clip = false;
  motions::WriteOptions write;
};

/// Binds, clips if asked to, writes, reads the result back and compares. Throws ConfigError for a
/// motion that the robot or the format cannot hold; nothing is written to disk.
Conversion convert(const MotionSource& source, const RobotWiring& wiring,
                   const motions::ReadOptions& read, const ConvertSettings& settings);

/// Before and after, a line per joint.
std::string conversion_text(const Conversion& conversion, int width);
nlohmann::json conversion_json(const Conversion& conversion);

/// Puts every angle into the soft limits and the counts 0..180; counts the poses by joint.
std::vector<int> clip_to_limits(motions::Motion& motion, const RobotWiring& wiring);

}  // namespace kagami::tools
