/// *Promote* with a way back: reports when a robot's readings leave what its twins predicted.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "models/base/types.hpp"
#include "tools/tune/forecast.hpp"

namespace kagami::tools {

/// What is allowed beyond the band; each term in docs/tuning.md.
struct BandAllowance {
  /// rad: half a degree of the reading, and one between two targets of whole degrees, the robot's
  /// and its twin's, that lie on both sides of a half.
  double angle = 0.0262;
  /// s, to both sides: a round of the line (10 ms), a row of the prediction (10 ms), the row at
  /// which the change is requested (10 ms).
  double time = 0.03;
  /// s over which a joint is judged; never more than half of the prediction.
  double window = 0.5;
};

/// A joint that left its band: a reading outside of it, after a window that was outside on the
/// whole.
struct BandExit {
  int joint = -1;
  double time = 0.0;   ///< s from the promotion
  double angle = 0.0;  ///< rad, read
  double low = 0.0;    ///< rad, with the allowance
  double high = 0.0;   ///< rad, with the allowance
};

/// A joint has left its band when, over the window, the RMS of its distance from the twins' mean is
/// beyond the RMS of what the band and the allowance let it be: a swing that comes earlier or later
/// than the twins' is none, a single reading neither. Pure: the same readings give the same answer.
/// One thread.
class BandWatch {
 public:
  /// Copies what it needs. Throws ConfigError for an empty prediction or an allowance below 0.
  explicit BandWatch(const Forecast& predicted, const BandAllowance& allowance = {});

  /// A reading of a joint (model order), taken at `time` s after the promotion, in the order of
  /// their times. The first exit, once and for all; nothing while all is well, within the first
  /// window and after the prediction's end. Never allocates.
  std::optional<BandExit> add_reading(int joint, double time, double angle) noexcept;
  /// The prediction is over and nothing left it.
  [[nodiscard]] bool is_over(double time) const noexcept { return time > end_; }

 private:
  /// One joint's readings within the window, oldest first from `begin`.
  struct Window {
    static constexpr std::size_t kRoom = 128;  // readings; boards give 50 in half a second
    std::array<double, kRoom> time{};
    std::array<double, kRoom> error{};  // rad^2
    std::array<double, kRoom> bound{};  // rad^2
    std::size_t begin = 0;
    std::size_t count = 0;
  };
  struct Bounds {
    double mean = 0.0;
    double low = 0.0;
    double high = 0.0;
  };
  [[nodiscard]] Bounds bounds_at(const PredictedBand& band, double time) const noexcept;
  void push(Window& window, double time, double error, double bound) const noexcept;

  Forecast predicted_;
  BandAllowance allowance_;
  double dt_ = 0.01;     // s
  double end_ = 0.0;     // s
  double window_ = 0.5;  // s
  std::vector<Window> windows_;
  std::optional<BandExit> exit_;
};

}  // namespace kagami::tools
