/// A check as text for people.
#pragma once

#include <string>
#include <vector>

#include "tools/analysis/motion_check.hpp"

namespace kagami::tools {

/// "amber  margin  2.31 s  the mass centre ...": one line per finding; "" for none.
std::string findings_text(const MotionCheck& check);
/// Verdict, findings and figures of one motion.
std::string check_text(const MotionCheck& check);
/// One line per motion; width in columns, 0: no limit.
std::string checks_table(const std::vector<MotionCheck>& checks, int width);

}  // namespace kagami::tools
