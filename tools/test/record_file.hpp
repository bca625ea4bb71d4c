/// Record files of made-up runs of the KHR-1.
#pragma once

#include <filesystem>
#include <string>

namespace kagami::test {

/// What the made-up robot does: its knees walk, all other joints rest.
struct RecordedRun {
  double seconds = 3.0;
  double delay = 0.0;       ///< s, robot later than model
  double offset_deg = 0.0;  ///< of the left knee's readings
  std::string motion = "walk_forward";
  bool with_robot = true;      ///< attach robot.json
  bool with_cycle = true;      ///< has the channel /cycle
  bool other_version = false;  ///< /cycle has a field that this program does not know
  int turned_at =
      -1;  ///< tick that takes set 1, the values 5 and 10; 500 ticks later set 2, 4.2 and 10
};

/// Writes /cycle at 1 kHz, readings at 100 Hz in whole degrees, attachments robot.json and
/// motion.json, and metadata "kagami.run".
void write_record(const std::filesystem::path& file, const RecordedRun& run = {});

}  // namespace kagami::test
