/// HeartToHeart3 motions (.RCB) of the board RCB-3: KHR-2HV, KHR-1HV; docs/motion_files.md.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "motions/file/motion.hpp"
#include "motions/file/motion_map.hpp"

namespace kagami::motions {

/// The motion along its links, loops unrolled: joints "ch1" to "ch24", angles from home, times. A
/// comparison that needs a sensor or a button is passed with a warning; those in `taken` (numbers
/// of items) branch. The result is for a MotionMap. Throws ConfigError that names file, item and
/// expectation, and what a scenario or a trim file is. Set-up only.
Motion parse_hth3(std::string_view text, const std::string& file, const std::set<int>& taken = {});

/// The motion as a file, a straight line of positions, CRLF. Angles are rounded to 0.3516 deg,
/// times to 15 ms. `map` gives the channels. Throws ConfigError for what the format cannot hold.
std::string hth3_text(const Motion& motion, const MotionMap& map);

}  // namespace kagami::motions
