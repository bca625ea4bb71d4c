#include "drivers/virtual/frame_receiver.hpp"

#include <algorithm>

namespace kagami::drivers::virtual_robot {

// length of a request that would begin with the byte at `first`; 0 = none begins there
std::size_t FrameReceiver::size_from(std::size_t first) const noexcept {
  const std::uint8_t byte = frame_.bytes[first];
  return is_command_byte(byte) ? rcb1::request_size(byte) : 0;
}

std::size_t FrameReceiver::missing() const noexcept {
  std::size_t fewest = 0;
  for (std::size_t first = 0; first < frame_.size; ++first) {
    const std::size_t end = first + size_from(first);
    if (end > frame_.size && (fewest == 0 || end - frame_.size < fewest)) {
      fewest = end - frame_.size;
    }
  }
  return fewest;
}

FrameReceiver::Reception FrameReceiver::receive_byte(std::uint8_t byte,
                                                     std::int64_t at_ns) noexcept {
  const bool is_after_gap = at_ns - last_ns_ > gap_ns_;
  last_ns_ = at_ns;
  if (is_after_gap) drop();
  if (frame_.size == 0 && (!is_command_byte(byte) || rcb1::request_size(byte) == 0)) {
    return is_command_byte(byte) ? Reception::kBad : Reception::kNoise;
  }

  frame_.bytes[frame_.size++] = byte;
  if (frame_.size < size_from(0)) return Reception::kPart;
  const IoStatus status = rcb1::decode_request(frame_.view(), request_);
  if (status != IoStatus::kOk) return resynchronise();
  drop();
  return Reception::kRequest;
}

// After a bad request: the next beginning among its bytes whose request ends with the newest byte
// or later. One that was complete before is out of date; its host has sent the request again.
FrameReceiver::Reception FrameReceiver::resynchronise() noexcept {
  const rcb1::Frame bad = frame_;
  for (std::size_t first = 1; first < bad.size; ++first) {
    const std::size_t size = size_from(first);
    const std::size_t there = bad.size - first;
    if (size < there) continue;
    const std::span<const std::uint8_t> rest = bad.view().subspan(first);
    if (size == there) {
      if (rcb1::decode_request(rest, request_) != IoStatus::kOk) continue;
      drop();
      return Reception::kRequest;
    }
    std::copy(rest.begin(), rest.end(), frame_.bytes.begin());
    frame_.size = there;
    return Reception::kBad;  // and the rest may become a good one
  }
  drop();
  return Reception::kBad;
}

}  // namespace kagami::drivers::virtual_robot
