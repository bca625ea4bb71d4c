/// Findings out of what the twin did: each with its level, place and one sentence.
#pragma once

#include <vector>

#include "models/robot/robot_folder.hpp"
#include "runtime/app/run_result.hpp"
#include "tools/analysis/motion_check.hpp"
#include "tools/check/motion_watch.hpp"

namespace kagami::tools {

/// What makes a finding; docs/check.md explains each.
inline constexpr double kSlipAmber = 0.010;  ///< m that a foot slides
inline constexpr double kLimitAmber = 0.1;   ///< s at the limit of a servo
inline constexpr double kLimitRed = 1.0;     ///< s
inline constexpr double kLoadAmber = 0.2;    ///< root mean square of the torque over stall torque
inline constexpr double kSpeedTolerance = 0.05;  ///< share: so well is a free speed known
inline constexpr double kRoundsAmber = 2.0;      ///< rounds of the line that a pose has to last

/// Adds what watch and run found to the check, whose static part is complete, and fills in
/// MotionCheck::twin and the loads of its joints. `motion`: the bound one that was played at
/// `speed`.
void add_twin_findings(MotionCheck& check, const models::RobotDescription& robot,
                       const motions::Motion& motion, double speed, const MotionWatch& watch,
                       const runtime::RunResult& run);

/// "margin, slip (2), heat (4)": the kinds in the order of the findings; "" for none.
std::string findings_summary(const MotionCheck& check);

}  // namespace kagami::tools
