/// How far a model behind the line is integrated in a tick, and in which steps: shadow and loop
/// twin alike.
#pragma once

#include <cstdint>

#include "models/base/servo_parameters.hpp"
#include "runtime/cycle/cycle_config.hpp"

namespace kagami::runtime {

/// A servo answers a command after its delay, so their commands are known until then; but
/// never more than 100 ms behind. Set-up, then cycle code.
class ModelTime {
 public:
  ModelTime(const ServoSet& servos, const CycleConfig& config);

  void start(std::uint64_t round, std::int64_t now_ns) noexcept;
  /// A tick begins. `round`: of the newest sample, which reports the commands of its own time; the
  /// next round's take effect later.
  void begin_tick(std::uint64_t round, std::int64_t now_ns) noexcept;
  /// Length (ns) of the next step of a model that is at `time_ns`, 0: it is there, or has had
  /// as many steps as a tick may take. A late tick is one step; a skipped one makes steps of a
  /// period.
  [[nodiscard]] std::int64_t next_step(std::int64_t time_ns) noexcept;

 private:
  std::int64_t delay_ns_ = 0;  // the shortest of all servos
  std::int64_t period_ns_ = 0;
  int substeps_max_ = 0;

  std::uint64_t round_ = 0;
  std::int64_t known_ns_ = 0;  // every command that took effect before it is known
  std::int64_t end_ns_ = 0;
  int substeps_ = 0;  // of this tick
};

}  // namespace kagami::runtime
