/// Kondo's own motion files for the KHR-1: HeartToHeart 1 CSV; docs/motion_files.md.
#pragma once

#include <string>
#include <string_view>

#include "models/base/wiring.hpp"
#include "motions/file/csv.hpp"
#include "motions/file/motion.hpp"

namespace kagami::motions {

/// Reads a HeartToHeart 1 CSV: mark, name, speed 0..7, then 24 channels in whole degrees relative
/// to home. Adds the home of `wiring`, clips to 0..180 with a warning, leaves channels of 225
/// alone; 221..224 and 226 are left alone with a warning. Labels are taken as UTF-8 or
/// code page 932. The
/// result holds the joints of `wiring` in its order, unbound: speed codes, no durations. Throws
/// ConfigError that lists every problem with line and field. Set-up only.
Motion parse_kondo_csv(std::string_view bytes, const std::string& file, const RobotWiring& wiring,
                       ChannelReader::Values values = ChannelReader::Values::kRelativeToHome);

/// The bound motion as HeartToHeart 1 CSV: relative to the home of `wiring`, channels without a
/// joint 225, CRLF, labels in code page 932. A pose without a speed code gets the code whose time
/// is nearest; what is left of its time becomes repeated poses, as the original program makes
/// pauses.
std::string kondo_csv_text(const Motion& bound, const RobotWiring& wiring);

}  // namespace kagami::motions
