/// RobotLink over the RCB-1 boards of one robot: order, retries, partial samples.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "drivers/link/robot_link.hpp"
#include "drivers/port/clock.hpp"
#include "drivers/rcb1/calibration.hpp"
#include "drivers/rcb1/frame_limiter.hpp"
#include "drivers/rcb1/line.hpp"
#include "drivers/rcb1/rcb1.hpp"
#include "drivers/rcb1/reading_gate.hpp"
#include "models/base/wiring.hpp"

namespace kagami::drivers {

/// A question outside the rounds of a run: time for its answer (the boards' limit of 30 ms is
/// shorter), and how often it is polled.
inline constexpr std::int64_t kAskNs = 60'000'000;
inline constexpr int kAskTries = 3;

/// What was refused last, for a message: a target outside its range or an implausible reading.
struct Refusal {
  IoStatus status = IoStatus::kOk;  ///< kRefused: target; kBadReply: reading; kOk: none yet
  int board = -1;                   ///< index, not id
  int joint = -1;                   ///< model order; -1: the whole answer was zero
};

/// One round is: command to board 0, to board 1, reading of board 0, of board 1, always in this
/// order, so the skew between the boards is constant. Commands come first in time too: a reading
/// gets what they leave of the round. A command goes to a board once per sequence and again until
/// the board acknowledged it; a stored motion is started once only. Streamed positions keep the
/// rate limit from frame to frame. Once asleep, a board is polled for its sleep bit in every round.
/// A board that was silent three times is polled in every fourth round only, so the other keeps its
/// rate; sleep is always sent. Positions that one board must not get are sent to none. One thread;
/// exchange() does not allocate.
class Khr1Link final : public RobotLink {
 public:
  /// Borrows port and clock. Set-up.
  Khr1Link(BytePort& port, const Clock& clock, const RobotWiring& wiring,
           const rcb1::LinkTiming& timing = {});
  Khr1Link(const Khr1Link&) = delete;
  Khr1Link& operator=(const Khr1Link&) = delete;

  [[nodiscard]] IoStatus exchange(const ServoTargets& targets, ServoSample& sample,
                                  Deadline deadline) noexcept override;

  /// Streamed positions move a joint at most by this (rad/s, model order) from frame to frame.
  /// Set-up.
  void limit_rate(const JointArray<double>& rate_max) noexcept;
  /// While the flag is up, a round ends after the exchange that is under way: a stop waits. Null:
  /// no round is cut short. Set-up.
  void watch(const std::atomic<bool>* stop_waits) noexcept { stop_waits_ = stop_waits; }

  [[nodiscard]] const rcb1::Calibration& calibration() const noexcept { return calibration_; }
  [[nodiscard]] const RobotWiring& wiring() const noexcept { return wiring_; }
  [[nodiscard]] const Refusal& last_refusal() const noexcept { return refusal_; }
  [[nodiscard]] int num_boards() const noexcept { return calibration_.num_boards(); }

  // for set-up functions (probe.hpp)
  [[nodiscard]] rcb1::Rcb1& board(int index) noexcept { return state(index).board; }
  [[nodiscard]] rcb1::Line& line() noexcept { return line_; }
  /// The boards were commanded to drive their servos again: sleep is no longer confirmed.
  void note_awake() noexcept;

 private:
  enum class StepKind : std::uint8_t { kCommand, kConfirmSleep, kRead };
  struct Step {
    StepKind kind = StepKind::kCommand;
    int board = 0;
  };
  struct Plan {
    std::array<Step, 2 * kMaxBoards> steps{};
    int size = 0;
  };
  struct BoardState {
    rcb1::Rcb1 board;
    rcb1::ReadingGate gate;
    std::uint32_t done_sequence = 0;  // newest sequence this board needs no more of
    std::uint32_t acknowledged_sequence = 0;
    int silent_before = 0;  // exchanges in a row without answer when the round began
    bool read_once = false;
    bool asleep = false;
    std::int64_t asleep_ns = 0;  // when it last reported that
    ChannelCounts target{};      // positions requested by this round
    ChannelCounts next{};        // and what its frame carries
    rcb1::FrameLimiter limiter{};
  };

  BoardState& state(int index) noexcept { return states_[static_cast<std::size_t>(index)]; }
  /// A stop was published: what is left of the round is not sent.
  [[nodiscard]] bool is_cut() const noexcept {
    return stop_waits_ != nullptr && stop_waits_->load(std::memory_order_acquire);
  }
  [[nodiscard]] static BoardState make_state(rcb1::Line& line, const RobotWiring& wiring,
                                             const rcb1::Calibration& calibration,
                                             const rcb1::LinkTiming& timing, int index);
  [[nodiscard]] IoStatus encode_targets(const ServoTargets& targets) noexcept;
  [[nodiscard]] Plan plan(const ServoTargets& targets, bool send) noexcept;
  [[nodiscard]] bool rests(int board, TargetMode mode) noexcept;
  [[nodiscard]] Deadline limit_of(const Plan& plan, int k, TargetMode mode,
                                  Deadline round) noexcept;
  [[nodiscard]] std::int64_t expected_ns(const Step& step, TargetMode mode) noexcept;
  [[nodiscard]] IoStatus run_step(const Step& step, const ServoTargets& targets,
                                  ServoSample& sample, Deadline limit) noexcept;
  [[nodiscard]] IoStatus set_positions(int board, const ServoTargets& targets, Deadline limit,
                                       rcb1::EffectTime& effect) noexcept;
  [[nodiscard]] IoStatus confirm_sleep(int board, Deadline limit) noexcept;
  void note_failures(const Step& step, IoStatus status, ServoSample& sample) noexcept;
  [[nodiscard]] IoStatus command(int board, const ServoTargets& targets, ServoSample& sample,
                                 Deadline limit) noexcept;
  [[nodiscard]] IoStatus send_once(int board, const ServoTargets& targets, Deadline limit,
                                   rcb1::EffectTime& effect) noexcept;
  [[nodiscard]] IoStatus sleep(int board, Deadline limit, rcb1::EffectTime& effect) noexcept;
  [[nodiscard]] IoStatus read(int board, ServoSample& sample, Deadline limit) noexcept;
  void begin_sample(ServoSample& sample) noexcept;
  void finish_sample(ServoSample& sample) noexcept;

  RobotWiring wiring_;
  rcb1::Calibration calibration_;
  rcb1::Line line_;
  std::array<BoardState, kMaxBoards> states_;
  Refusal refusal_{};
  const std::atomic<bool>* stop_waits_ = nullptr;
};

}  // namespace kagami::drivers
