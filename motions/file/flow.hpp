/// The flow of a motion program: steps joined by links, with counted loops and comparisons.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace kagami::motions {

struct FlowStep {
  enum class Kind : std::uint8_t {
    kPass,        ///< nothing that concerns the poses
    kPose,        ///< the pose number `value`
    kSetCounter,  ///< the counter `counter` becomes `value`
    kCountDown,   ///< counts down by one; `branch` while the counter is not 0, then `next`
    kCompare,     ///< `branch` if a sensor or a button fulfils its condition, else `next`
  };
  Kind kind = Kind::kPass;
  std::string name;  ///< for messages, "item 3 'Compare'"
  int value = 0;
  int counter = 0;
  int next = kEnd;
  int branch = kEnd;
  static constexpr int kEnd = -1;
};

struct Unrolled {
  std::vector<int> poses;             ///< in the order of play
  bool loops = false;                 ///< from the last pose to the first, without end
  std::vector<std::string> warnings;  ///< a line per comparison that was passed
};

/// Follows the flow from `start`. A comparison goes on with `next`, or with `branch` if its step is
/// in `taken`. Throws ConfigError for a step that does not exist, a loop that never ends and does
/// not begin with the first pose, and more than kMaxPoses poses.
Unrolled unroll(const std::vector<FlowStep>& steps, int start, const std::set<int>& taken,
                const std::string& file);

}  // namespace kagami::motions
