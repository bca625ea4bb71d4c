/// Writes a memory image into the boards: planned first, then item by item, each read back.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/robot/memory_image.hpp"

namespace kagami::tools {

enum class RestoreKind { kMotion, kScenario, kKeys, kTrim, kHome, kSwitches };

/// One part that differs and is written as a whole.
struct RestoreItem {
  RestoreKind kind = RestoreKind::kMotion;
  int number = 0;    ///< of the motion or scenario
  std::string name;  ///< "motion 3"
};

struct RestorePlan {
  MemoryImage present;             ///< as read before
  MemoryImage wanted;              ///< as it can be written
  std::vector<RestoreItem> items;  ///< in the order of writing
  std::vector<std::string> notes;  ///< what is written differently from the file, and why
};

/// Compares. With `with_home` a home that differs is an item: the robot moves to it. Throws
/// ConfigError for a value of the file that must not be sent to a servo.
RestorePlan plan_restore(const BoardSession& session, const MemoryImage& present,
                         const MemoryImage& file, bool with_home = false);

struct RestoreResult {
  std::vector<std::string> written;    ///< items, read back as expected
  std::optional<std::string> cut_off;  ///< the item at which it failed, and in which state it is
  std::vector<std::string> untouched;  ///< items that were not begun
  std::string failure;                 ///< empty: everything was written
  bool port_is_gone = false;
  bool is_interrupted = false;  ///< a stop was requested; the item under way was finished, but for
                                ///< a home, which is not begun then
};

/// Writes the items. A motion is emptied on every board first and gets its number of poses last, so
/// that a part of it cannot play. Ends at the first failure, and before the next item when
/// `stop_requested` (may be empty) is true; does not throw for either.
RestoreResult run_restore(BoardSession& session, const RestorePlan& plan,
                          const MemoryProgress& progress,
                          const std::function<bool()>& stop_requested = {});

}  // namespace kagami::tools
