/// A check as a picture: margin, torque and speed over time, heat per joint, findings marked.
#pragma once

#include <string>

#include "tools/analysis/motion_check.hpp"
#include "tools/check/motion_watch.hpp"

namespace kagami::tools {

/// An SVG file.
std::string check_picture(const MotionCheck& check, const MotionWatch& watch);

}  // namespace kagami::tools
