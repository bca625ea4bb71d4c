/// Motions with the transitions between them: "kagami.motion_graph/1"; docs/motion_files.md.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/wiring.hpp"
#include "motions/file/motion.hpp"

namespace kagami::motions {

struct MotionGraph {
  std::string name;
  std::string note;
  std::string file;                            ///< for messages
  std::map<std::string, std::string> motions;  ///< node and its motion, a name or a file
  /// s from the end of one node's motion to the start of the other's.
  std::map<std::pair<std::string, std::string>, double> transitions;
  std::vector<std::string> play;  ///< the nodes in order; may be empty
};

/// Throws ConfigError that lists every problem. Set-up only.
MotionGraph parse_motion_graph(std::string_view text, const std::string& file);

/// One motion along `path`, nodes of the graph in order. `load` gives the bound motion of a node's
/// name or file. Throws ConfigError for an unknown node and a step without a transition.
Motion walk_graph(const MotionGraph& graph, const std::vector<std::string>& path,
                  const std::function<Motion(const std::string&)>& load, const SpeedTable& speed);

}  // namespace kagami::motions
