/// Whether the boards have confirmed a stop.
#pragma once

#include <cstdint>

#include "drivers/link/samples.hpp"
#include "runtime/cycle/event_list.hpp"

namespace kagami::runtime {

/// Follows a stop or a fault until the boards have answered for it. Cycle code.
class StopConfirmation {
 public:
  /// So long an answer may take before the stop is called not confirmed.
  static constexpr std::int64_t kLimitNs = 400'000'000;

  /// `has_stopped`: a stop or a fault has come to its last command; `sequence`: of that command.
  /// One event when all boards confirmed it, or one when they did not in time.
  void step(bool has_stopped, std::uint32_t sequence, bool confirmed, std::int64_t now_ns,
            EventList& events) noexcept;

 private:
  bool watching_ = false;
  bool reported_ = false;
  std::uint32_t sequence_ = 0;
  std::int64_t since_ns_ = 0;
};

/// Whether the board acknowledged the newest command in full, was not silent since and answered
/// something within the last 200 ms. Cycle code.
bool board_confirms(int board, const drivers::ServoTargets& targets,
                    const drivers::ServoSample& sample, std::int64_t now_ns) noexcept;
/// The same for all boards; where the sleep bit was requested, their switch bits must show it too.
bool all_boards_confirm(const drivers::ServoTargets& targets, const drivers::ServoSample& sample,
                        int num_boards, std::int64_t now_ns) noexcept;

/// Whether the joints are where the command has them, by readings that are newer than it by the
/// time a servo needs: of boards that may go on with a stored motion although they acknowledged it.
bool readings_confirm(const drivers::ServoTargets& targets, const drivers::ServoSample& sample,
                      int num_boards, int num_joints) noexcept;

}  // namespace kagami::runtime
