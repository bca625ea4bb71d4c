/// A disk that is full at a chosen byte, and a sample record on it.
#pragma once

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "runtime/record/byte_sink.hpp"
#include "runtime/record/test/support/record_samples.hpp"

namespace kagami::test {

/// A disk in memory that is full at a chosen byte and takes at most 100 bytes at once.
class SmallDisk final : public runtime::ByteSink {
 public:
  SmallDisk(std::vector<std::byte>& bytes, std::size_t& capacity)
      : bytes_(bytes), capacity_(capacity) {}
  runtime::SinkResult write_at(std::uint64_t offset,
                               std::span<const std::byte> in) noexcept override {
    const std::size_t room = capacity_ > offset ? capacity_ - static_cast<std::size_t>(offset) : 0;
    const std::size_t count = std::min({in.size(), room, std::size_t{100}});
    if (count == 0) return {0, ENOSPC};
    bytes_.resize(std::max(bytes_.size(), static_cast<std::size_t>(offset) + count));
    std::copy_n(in.begin(), count, bytes_.begin() + static_cast<std::ptrdiff_t>(offset));
    return {count, 0};
  }
  int truncate(std::uint64_t size) noexcept override {
    bytes_.resize(static_cast<std::size_t>(size));
    return 0;
  }
  int sync() noexcept override { return 0; }
  const std::string& name() const noexcept override { return name_; }

 private:
  std::vector<std::byte>& bytes_;
  std::size_t& capacity_;
  std::string name_ = "small.mcap";
};

/// The sample of 120 ticks in memory: 132 messages, 12 chunks of 10 ms.
std::vector<std::byte> sample_bytes(std::vector<Copied>* offered = nullptr, int zstd_level = 1);

}  // namespace kagami::test
