#include "runtime/record/cdr.hpp"

namespace kagami::runtime {

void CdrWriter::put_string(std::string_view text) {
  put(static_cast<std::uint32_t>(text.size() + 1));
  append(text.data(), text.size());
  out_.push_back(std::byte{0});
}

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

bool CdrReader::fits(std::uint64_t count, std::size_t size) noexcept {
  if (count > (body_.size() - at_) / size) ok_ = false;
  return ok_;
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

bool CdrReader::get_string(std::string& text) {
  std::uint32_t count = 0;
  if (!get(count) || !fits(count, 1)) return false;
  // the count includes the closing zero; some writers send 0 for an empty text
  if (count > 0 && body_[at_ + count - 1] != std::byte{0}) {
    ok_ = false;
    return false;
  }
  const std::size_t length = count > 0 ? count - 1 : 0;
  std::string read(length, '\0');
  std::memcpy(read.data(), body_.data() + at_, length);
  text = std::move(read);
  at_ += count;
  return true;
}

}  // namespace kagami::runtime
