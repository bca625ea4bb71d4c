#include "runtime/cycle/obedience.hpp"

#include <algorithm>
#include <cmath>

namespace kagami::runtime {
namespace {

/// The shadow restarted in this tick: what it did before does not continue.
bool has_restarted(const CycleOutput& out) noexcept {
  return std::any_of(out.events.begin(), out.events.begin() + out.num_events,
                     [](const Event& e) { return e.code == EventCode::kShadowReset; });
}

/// What the gate cut off the reference, rad. A controller may request more than the reference; what
/// is cut off that is its own overshoot as long as the reference passes.
double reference_shortfall(double reference, double requested, double passed) noexcept {
  const double cut = requested - passed;
  const double missing = reference - passed;
  if (cut * missing <= 0.0) return 0.0;
  return std::abs(missing) < std::abs(cut) ? missing : cut;
}

}  // namespace

Obedience::Obedience(const RobotWiring& wiring, const CycleConfig& config)
    : num_joints_(static_cast<int>(wiring.joints.size())),
      num_boards_(static_cast<int>(wiring.boards.size())) {
  for (std::size_t i = 0; i < wiring.joints.size(); ++i) {
    board_[i] = static_cast<std::int8_t>(wiring.joints[i].board());
  }
  short_since_ns_.fill(-1);
  far_since_ns_.fill(-1);
  // rounds that skip their reading lengthen the gaps
  const std::int64_t skipped_ns = std::max(0, config.read_every - 1) * config.round_limit_ns;
  for (RestartWatch& watch : restarts_) watch.set_silence(RestartWatch::kSilenceNs + skipped_ns);
}

void Obedience::restart() noexcept {
  for (FollowWatch& watch : follow_) watch.restart();
  for (GainWatch& watch : gain_) watch.restart();
  for (OffsetWatch& watch : offset_) watch.restart();
  for (OffsetWatch& watch : command_offset_) watch.restart();
  for (FrozenBoardWatch& watch : frozen_) watch.restart();
  for (RestartWatch& watch : restarts_) watch.restart();
  far_since_ns_.fill(-1);
}

bool Obedience::check_readings(const CycleInput& in, const CycleOutput& out,
                               const Commands& commands, EventList& events) noexcept {
  ledger_.begin_tick(in.now_ns);
  const bool is_released = in.sample.sleep_confirmed;
  if (is_released || has_restarted(out)) restart();
  if (is_released) return false;
  for (std::size_t b = 0; b < static_cast<std::size_t>(num_boards_); ++b) {
    unanswered_[b] =
        std::max(unanswered_[b], in.sample.reading[b].failed + in.sample.command[b].failed);
  }
  for (int b = 0; b < num_boards_; ++b) {
    const bool is_new = out.residual_is_new[static_cast<std::size_t>(b)];
    if (is_new) check_board(b, in, out, commands, events);
  }
  bool distrust = count(RobotFault::kDoesNotFollow) >= kManyJoints;
  for (int f = 0; f < kNumRobotFaults; ++f) {
    const auto fault = static_cast<RobotFault>(f);
    distrust = distrust || (makes_hold(fault) && count(fault) > 0);
  }
  const bool hold = distrust && !distrusted_;
  distrusted_ = distrust;
  return hold;
}

void Obedience::check_board(int board, const CycleInput& in, const CycleOutput& out,
                            const Commands& commands, EventList& events) noexcept {
  const auto b = static_cast<std::size_t>(board);
  const BoardAngles angles{.at_ns = in.sample.reading[b].sampled_ns,
                           .counts = in.sample.reading[b].counts,
                           .simulated = out.q_aligned,
                           .commanded = commands.acknowledged,
                           .sent = commands.sent,
                           .residual = out.residual,
                           .board_of_joint = board_,
                           .board = board,
                           .num_joints = num_joints_};
  restarts_[b].add(angles, unanswered_[b]);
  unanswered_[b] = 0;
  set(RobotFault::kBoardRestarted, board, restarts_[b].has_restarted(), restarts_[b].change(),
      events);
  frozen_[b].add(angles);
  set(RobotFault::kBoardFrozen, board, frozen_[b].is_frozen(), frozen_[b].model_moved(), events);
  for (std::size_t i = 0; i < static_cast<std::size_t>(num_joints_); ++i) {
    if (board_[i] != board) continue;
    check_joint(i,
                {.at_ns = angles.at_ns,
                 .measured = in.sample.angle[i],
                 .simulated = out.q_aligned[i],
                 .commanded = commands.acknowledged[i]},
                events);
  }
}

void Obedience::check_joint(std::size_t joint, const WatchedAngle& angle,
                            EventList& events) noexcept {
  const int place = static_cast<int>(joint);
  follow_[joint].add(angle);
  gain_[joint].add(angle);
  const bool implausible = is_implausible(joint, angle);
  // a frozen board explains its joints: one fault, one event
  const bool explained = ledger_.is_active(RobotFault::kBoardFrozen, board_[joint]);
  const double r = angle.residual();
  const bool stays = follow_[joint].does_not_follow() || gain_[joint].is_lost();
  set(RobotFault::kDoesNotFollow, place, stays && !explained, r, events);
  set(RobotFault::kFrozen, place, follow_[joint].is_frozen() && !explained, r, events);
  set(RobotFault::kImplausibleJoint, place, implausible && !stays && !explained, r, events);
}

bool Obedience::is_implausible(std::size_t joint, const WatchedAngle& angle) noexcept {
  offset_[joint].add(angle);
  WatchedAngle of_command = angle;
  of_command.simulated = angle.commanded;
  command_offset_[joint].add(of_command);
  // a robot that is late is far from the model for a moment
  std::int64_t& since_ns = far_since_ns_[joint];
  if (std::abs(angle.residual()) < OffsetWatch::kOffset) {
    since_ns = -1;
  } else if (since_ns < 0) {
    since_ns = angle.at_ns;
  }
  if (offset_[joint].is_implausible()) return true;
  const bool active = ledger_.is_active(RobotFault::kImplausibleJoint, static_cast<int>(joint));
  const bool is_far = since_ns >= 0 && angle.at_ns - since_ns >= OffsetWatch::kHoldsNs;
  // a joint under load rests beside its command, and so does the model
  return command_offset_[joint].is_implausible() && (active || is_far);
}

void Obedience::check_gate(const GateTargets& targets, EventList& events) noexcept {
  const std::int64_t now_ns = ledger_.now_ns();
  for (std::size_t i = 0; i < static_cast<std::size_t>(num_joints_); ++i) {
    const double shortfall =
        targets.pass
            ? reference_shortfall(targets.reference[i], targets.requested[i], targets.passed[i])
            : 0.0;
    if (!std::isfinite(shortfall)) continue;
    const double size = std::abs(shortfall);
    worst_shortfall_[i] = std::max(worst_shortfall_[i], size);
    const int place = static_cast<int>(i);
    const bool active = ledger_.is_active(RobotFault::kGateShortfall, place);
    if (size < (active ? kShortfallEnd : kShortfall)) {
      short_since_ns_[i] = -1;
    } else if (short_since_ns_[i] < 0) {
      short_since_ns_[i] = now_ns;
    }
    const bool is_short =
        short_since_ns_[i] >= 0 && (active || now_ns - short_since_ns_[i] >= kShortfallNs);
    set(RobotFault::kGateShortfall, place, is_short, shortfall, events);
  }
}

void Obedience::check_standing(bool at_rest, bool fell, EventList& events) noexcept {
  if (at_rest) {
    set(RobotFault::kModelFell, 0, fell, 0.0, events);
  } else if (!fell) {
    ledger_.end(RobotFault::kModelFell, 0, events);
  }
}

void Obedience::set(RobotFault fault, int place, bool is_so, double difference,
                    EventList& events) noexcept {
  if (!is_so) return ledger_.end(fault, place, events);
  ledger_.start(fault, place, difference, events);
  ledger_.worsen(fault, place, difference);
}

int Obedience::count(RobotFault fault) const noexcept {
  int active = 0;
  for (int place = 0; place < kMaxJoints; ++place) {
    if (ledger_.is_active(fault, place)) ++active;
  }
  return active;
}

}  // namespace kagami::runtime
