#include "drivers/virtual/frame_receiver.hpp"

namespace kagami::drivers::virtual_robot {

std::size_t FrameReceiver::missing() const noexcept {
  if (frame_.size == 0) return 0;
  return rcb1::request_size(frame_.bytes[0]) - frame_.size;
}

FrameReceiver::Heard FrameReceiver::hear(std::uint8_t byte, std::int64_t at_ns) noexcept {
  const bool is_after_gap = at_ns - last_ns_ > gap_ns_;
  last_ns_ = at_ns;
  if (is_after_gap || is_command_byte(byte)) drop();
  if (frame_.size == 0 && (!is_command_byte(byte) || rcb1::request_size(byte) == 0)) {
    return is_command_byte(byte) ? Heard::kBad : Heard::kNoise;
  }

  frame_.bytes[frame_.size++] = byte;
  if (missing() > 0) return Heard::kPart;
  const IoStatus status = rcb1::decode_request(frame_.view(), request_);
  frame_.size = 0;
  return status == IoStatus::kOk ? Heard::kRequest : Heard::kBad;
}

}  // namespace kagami::drivers::virtual_robot
