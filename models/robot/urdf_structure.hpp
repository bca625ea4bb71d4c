/// What must hold of a URDF's tags before its values are read: names, tree, joint types.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "models/robot/xml_scan.hpp"

namespace kagami::models {

/// Result of the checks.
struct UrdfStructure {
  std::string root;                        ///< the one link without a parent
  std::vector<std::string> moving_joints;  ///< in document order
  std::set<std::string> sliding_joints;    ///< those of them that are prismatic
  std::vector<std::string> ignored_tags;   ///< sorted, each once
};

/// Checks that links and joints have unique names, that joints name existing links and have a type
/// we know, and that the links form one tree. Throws ModelError.
UrdfStructure check_urdf_structure(const std::vector<XmlTag>& tags, const std::string& file);

}  // namespace kagami::models
