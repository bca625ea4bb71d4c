/// Tables of absolute channel counts, as other projects keep KHR-1 motions.
#pragma once

#include <string>
#include <string_view>

#include "models/base/wiring.hpp"
#include "motions/file/motion.hpp"

namespace kagami::motions {

/// Reads "pos,speed[,wait_s],ch1..ch24" under a header line that names these columns: counts with
/// home already added, 225 = unused, values outside 0..180 clipped with a warning. `wait_s`, the
/// pause after a pose, is not kept: the speed code sets the time. Used to make the shipped motions.
/// Throws ConfigError that lists every problem with line and field. Set-up only.
Motion parse_absolute_csv(std::string_view bytes, const std::string& file,
                          const RobotWiring& wiring);

}  // namespace kagami::motions
