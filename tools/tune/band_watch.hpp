/// *Promote* with a way back: says when a robot's readings leave what its twins predicted.
#pragma once

#include <cstdint>
#include <optional>

#include "models/base/types.hpp"
#include "tools/tune/side_run.hpp"

namespace kagami::tools {

/// What is allowed beyond the band.
struct BandAllowance {
  double angle =
      0.0349;          ///< rad: half a degree of the reading, half of the target, a degree unknown
  double time = 0.03;  ///< s, to both sides: the line's age and a jitter of the start
  int readings = 5;    ///< in a row, of one joint, before it counts
};

/// A joint that left its band.
struct BandExit {
  int joint = -1;
  double time = 0.0;   ///< s from the promotion
  double angle = 0.0;  ///< rad, read
  double low = 0.0;    ///< rad, with the allowance
  double high = 0.0;   ///< rad, with the allowance
};

/// Pure: the same readings give the same answer. One thread.
class BandWatch {
 public:
  /// Copies what it needs. Throws ConfigError for an empty prediction or an allowance below 0.
  explicit BandWatch(const SideRun& predicted, const BandAllowance& allowance = {});

  /// A reading of a joint (model order), taken at `time` s after the promotion. The first exit,
  /// once and for all; nothing while all is well and after the prediction's end. Never allocates.
  std::optional<BandExit> see(int joint, double time, double angle) noexcept;
  /// The prediction is over and nothing left it.
  [[nodiscard]] bool is_over(double time) const noexcept { return time > end_; }

 private:
  SideRun predicted_;
  BandAllowance allowance_;
  double dt_ = 0.01;  // s
  double end_ = 0.0;  // s
  JointArray<int> outside_{};
  std::optional<BandExit> exit_;
};

}  // namespace kagami::tools
