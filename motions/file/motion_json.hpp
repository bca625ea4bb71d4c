/// Our motion format, "kagami.motion/1": reader and writer; docs/motion_files.md.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "motions/file/motion.hpp"

namespace kagami::motions {

/// Largest motion file of any format, bytes.
inline constexpr std::size_t kMaxMotionBytes = 64u << 20;

/// Reads a motion; `file` is the name that errors show. Throws ConfigError that lists every problem
/// with its path, value and expectation (at most 20, then "and N more"). Whether the joints exist
/// is checked by `bind_motion`. Set-up only.
Motion parse_motion_json(std::string_view text, const std::string& file);

/// The motion as a file, one line per pose, UTF-8, newline at the end. A file written by this
/// function and read again gives the same bytes; angles are the shortest degrees that read back to
/// the same radians.
std::string motion_json_text(const Motion& motion);

}  // namespace kagami::motions
