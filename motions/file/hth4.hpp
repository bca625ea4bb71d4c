/// HeartToHeart4 motions (.xml) and projects (.h4p) of the board RCB-4: KHR-3HV;
/// docs/motion_files.md.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "motions/file/motion.hpp"
#include "motions/file/motion_map.hpp"

namespace kagami::motions {

inline constexpr double kRcb4Frame = 0.015;  ///< s, the KHR-3HV's own; 10, 15, 20 or 25 ms

/// A motion of a canvas: joints "ch0" to "ch39" (2 * servo ID + port), angles from the servos'
/// centre, times; loops unrolled. `taken`: numbers of the activities, from 0, that branch. Throws
/// ConfigError that names file, activity and expectation. Set-up only.
Motion parse_hth4(std::string_view text, const std::string& file, double frame,
                  const std::set<int>& taken = {});

/// A motion of a project, by key ("M005") or name; motions that it calls are read in their place.
/// An empty `entry` takes the only one; if there are several, the ConfigError names them.
Motion parse_hth4_project(std::string_view text, const std::string& file, const std::string& entry,
                          double frame, const std::set<int>& taken = {});

struct ProjectEntry {
  std::string key;
  std::string name;
  int num_commands = 0;
};
/// The motions of a project that hold something.
std::vector<ProjectEntry> list_hth4_project(std::string_view text, const std::string& file);

/// The motion as a canvas, a straight line of positions. Angles are rounded to 0.034 deg, times to
/// frames; a pose of more than 255 frames is repeated. Throws ConfigError for what does not fit.
std::string hth4_text(const Motion& motion, const MotionMap& map, double frame);

/// `project`, the text of a project, with the motion in place of `entry`. Everything else of it is
/// kept. Throws ConfigError for an unknown entry and a motion of more than 2048 bytes.
std::string hth4_project_text(std::string_view project, const std::string& file,
                              const std::string& entry, const Motion& motion, const MotionMap& map,
                              double frame);

}  // namespace kagami::motions
