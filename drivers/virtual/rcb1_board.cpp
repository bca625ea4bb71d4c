#include "drivers/virtual/rcb1_board.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/base/idx.hpp"

namespace kagami::drivers::virtual_robot {
namespace {

using rcb1::Command;
using rcb1::Reply;
using rcb1::Request;

SpeedTable with_rates(SpeedTable table, bool scaled) {
  table.scaled = table.scaled && scaled;
  return table;
}

bool is_read(Command command) {
  switch (command) {
    case Command::kGetId:
    case Command::kGetPositions:
    case Command::kGetHome:
    case Command::kGetPose:
    case Command::kGetMotionSize:
    case Command::kGetScenarioEntry:
    case Command::kGetScenarioSize:
    case Command::kGetSwitches:
    case Command::kGetKey:
    case Command::kGetTrim:
      return true;
    default:
      return false;
  }
}

}  // namespace

Rcb1Board::Rcb1Board(const BoardMemory& memory, const SpeedTable& speed,
                     const BoardBehaviour& behaviour, bool knows_free)
    : memory_(memory),
      behaviour_(behaviour),
      knows_free_(knows_free),
      ramp_(with_rates(speed, behaviour.scaled_rates)) {
  power_on();
}

void Rcb1Board::power_off() noexcept {
  driven_.reset();
  switches_ = 0;
  queued_ = 0;
  play_.reset();
}

void Rcb1Board::power_on() noexcept {
  ChannelDegrees home{};
  std::copy(memory_.home.begin(), memory_.home.end(), home.begin());
  settle(home);
  if (behaviour_.power_on == PowerOn::kHome) driven_.set();
}

void Rcb1Board::settle(const ChannelDegrees& degrees) noexcept {
  ramp_.settle(degrees);
  caught_ = degrees;
}

bool Rcb1Board::take_changed() noexcept {
  return std::exchange(is_changed_, false);
}

Reply Rcb1Board::execute(const Request& request, std::int64_t at_ns,
                         const ServoPositions& servos) noexcept {
  advance(at_ns);
  for (int slot = 0; slot < kChannelsPerBoard; ++slot) {
    if (!servos.fitted[idx(slot)]) continue;
    caught_[idx(slot)] = servos.now[idx(slot)] - memory_.trim_deg[idx(slot)];
  }
  switch (request.command) {
    case Command::kSetPositions:
      set_positions({request.speed, request.counts}, at_ns);
      break;
    case Command::kPlayMotion:
      play({request.motion, 0, -1, 0}, at_ns);
      break;
    case Command::kPlayScenario:
      // no motion has more than 100 poses: the first entry is fetched at once
      play({0, kPosesPerMotion, request.scenario, 0}, at_ns);
      break;
    case Command::kSetSwitches:
      set_switches(request.bits);
      break;
    default: {
      Reply reply = is_read(request.command) ? recall(request, servos) : store(request, servos);
      reply.board = memory_.id;
      return reply;
    }
  }
  Reply reply;
  reply.board = memory_.id;
  return reply;
}

Reply Rcb1Board::store(const Request& r, const ServoPositions& servos) noexcept {
  is_changed_ = true;
  switch (r.command) {
    case Command::kSetId:
      memory_.id = r.board;
      break;
    case Command::kStoreHome:
      memory_.home = counts_of(servos);
      break;
    case Command::kSetPose:
      memory_.motions[r.motion].poses[r.pose] = {r.speed, r.counts};
      break;
    case Command::kSetMotionSize:
      memory_.motions[r.motion].count = r.count;
      break;
    case Command::kSetScenarioEntry:
      memory_.scenarios[r.scenario].motions[r.index] = r.motion;
      break;
    case Command::kSetScenarioSize:
      memory_.scenarios[r.scenario].count = r.count;
      break;
    case Command::kSetKey:
      memory_.keys[r.key] = r.key_bytes;
      break;
    case Command::kSetTrim:
      memory_.trim_deg = r.trim_deg;
      break;
    default:
      is_changed_ = false;
      break;
  }
  return {};
}

Reply Rcb1Board::recall(const Request& r, const ServoPositions& servos) const noexcept {
  Reply reply;
  switch (r.command) {
    case Command::kGetPositions:
      reply.counts = counts_of(servos);
      break;
    case Command::kGetHome:
      reply.counts = memory_.home;
      break;
    case Command::kGetPose:
      reply.speed = memory_.motions[r.motion].poses[r.pose].speed;
      reply.counts = memory_.motions[r.motion].poses[r.pose].counts;
      break;
    case Command::kGetMotionSize:
      reply.count = memory_.motions[r.motion].count;
      break;
    case Command::kGetScenarioEntry:
      reply.motion = memory_.scenarios[r.scenario].motions[r.index];
      break;
    case Command::kGetScenarioSize:
      reply.count = memory_.scenarios[r.scenario].count;
      break;
    case Command::kGetSwitches:
      reply.bits = switches_;
      break;
    case Command::kGetKey:
      reply.key_bytes = memory_.keys[r.key];
      break;
    case Command::kGetTrim:
      reply.trim_deg = memory_.trim_deg;
      break;
    default:
      break;
  }
  return reply;
}

void Rcb1Board::set_positions(const StoredPose& pose, std::int64_t at_ns) noexcept {
  if ((switches_ & rcb1::kSwitchSleep) != 0) return;
  play_.reset();
  if (behaviour_.buffers_poses && at_ns < ramp_.end_ns()) {
    if (queued_ < kQueueDepth) queue_[queued_++] = pose;
    return;
  }
  start_pose(pose, at_ns);
}

void Rcb1Board::set_switches(std::uint8_t bits) noexcept {
  switches_ = bits;
  if ((bits & rcb1::kSwitchSleep) != 0) {
    driven_.reset();
    queued_ = 0;
  }
  if (!may_play()) play_.reset();
}

bool Rcb1Board::may_play() const noexcept {
  if ((switches_ & rcb1::kSwitchSleep) != 0) return false;
  return !behaviour_.motion_bit_gates || (switches_ & rcb1::kSwitchMotion) != 0;
}

void Rcb1Board::play(const Play& play, std::int64_t at_ns) noexcept {
  if (!may_play()) return;
  queued_ = 0;
  play_ = play;
  if (const auto pose = next_pose()) start_pose(*pose, at_ns);
}

// next pose of the running motion, of the next motion of its scenario, or of the queue
std::optional<StoredPose> Rcb1Board::next_pose() noexcept {
  while (play_) {
    const StoredMotion& motion = memory_.motions[play_->motion];
    if (play_->pose < motion.count) return motion.poses[idx(play_->pose++)];
    if (play_->scenario < 0) break;
    const StoredScenario& scenario = memory_.scenarios[idx(play_->scenario)];
    if (play_->entry >= scenario.count) break;
    play_->motion = scenario.motions[idx(play_->entry++)];
    play_->pose = 0;
  }
  play_.reset();
  if (queued_ == 0) return std::nullopt;
  const StoredPose pose = queue_[0];
  std::copy(queue_.begin() + 1, queue_.end(), queue_.begin());
  --queued_;
  return pose;
}

void Rcb1Board::advance(std::int64_t at_ns) noexcept {
  while ((play_ || queued_ > 0) && ramp_.end_ns() <= at_ns) {
    const std::int64_t due_ns = ramp_.end_ns();
    if (const auto pose = next_pose()) start_pose(*pose, due_ns);
  }
}

void Rcb1Board::start_pose(const StoredPose& pose, std::int64_t at_ns) noexcept {
  ChannelDegrees target{};
  std::bitset<kChannelsPerBoard> moves;
  for (int slot = 0; slot < kChannelsPerBoard; ++slot) {
    const std::uint8_t count = pose.counts[idx(slot)];
    if (count == rcb1::kFree && knows_free_) driven_[idx(slot)] = false;
    if (count > rcb1::kMaxCount)
      continue;  // outputs and characteristics: the servo keeps its pulse
    if (!driven_[idx(slot)]) ramp_.settle(slot, caught_[idx(slot)]);
    driven_[idx(slot)] = true;
    target[idx(slot)] = count;
    moves[idx(slot)] = true;
  }
  ramp_.start(target, moves, pose.speed, at_ns);
  begun_ = {begun_.number + 1, at_ns};
}

double Rcb1Board::pulse_deg(int slot, std::int64_t at_ns) const noexcept {
  return ramp_.at(slot, at_ns) + memory_.trim_deg[idx(slot)];
}

ChannelCounts Rcb1Board::counts_of(const ServoPositions& servos) const noexcept {
  ChannelCounts counts{};
  for (int slot = 0; slot < kChannelsPerBoard; ++slot) {
    if (!servos.fitted[idx(slot)]) continue;
    const double degrees = servos.reading[idx(slot)] - memory_.trim_deg[idx(slot)];
    const double whole = std::clamp(std::round(degrees), 0.0, 1.0 * rcb1::kMaxCount);
    counts[idx(slot)] = static_cast<std::uint8_t>(whole);
  }
  return counts;
}

}  // namespace kagami::drivers::virtual_robot
