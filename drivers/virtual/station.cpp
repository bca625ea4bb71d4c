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
    : board(rcb1), behaviour_(behaviour), receiver_(nanoseconds(behaviour.gap_timeout)) {}

FrameReceiver::Reception Station::receive_byte(std::uint8_t byte, Ninths end) noexcept {
  const BoardFaults f = faults.at(to_ns(end));
  if (end <= busy_until_ || f.off || f.reset) {
    receiver_.drop();
    return FrameReceiver::Reception::kNoise;
  }
  return receiver_.receive_byte(byte, to_ns(end));
}

bool Station::echoes(Ninths end) const noexcept {
  return faults.at(to_ns(end)).echo;
}

bool Station::is_addressed() const noexcept {
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

void Station::accept(Ninths end) noexcept {
  task_ = request();
  const Ninths wait = to_ninths(nanoseconds(latency(task_->command)));
  const Ninths late = to_ninths(nanoseconds(faults.at(to_ns(end)).late));
  act_at_ = end + wait / 2;
  answer_at_ = end + wait + late;
  talks_until(answer_at_ + kByteTime * static_cast<Ninths>(rcb1::reply_size(task_->command)));
}

std::optional<rcb1::Request> Station::executed() const noexcept {
  const BoardFaults f = faults.at(to_ns(act_at_));
  if (f.off || f.reset) return std::nullopt;
  std::optional<rcb1::Request> request = task_;
  if (f.no_sleep) request->bits &= static_cast<std::uint8_t>(~rcb1::kSwitchSleep);
  return request;
}

void Station::talks_until(Ninths end) noexcept {
  busy_until_ = std::max(busy_until_, end);
}

Answer Station::finish(const rcb1::Reply& content) noexcept {
  const rcb1::Command command = task_->command;
  task_.reset();
  const BoardFaults f = faults.at(to_ns(act_at_));
  faults.count_answer(to_ns(act_at_));
  if (f.mute || f.off || f.reset) return {};

  rcb1::Reply reply = content;
  if (f.wrong_id) reply.board = *f.wrong_id;
  if (command == rcb1::Command::kGetPositions) falsify(f, reply.counts);
  rcb1::Frame frame;
  if (rcb1::encode_reply(command, reply, frame) != IoStatus::kOk) return {};
  const bool is_acknowledgement = frame.size == 2 && command != rcb1::Command::kGetId;
  if (f.acknowledge && is_acknowledgement) frame.bytes[1] = *f.acknowledge;
  if (f.ack_only && !is_acknowledgement) return {};

  Answer answer;
  for (int k = 0; k < f.extra_bytes; ++k) answer.add(kExtraByte);
  for (std::size_t k = 0; k < frame.size; ++k) {
    const auto index = static_cast<int>(k);
    if (f.drop_byte == index) continue;
    const int flip = f.flip_byte == index ? 1 << f.flip_bit : 0;
    answer.add(static_cast<std::uint8_t>(frame.bytes[k] ^ flip));
  }
  return answer;
}

void Station::falsify(const BoardFaults& f, ChannelCounts& counts) noexcept {
  for (std::size_t slot = 0; slot < counts.size(); ++slot) {
    if (!f.frozen[slot]) kept_reading_[slot].reset();
    if (f.frozen[slot] && !kept_reading_[slot]) kept_reading_[slot] = counts[slot];
    if (kept_reading_[slot]) counts[slot] = *kept_reading_[slot];
    if (f.offset_deg[slot] != 0) {
      const int shifted = counts[slot] + f.offset_deg[slot];
      counts[slot] = static_cast<std::uint8_t>(std::clamp(shifted, 0, int{rcb1::kMaxCount}));
    }
    if (f.reads[slot]) counts[slot] = *f.reads[slot];
  }
  if (f.zeros) counts = {};
}

void Station::follow_restart(std::int64_t at_ns) noexcept {
  const bool restarts = faults.at(at_ns).reset;
  if (restarts == is_restarting_) return;
  is_restarting_ = restarts;
  if (restarts) {
    board.power_off();
  } else {
    board.power_on();
  }
}

ServoPulse Station::pulse(int slot, std::int64_t at_ns, std::int64_t since_on_ns,
                          double shaft_deg) noexcept {
  ServoPulse pulse{board.pulse_deg(slot, since_on_ns), board.drives(slot)};
  if (faults.empty()) return pulse;
  const BoardFaults f = faults.at(at_ns);
  const auto index = static_cast<std::size_t>(slot);
  if (!f.stuck[index] && !f.never_follows) {
    kept_pulse_[index].reset();
  } else if (!kept_pulse_[index]) {
    kept_pulse_[index] = f.stuck[index] ? shaft_deg : pulse.degrees;
  }
  if (kept_pulse_[index]) pulse.degrees = *kept_pulse_[index];
  if (f.stuck[index]) pulse.is_driven = true;  // a jammed gear holds without a motor
  if (f.limp[index]) pulse.is_driven = false;
  return pulse;
}

}  // namespace kagami::drivers::virtual_robot
