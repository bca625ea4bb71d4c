/// Which column of a table is what: time, and the angles of the robot's joints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "motions/file/problems.hpp"

namespace kagami::tools {

enum class AngleUnit : std::uint8_t { kRad, kDeg, kCounts };
enum class TimeUnit : std::uint8_t { kS, kMs, kUs, kNs };
const char* name(AngleUnit unit) noexcept;  ///< "rad", "deg", "counts"
const char* name(TimeUnit unit) noexcept;   ///< "s", "ms", "us", "ns"
double seconds_per(TimeUnit unit) noexcept;

/// A column that is used: its place from 0, and the unit that its name gives.
struct UsedColumn {
  std::size_t place = 0;
  std::optional<AngleUnit> unit;
};
struct JointColumns {
  std::optional<UsedColumn> commanded;
  std::optional<UsedColumn> measured;
  std::optional<UsedColumn> reference;
};
struct LogColumns {
  std::optional<std::size_t> time;
  std::optional<TimeUnit> time_unit;    ///< that its name gives
  std::optional<std::size_t> phase;     ///< of a table of `kagami log export`
  std::vector<std::size_t> speed_code;  ///< of such a table, per board; may be empty
  std::vector<JointColumns> joints;     ///< in the order of the names
  std::vector<std::string> unused;      ///< names
};

/// The columns that the user names.
struct RequestedColumns {
  std::string time;               ///< name or number; empty: found by its name
  std::vector<std::string> maps;  ///< "left_knee/commanded=COLUMN"
};

/// Chooses by the words in the columns' names: "left_knee_cmd", "goal_position", "timestamp_ms".
/// What cannot be chosen is a problem with its column.
LogColumns choose_columns(const std::vector<std::string>& header,
                          const std::vector<std::string>& joints, const RequestedColumns& requested,
                          motions::Problems& problems);

/// "column 3 'knee_cmd'"
std::string column_text(const std::vector<std::string>& header, std::size_t place);

}  // namespace kagami::tools
