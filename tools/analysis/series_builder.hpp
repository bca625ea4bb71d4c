/// From the rows of /cycle to the curves that are compared.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "models/base/wiring.hpp"
#include "runtime/channels/cycle_types.hpp"
#include "tools/analysis/series.hpp"

namespace kagami::tools {

/// Takes rows in the order of their ticks. Readings count when they were taken after the motion
/// began (lead-in over) and before the servos were commanded to sleep. Times are seconds since the
/// first row. A row whose clock did not advance is left out.
class SeriesBuilder {
 public:
  explicit SeriesBuilder(const RobotWiring& wiring);

  /// Memory for so many rows at once; growing would take up to twice as much.
  void reserve(std::uint64_t rows);
  void add(const runtime::CycleRecord& row);
  /// The curves so far; the builder is spent.
  [[nodiscard]] RunSeries take();

 private:
  [[nodiscard]] double seconds(std::int64_t at_ns) const;
  void add_simulated(const runtime::CycleRecord& row);
  void add_readings(const runtime::CycleRecord& row);

  RunSeries run_;
  std::vector<int> board_;  // per joint
  std::optional<std::int64_t> first_ns_;
  std::optional<std::int64_t> began_ns_;  // the motion's first tick
  std::int64_t last_ns_ = 0;
  std::array<std::int64_t, kMaxBoards> last_sampled_ns_{};
  bool asleep_ = false;
};

}  // namespace kagami::tools
