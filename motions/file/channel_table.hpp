/// Tables of absolute channel counts, as other projects keep KHR-1 motions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/base/wiring.hpp"
#include "motions/file/csv.hpp"
#include "motions/file/motion.hpp"

namespace kagami::motions {

/// Whether the first line of the file names the columns of such a table: "ch1" to "ch24".
bool is_channel_table(std::string_view bytes);

/// Reads "[pos|frame,][speed,][wait_s,]ch1..ch24": counts with home already added, 225 = unused,
/// values outside 0..180 clipped with a warning. `wait_s` is the time from sending the pose to
/// sending the next; one that is shorter than the boards need gives way to their time, with a
/// warning. A table without speeds and waits needs `step`, s from row to row. Throws ConfigError
/// that lists every problem with line and field. Set-up only.
Motion parse_channel_table(std::string_view bytes, const std::string& file,
                           const RobotWiring& wiring, std::optional<double> step = std::nullopt,
                           ChannelReader::Values values = ChannelReader::Values::kAbsolute);

/// The bound motion as such a table, with speeds, times or both as far as the motion has them.
std::string channel_table_text(const Motion& bound, const RobotWiring& wiring);

}  // namespace kagami::motions
