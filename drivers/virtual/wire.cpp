#include "drivers/virtual/wire.hpp"

#include <algorithm>

namespace kagami::drivers::virtual_robot {

std::size_t InputWire::push(std::span<const std::uint8_t> bytes, std::int64_t at_ns) noexcept {
  const std::size_t count = std::min(bytes.size(), room());
  free_at_ = std::max(free_at_, to_ninths(at_ns));
  for (const std::uint8_t byte : bytes.first(count)) {
    free_at_ += kByteTime;
    ring_[(first_ + size_) % kCapacity] = {free_at_, byte};
    ++size_;
  }
  return count;
}

WireByte InputWire::pop() noexcept {
  const WireByte byte = ring_[first_];
  first_ = (first_ + 1) % kCapacity;
  --size_;
  return byte;
}

std::vector<OutputWire::Sent> OutputWire::reserved() {
  std::vector<Sent> sent;
  sent.reserve(kCapacity);
  return sent;
}

Ninths OutputWire::put(std::span<const std::uint8_t> bytes, Ninths start, bool paced) noexcept {
  const Ninths end = start + kByteTime * static_cast<Ninths>(bytes.size());
  Ninths t = start;
  for (const std::uint8_t byte : bytes) {
    t += kByteTime;
    insert({{t, byte}, paced ? t : end});
  }
  return end;
}

void OutputWire::insert(const Sent& sent) noexcept {
  // a byte on the wire at the same time takes this one in
  for (std::size_t k = taken_; k < sent_.size(); ++k) {
    const Ninths apart = sent_[k].byte.end - sent.byte.end;
    if (apart < kByteTime && apart > -kByteTime) {
      sent_[k].byte.value &= sent.byte.value;
      return;
    }
  }
  if (size() == kCapacity) return;
  if (sent_.size() == kCapacity) {
    sent_.erase(sent_.begin(), sent_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
  }
  auto place = sent_.end();
  while (place != sent_.begin() + static_cast<std::ptrdiff_t>(taken_) &&
         (place - 1)->byte.end > sent.byte.end) {
    --place;
  }
  sent_.insert(place, sent);  // within the reserved capacity
}

std::optional<std::int64_t> OutputWire::due_ns(std::size_t count) const noexcept {
  if (count == 0 || count > size()) return std::nullopt;
  Ninths due = 0;
  for (std::size_t k = taken_; k < taken_ + count; ++k) due = std::max(due, sent_[k].due);
  return to_ns(due);
}

std::size_t OutputWire::take(std::span<std::uint8_t> bytes, std::int64_t now_ns) noexcept {
  std::size_t count = 0;
  while (count < bytes.size() && taken_ < sent_.size() && to_ns(sent_[taken_].due) <= now_ns) {
    bytes[count++] = sent_[taken_++].byte.value;
  }
  if (taken_ == sent_.size()) {
    sent_.clear();
    taken_ = 0;
  }
  return count;
}

}  // namespace kagami::drivers::virtual_robot
