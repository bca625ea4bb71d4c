/// The formats of motion files: recognised by content, read and written by one call each.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "models/base/wiring.hpp"
#include "motions/file/hth4.hpp"
#include "motions/file/joint_table.hpp"
#include "motions/file/motion.hpp"
#include "motions/file/motion_map.hpp"

namespace kagami::motions {

enum class MotionFormat : std::uint8_t {
  kKagami,        ///< kagami.motion/1
  kHth1,          ///< HeartToHeart 1 CSV of the KHR-1
  kChannelTable,  ///< CSV of absolute counts
  kJointTable,    ///< CSV of named joints over time
  kHth3,          ///< HeartToHeart3 .RCB
  kHth4,          ///< HeartToHeart4 .xml
  kHth4Project,   ///< HeartToHeart4 .h4p
};

/// "HeartToHeart3 motion (.RCB)"
const char* format_name(MotionFormat format);
/// As options and results name it: "kagami", "hth1", "counts", "csv", "hth3", "hth4", "h4p".
const char* format_key(MotionFormat format);
/// Throws ConfigError that lists the keys.
MotionFormat format_of_key(std::string_view key);
/// The channels of the file are those of another robot: a MotionMap is needed.
bool needs_map(MotionFormat format);

/// Finds out what a file is. Throws ConfigError that names what it is otherwise.
MotionFormat recognise(std::string_view text, const std::string& file);

/// What a file does not state itself.
struct ReadOptions {
  std::optional<double> step;      ///< s from row to row of a table of counts without times
  std::optional<AngleUnit> unit;   ///< of a table of joints
  std::string entry;               ///< of a project: key or name of the motion
  std::set<int> branches;          ///< numbers of the comparisons that are true
  double frame = kRcb4Frame;       ///< s, of HeartToHeart4
  const MotionMap* map = nullptr;  ///< channels to joints; required where `needs_map`
};

/// A motion from the text of a file (`file_text`): the joints are the robot's, unbound. Throws
/// ConfigError. Set-up only.
Motion parse_motion(std::string_view text, const std::string& file, const RobotWiring& wiring,
                    const ReadOptions& options = {});
/// The same with the file's own joints: "ch1", ... where `needs_map` or a map is given.
Motion parse_unmapped(std::string_view text, const std::string& file, const RobotWiring& wiring,
                      const ReadOptions& options = {});

struct WriteOptions {
  const MotionMap* map = nullptr;
  double frame = kRcb4Frame;   ///< s
  std::string project{};       ///< text of the project that takes the motion, for kHth4Project
  std::string project_file{};  ///< for messages
  std::string entry{};
};

/// `bound` as a file of that format. Throws ConfigError for what the format cannot hold.
std::string motion_text(const Motion& bound, MotionFormat format, const RobotWiring& wiring,
                        const WriteOptions& options = {});

}  // namespace kagami::motions
