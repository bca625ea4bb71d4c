#include "drivers/virtual/station.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kagami::drivers::virtual_robot {
namespace {

constexpr std::uint8_t kExtraByte = 0x55;  // no command, no acknowledgement

std::int64_t nanoseconds(double seconds) {
  return std::llround(seconds * 1e9);
}

bool is_for_all(rcb1::Command command) {
  return command == rcb1::Command::kGetId || command == rcb1::Command::kSetId;
}

}  // namespace

Station::Station(Rcb1Board rcb1, const BoardBehaviour& behaviour)
    : board(std::move(rcb1)),
      behaviour_(behaviour),
      receiver_(nanoseconds(behaviour.gap_timeout)) {}

FrameReceiver::Heard Station::hear(std::uint8_t byte, Ninths end) noexcept {
  if (end <= busy_until_) {
    receiver_.drop();
    return FrameReceiver::Heard::kNoise;
  }
  return receiver_.hear(byte, to_ns(end));
}

bool Station::is_asked() const noexcept {
  return is_for_all(request().command) || request().board == board.id();
}

double Station::latency(rcb1::Command command) const noexcept {
  using rcb1::Command;
  switch (command) {
    case Command::kGetPositions:
      return behaviour_.read_latency;
    case Command::kSetId:
    case Command::kStoreHome:
    case Command::kSetPose:
    case Command::kSetMotionSize:
    case Command::kSetScenarioEntry:
    case Command::kSetScenarioSize:
    case Command::kSetKey:
    case Command::kSetTrim:
      return behaviour_.store_latency;
    default:
      return behaviour_.acknowledge_latency;
  }
}

bool Station::is_hit() const noexcept {
  return faults_.any() && (faults_.answers == 0 || faulty_answers_ > 0);
}

void Station::accept(Ninths end) noexcept {
  task_ = request();
  const Ninths wait = to_ninths(nanoseconds(latency(task_->command)));
  const Ninths late = is_hit() ? to_ninths(nanoseconds(faults_.late)) : 0;
  act_at_ = end + wait / 2;
  answer_at_ = end + wait + late;
  talks_until(answer_at_ + kByteTime * static_cast<Ninths>(rcb1::reply_size(task_->command)));
}

void Station::talks_until(Ninths end) noexcept {
  busy_until_ = std::max(busy_until_, end);
}

Answer Station::finish(const rcb1::Reply& content) noexcept {
  const rcb1::Command command = task_->command;
  task_.reset();
  BoardFaults faults;
  if (is_hit()) {
    faults = faults_;
    --faulty_answers_;
  }
  if (faults.mute) return {};

  rcb1::Reply reply = content;
  if (faults.wrong_id) reply.board = *faults.wrong_id;
  if (faults.zeros && command == rcb1::Command::kGetPositions) reply.counts = {};
  rcb1::Frame frame;
  if (rcb1::encode_reply(command, reply, frame) != IoStatus::kOk) return {};
  const bool is_acknowledgement = frame.size == 2 && command != rcb1::Command::kGetId;
  if (faults.acknowledge && is_acknowledgement) frame.bytes[1] = *faults.acknowledge;

  Answer answer;
  for (int k = 0; k < faults.extra_bytes; ++k) answer.add(kExtraByte);
  for (std::size_t k = 0; k < frame.size; ++k) {
    const auto index = static_cast<int>(k);
    if (faults.drop_byte == index) continue;
    const int flip = faults.flip_byte == index ? 1 << faults.flip_bit : 0;
    answer.add(static_cast<std::uint8_t>(frame.bytes[k] ^ flip));
  }
  return answer;
}

void Station::set_faults(const BoardFaults& faults) noexcept {
  faults_ = faults;
  faulty_answers_ = faults.answers;
}

}  // namespace kagami::drivers::virtual_robot
