/// CSV tables of named joints over time, as any program writes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "motions/file/motion.hpp"

namespace kagami::motions {

enum class AngleUnit : std::uint8_t { kDegrees, kRadians };

/// Whether the first line begins with a column of time.
bool is_joint_table(std::string_view bytes);

/// Reads "time_s,left_knee_deg,...": the first column is the time in s (or time_ms), the others are
/// joints with their unit as suffix ("_deg", "_rad", "[deg]", "(rad)"). A comment line "# unit:
/// deg" before the header, or `unit`, sets it for columns without one. Lines with '#' are comments.
/// An empty cell keeps the joint's angle. With ';' or tabs between the fields, decimal commas are
/// read. The first pose is reached after its time, at time 0 after the second's step. Throws
/// ConfigError that lists every problem with line and field. Set-up only.
Motion parse_joint_table(std::string_view bytes, const std::string& file,
                         std::optional<AngleUnit> unit = std::nullopt);

/// The motion as such a table, with commas and degrees, all digits. Speed codes and labels are not
/// part of it. The motion must have all its durations (`bind_motion`).
std::string joint_table_text(const Motion& motion);

}  // namespace kagami::motions
