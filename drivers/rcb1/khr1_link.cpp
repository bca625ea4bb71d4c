#include "drivers/rcb1/khr1_link.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/base/angle.hpp"

namespace kagami::drivers {
namespace {

using rcb1::Command;

constexpr int kSilentLimit = 3;           // then a board rests
constexpr std::uint64_t kRestRounds = 4;  // and is polled in one round of these
constexpr std::int64_t kSleepBitValidNs =
    200'000'000;  // a sleep bit that was read longer ago is not known

/// The status of a round is its worst one; a lost port outranks all.
int severity(IoStatus status) noexcept {
  switch (status) {
    case IoStatus::kOk:
      return 0;
    case IoStatus::kTimedOut:
      return 1;
    case IoStatus::kBadSum:
      return 2;
    case IoStatus::kBadReply:
      return 3;
    case IoStatus::kRefused:
      return 4;
    case IoStatus::kGone:
      return 5;
  }
  return 5;
}

IoStatus worse(IoStatus a, IoStatus b) noexcept {
  return severity(a) < severity(b) ? b : a;
}

Command command_of(TargetMode mode) noexcept {
  switch (mode) {
    case TargetMode::kSleep:
      return Command::kSetSwitches;
    case TargetMode::kPlay:
      return Command::kPlayMotion;
    default:
      return Command::kSetPositions;
  }
}

}  // namespace

Khr1Link::Khr1Link(BytePort& port, const Clock& clock, const RobotWiring& wiring,
                   const rcb1::LinkTiming& timing)
    : wiring_(wiring),
      calibration_(wiring),
      line_(port, clock),
      states_{make_state(line_, wiring, calibration_, timing, 0),
              make_state(line_, wiring, calibration_, timing, 1)} {}

Khr1Link::BoardState Khr1Link::make_state(rcb1::Line& line, const RobotWiring& wiring,
                                          const rcb1::Calibration& calibration,
                                          const rcb1::LinkTiming& timing, int index) {
  std::array<bool, kChannelsPerBoard> used{};
  for (int slot = 0; slot < kChannelsPerBoard; ++slot) {
    used[static_cast<std::size_t>(slot)] = calibration.joint_at(index, slot) >= 0;
  }
  const auto i = static_cast<std::size_t>(index);
  const BoardWiring board = i < wiring.boards.size() ? wiring.boards[i] : BoardWiring{};
  return {.board = rcb1::Rcb1(line, board, timing), .gate = rcb1::ReadingGate(used)};
}

IoStatus Khr1Link::exchange(const ServoTargets& targets, ServoSample& sample,
                            Deadline deadline) noexcept {
  begin_sample(sample);
  IoStatus worst = line_.gone() ? IoStatus::kGone : encode_targets(targets);
  if (worst != IoStatus::kGone) {
    const Plan steps = plan(targets, worst == IoStatus::kOk);
    for (int k = 0; k < steps.size && !line_.gone(); ++k) {
      if (k > 0 && is_cut()) break;
      const Step& step = steps.steps[static_cast<std::size_t>(k)];
      const Deadline limit = limit_of(steps, k, targets.mode, deadline);
      const IoStatus status = run_step(step, targets, sample, limit);
      note_failures(step, status, sample);
      worst = worse(worst, status);
    }
    for (int b = 0; b < num_boards(); ++b) {
      if (rests(b, targets.mode)) worst = worse(worst, IoStatus::kTimedOut);
    }
  }
  finish_sample(sample);
  return line_.gone() ? IoStatus::kGone : worst;
}

void Khr1Link::limit_rate(const JointArray<double>& rate_max) noexcept {
  for (int b = 0; b < num_boards(); ++b) {
    for (int slot = 0; slot < kChannelsPerBoard; ++slot) {
      const int joint = calibration_.joint_at(b, slot);
      if (joint < 0) continue;
      state(b).limiter.set_rate(slot, to_deg(rate_max[static_cast<std::size_t>(joint)]));
    }
  }
}

void Khr1Link::note_awake() noexcept {
  for (BoardState& s : states_) s.asleep = false;
}

/// Positions of all boards, before anything is sent: half a pose is worse than none.
IoStatus Khr1Link::encode_targets(const ServoTargets& targets) noexcept {
  if (targets.mode != TargetMode::kPositions || targets.sequence == 0) return IoStatus::kOk;
  for (int b = 0; b < num_boards(); ++b) {
    if (state(b).done_sequence == targets.sequence) continue;
    int joint = -1;
    const IoStatus s = calibration_.to_counts(b, targets.angle, state(b).target, joint);
    if (s == IoStatus::kOk) continue;
    refusal_ = {s, b, joint};
    ++line_.counters().refused;
    return s;
  }
  return IoStatus::kOk;
}

Khr1Link::Plan Khr1Link::plan(const ServoTargets& targets, bool send) noexcept {
  Plan plan;
  const bool has_command = send && targets.mode != TargetMode::kNone && targets.sequence != 0;
  for (int b = 0; b < num_boards() && has_command; ++b) {
    const bool done = state(b).done_sequence == targets.sequence;
    if (rests(b, targets.mode) || (done && targets.mode != TargetMode::kSleep)) continue;
    plan.steps[static_cast<std::size_t>(plan.size++)] = {
        done ? StepKind::kConfirmSleep : StepKind::kCommand, b};
  }
  for (int b = 0; b < num_boards() && targets.read_positions; ++b) {
    if (rests(b, targets.mode)) continue;
    plan.steps[static_cast<std::size_t>(plan.size++)] = {StepKind::kRead, b};
  }
  return plan;
}

bool Khr1Link::rests(int board, TargetMode mode) noexcept {
  if (mode == TargetMode::kSleep) return false;
  return state(board).board.silent_in_a_row() >= kSilentLimit &&
         line_.counters().rounds % kRestRounds != 0;
}

/// Every step leaves the later ones what they usually need. A command has its own time even where
/// that leaves nothing for readings.
Deadline Khr1Link::limit_of(const Plan& plan, int k, TargetMode mode, Deadline round) noexcept {
  const Step& step = plan.steps[static_cast<std::size_t>(k)];
  std::int64_t commands_ns = 0;
  std::int64_t all_ns = 0;
  for (int later = k + 1; later < plan.size; ++later) {
    const Step& next = plan.steps[static_cast<std::size_t>(later)];
    all_ns += expected_ns(next, mode);
    if (next.kind != StepKind::kRead) commands_ns += expected_ns(next, mode);
  }
  if (step.kind == StepKind::kRead) return {round.at_ns - all_ns};
  const std::int64_t own_ns = line_.clock().now_ns() + expected_ns(step, mode);
  return {std::min(round.at_ns - commands_ns, std::max(round.at_ns - all_ns, own_ns))};
}

std::int64_t Khr1Link::expected_ns(const Step& step, TargetMode mode) noexcept {
  const rcb1::Rcb1& board = state(step.board).board;
  if (step.kind == StepKind::kRead) return board.expected_ns(Command::kGetPositions);
  if (step.kind == StepKind::kConfirmSleep) return board.expected_ns(Command::kGetSwitches);
  const std::int64_t confirm_ns =
      mode == TargetMode::kSleep ? board.expected_ns(Command::kGetSwitches) : 0;
  return board.expected_ns(command_of(mode)) + confirm_ns;
}

IoStatus Khr1Link::run_step(const Step& step, const ServoTargets& targets, ServoSample& sample,
                            Deadline limit) noexcept {
  const bool is_read = step.kind == StepKind::kRead;
  const Command first = is_read ? Command::kGetPositions : command_of(targets.mode);
  const std::int64_t soonest = line_.clock().now_ns() + rcb1::Rcb1::wire_ns(first);
  if (soonest > limit.at_ns) return IoStatus::kTimedOut;  // cannot succeed: not sent
  if (step.kind == StepKind::kConfirmSleep) return confirm_sleep(step.board, limit);
  if (!is_read) return command(step.board, targets, sample, limit);
  // a board that was silent again in this round is not waited for a second time
  const BoardState& polled = state(step.board);
  const int silent = polled.board.silent_in_a_row();
  if (silent > polled.silent_before && silent >= kSilentLimit) return IoStatus::kTimedOut;
  return read(step.board, sample, limit);
}

IoStatus Khr1Link::command(int b, const ServoTargets& targets, ServoSample& sample,
                           Deadline limit) noexcept {
  BoardState& s = state(b);
  rcb1::EffectTime effect;
  IoStatus status = send_once(b, targets, limit, effect);
  // positions and sleep may be repeated: the second has the same effect as the first
  const bool repeat = targets.mode != TargetMode::kPlay && status != IoStatus::kOk &&
                      status != IoStatus::kGone && status != IoStatus::kRefused &&
                      s.board.silent_in_a_row() < kSilentLimit && !is_cut();
  const Step step{StepKind::kCommand, b};
  if (repeat && line_.clock().now_ns() + expected_ns(step, targets.mode) <= limit.at_ns) {
    ++line_.counters().retried;
    status = send_once(b, targets, limit, effect);
  }
  if (status != IoStatus::kOk) return status;

  const bool complete = targets.mode != TargetMode::kPositions || s.next == s.target;
  if (complete) s.done_sequence = targets.sequence;
  s.acknowledged_sequence = targets.sequence;
  BoardCommand& done = sample.command[static_cast<std::size_t>(b)];
  done.complete = complete;
  done.mode = targets.mode;
  done.speed = targets.speed;
  done.sequence = targets.sequence;
  done.cycle = targets.cycle;
  done.effective_ns = effect.at_ns;
  if (targets.mode == TargetMode::kPositions) {
    done.counts = s.next;
    s.limiter.acknowledged(s.next, targets.streamed, effect.stamps.written_ns);
  }
  return IoStatus::kOk;
}

/// A board that was silent may have restarted: its pose and its sleep bit are not known any more.
void Khr1Link::note_failures(const Step& step, IoStatus status, ServoSample& sample) noexcept {
  BoardState& s = state(step.board);
  const auto b = static_cast<std::size_t>(step.board);
  std::int32_t& failed =
      step.kind == StepKind::kRead ? sample.reading[b].failed : sample.command[b].failed;
  failed = status == IoStatus::kOk ? 0 : std::min(failed + 1, std::numeric_limits<int>::max() - 1);
  if (s.board.silent_in_a_row() < kSilentLimit) return;
  sample.command[b].complete = false;
  if (s.asleep) s.done_sequence = 0;  // the sleep bit is sent again
  s.asleep = false;
}

IoStatus Khr1Link::set_positions(int b, const ServoTargets& targets, Deadline limit,
                                 rcb1::EffectTime& effect) noexcept {
  BoardState& s = state(b);
  s.next = s.target;
  if (targets.streamed) static_cast<void>(s.limiter.limit(s.next, line_.clock().now_ns()));
  return s.board.set_positions(targets.speed, s.next, limit, effect);
}

IoStatus Khr1Link::send_once(int b, const ServoTargets& targets, Deadline limit,
                             rcb1::EffectTime& effect) noexcept {
  BoardState& s = state(b);
  switch (targets.mode) {
    case TargetMode::kPositions:
      return set_positions(b, targets, limit, effect);
    case TargetMode::kSleep:
      return sleep(b, limit, effect);
    case TargetMode::kPlay:
      // once, answered or not: a second start would put the boards out of step
      s.done_sequence = targets.sequence;
      // and no board is started after one that did not answer
      if (b > 0 && state(b - 1).acknowledged_sequence != targets.sequence) {
        return IoStatus::kTimedOut;
      }
      return s.board.play_motion(targets.motion, limit, effect);
    case TargetMode::kNone:
      break;
  }
  return IoStatus::kOk;
}

/// F1, then F0: the acknowledgement of an older command looks like that of F1, the bits do not.
IoStatus Khr1Link::sleep(int b, Deadline limit, rcb1::EffectTime& effect) noexcept {
  BoardState& s = state(b);
  if (const IoStatus st = s.board.set_switches(rcb1::kSwitchSleep, limit, effect);
      st != IoStatus::kOk) {
    return st;
  }
  return confirm_sleep(b, limit);
}

IoStatus Khr1Link::confirm_sleep(int b, Deadline limit) noexcept {
  BoardState& s = state(b);
  std::uint8_t bits = 0;
  if (const IoStatus st = s.board.get_switches(bits, limit); st != IoStatus::kOk) return st;
  s.asleep = (bits & rcb1::kSwitchSleep) != 0;
  s.asleep_ns = line_.clock().now_ns();
  if (!s.asleep) s.done_sequence = 0;  // it woke up: the sleep bit is sent again
  return s.asleep ? IoStatus::kOk : IoStatus::kBadReply;
}

IoStatus Khr1Link::read(int b, ServoSample& sample, Deadline limit) noexcept {
  BoardState& s = state(b);
  ChannelCounts counts;
  rcb1::EffectTime sampled;
  if (const IoStatus st = s.board.get_positions(counts, limit, sampled); st != IoStatus::kOk) {
    return st;
  }
  if (!s.gate.accept(counts, sampled.at_ns)) {
    line_.disbelieve();
    const int slot = s.gate.refused_slot();
    refusal_ = {IoStatus::kBadReply, b, slot < 0 ? -1 : calibration_.joint_at(b, slot)};
    return IoStatus::kBadReply;
  }
  s.read_once = true;
  BoardReading& reading = sample.reading[static_cast<std::size_t>(b)];
  reading.is_new = true;
  reading.written_ns = sampled.stamps.written_ns;
  reading.received_ns = sampled.stamps.received_ns;
  reading.sampled_ns = sampled.at_ns;
  reading.uncertainty_ns = sampled.uncertainty_ns;
  reading.counts = counts;
  calibration_.to_angles(b, counts, sample.angle);
  return IoStatus::kOk;
}

void Khr1Link::begin_sample(ServoSample& sample) noexcept {
  sample.round = ++line_.counters().rounds;
  for (int b = 0; b < num_boards(); ++b) {
    sample.reading[static_cast<std::size_t>(b)].is_new = false;
    state(b).silent_before = state(b).board.silent_in_a_row();
    if (state(b).read_once) continue;
    for (int slot = 0; slot < kChannelsPerBoard; ++slot) {
      const int joint = calibration_.joint_at(b, slot);
      if (joint < 0) continue;
      sample.angle[static_cast<std::size_t>(joint)] = std::numeric_limits<double>::quiet_NaN();
    }
  }
}

void Khr1Link::finish_sample(ServoSample& sample) noexcept {
  sample.port_gone = line_.gone();
  sample.sleep_confirmed = true;
  const std::int64_t valid_after_ns = line_.clock().now_ns() - kSleepBitValidNs;
  for (int b = 0; b < num_boards(); ++b) {
    sample.sleep_confirmed &= state(b).asleep && state(b).asleep_ns >= valid_after_ns;
  }
  sample.counters = line_.counters();
}

}  // namespace kagami::drivers
