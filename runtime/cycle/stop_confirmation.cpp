#include "runtime/cycle/stop_confirmation.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/angle.hpp"
#include "models/base/idx.hpp"
#include "models/base/time.hpp"

namespace kagami::runtime {

void StopConfirmation::step(bool has_stopped, std::uint32_t sequence, bool confirmed,
                            std::int64_t now_ns, EventList& events) noexcept {
  if (!has_stopped || sequence == 0) {
    watching_ = false;
    return;
  }
  if (!watching_ || sequence != sequence_) {
    watching_ = true;
    reported_ = false;
    sequence_ = sequence;
    since_ns_ = now_ns;
  }
  if (reported_) return;
  const double waited = seconds(now_ns - since_ns_);
  if (confirmed) {
    events.add(EventCode::kStopConfirmed, waited);
    reported_ = true;
  } else if (now_ns - since_ns_ >= kLimitNs) {
    events.add(EventCode::kStopUnconfirmed, waited);
    reported_ = true;
  }
}

bool board_confirms(int board, const drivers::ServoTargets& targets,
                    const drivers::ServoSample& sample, std::int64_t now_ns) noexcept {
  constexpr std::int64_t kHeardNs = 200'000'000;
  const drivers::BoardCommand& command = sample.command[static_cast<std::size_t>(board)];
  const drivers::BoardReading& reading = sample.reading[static_cast<std::size_t>(board)];
  if (sample.port_gone || targets.sequence == 0) return false;
  if (command.sequence != targets.sequence || command.mode != targets.mode) return false;
  if (!command.complete) return false;
  return now_ns - std::max(command.effective_ns, reading.received_ns) <= kHeardNs;
}

bool all_boards_confirm(const drivers::ServoTargets& targets, const drivers::ServoSample& sample,
                        int num_boards, std::int64_t now_ns) noexcept {
  if (targets.mode == drivers::TargetMode::kSleep && !sample.sleep_confirmed) return false;
  for (int b = 0; b < num_boards; ++b) {
    if (!board_confirms(b, targets, sample, now_ns)) return false;
  }
  return true;
}

bool readings_confirm(const drivers::ServoTargets& targets, const drivers::ServoSample& sample,
                      int num_boards, int num_joints) noexcept {
  constexpr std::int64_t kArriveNs = 200'000'000;
  constexpr double kNear = to_rad(10.0);  // loaded joints rest a few degrees beside their target
  if (targets.mode != drivers::TargetMode::kPositions) return true;
  for (int b = 0; b < num_boards; ++b) {
    const std::int64_t since_ns = sample.command[idx(b)].effective_ns + kArriveNs;
    if (sample.reading[idx(b)].sampled_ns < since_ns) return false;
  }
  for (int j = 0; j < num_joints; ++j) {
    if (!(std::abs(sample.angle[idx(j)] - targets.angle[idx(j)]) <= kNear)) return false;
  }
  return true;
}

}  // namespace kagami::runtime
