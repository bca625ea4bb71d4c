/// A recorded run with another model beside the robot.
#pragma once

#include "models/base/servo_parameters.hpp"
#include "tools/gap/run_analysis.hpp"

namespace kagami::tools {

/// The shadow model again with these servos, driven by what the boards received and compared with
/// what they read. With the record's own servos it gives the record's own angles, bit for bit.
/// Throws ConfigError for a record that cannot be read or lacks what the model was built from.
RunAnalysis resimulate(const RunRecord& record, const ServoSet& servos);

}  // namespace kagami::tools
