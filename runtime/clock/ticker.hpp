/// Absolute ticks start + k * period, and what to do when one comes late.
#pragma once

#include <cstdint>

namespace kagami::runtime {

/// What happens to the ticks that a late wake-up has missed.
enum class LatePolicy : std::uint8_t {
  kSkip,     ///< leave them out; the beat keeps its phase
  kCatchUp,  ///< run up to kMaxBacklog of them afterwards, half a period apart
  kStop,     ///< ask for a hold when a whole period was missed
};

/// The beat of the cycle. Whatever the policy, two ticks never begin closer together than half a
/// period. No clock inside: times come from the caller. Cycle code.
class Ticker {
 public:
  /// Most ticks that kCatchUp makes up for; what goes beyond is skipped.
  static constexpr std::int64_t kMaxBacklog = 8;

  /// One tick that begins.
  struct Tick {
    std::int64_t index = 0;        ///< 0, 1, 2, ...: ticks begun, without gaps
    std::int64_t lateness_ns = 0;  ///< behind its scheduled time
    bool stop = false;             ///< kStop: a whole period was missed
  };

  /// First tick at `start_ns`; `period_ns` > 0.
  Ticker(std::int64_t start_ns, std::int64_t period_ns, LatePolicy policy) noexcept
      : period_ns_(period_ns), policy_(policy), due_ns_(start_ns), grid_ns_(start_ns) {}

  /// When the next tick shall begin.
  [[nodiscard]] std::int64_t due_ns() const noexcept { return due_ns_; }
  /// Begins the due tick at `now_ns` (>= due_ns) and plans the next one.
  Tick begin(std::int64_t now_ns) noexcept;

  [[nodiscard]] std::int64_t ticks() const noexcept { return ticks_; }
  /// Ticks that began more than half a period after their scheduled time.
  [[nodiscard]] std::int64_t late() const noexcept { return late_; }
  /// Places of the grid at which no tick ran.
  [[nodiscard]] std::int64_t skipped() const noexcept { return skipped_; }

 private:
  void skip_to_at_least(std::int64_t at_ns) noexcept;

  std::int64_t period_ns_;
  LatePolicy policy_;
  std::int64_t due_ns_;   // when the next tick shall begin
  std::int64_t grid_ns_;  // its place on the grid
  std::int64_t ticks_ = 0;
  std::int64_t late_ = 0;
  std::int64_t skipped_ = 0;
};

}  // namespace kagami::runtime
