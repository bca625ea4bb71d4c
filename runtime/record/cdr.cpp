#include "runtime/record/cdr.hpp"

namespace kagami::runtime {

CdrReader::CdrReader(std::span<const std::byte> message) noexcept {
  if (message.size() < 4 || message[0] != std::byte{0} || message[1] != std::byte{1}) return;
  body_ = message.subspan(4);
  ok_ = true;
}

bool CdrReader::take(void* to, std::size_t size, std::size_t alignment) noexcept {
  const std::size_t begin = (at_ + alignment - 1) & ~(alignment - 1);
  if (!ok_ || begin > body_.size() || size > body_.size() - begin) {
    ok_ = false;
    return false;
  }
  std::memcpy(to, body_.data() + begin, size);
  at_ = begin + size;
  return true;
}

bool CdrReader::get(bool& value) noexcept {
  std::uint8_t byte = 0;
  if (!get(byte)) return false;
  if (byte > 1) {
    ok_ = false;
    return false;
  }
  value = byte == 1;
  return true;
}

}  // namespace kagami::runtime
