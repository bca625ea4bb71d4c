/// Chunk compression by zstd with a kept context. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kagami::runtime {

/// Compresses at one level; the context and its tables are reused.
class ZstdEncoder {
 public:
  explicit ZstdEncoder(int level);
  ~ZstdEncoder();
  ZstdEncoder(const ZstdEncoder&) = delete;
  ZstdEncoder& operator=(const ZstdEncoder&) = delete;
  /// @return the compressed bytes, valid until the next call; empty when zstd got no memory
  std::span<const std::byte> encode(std::span<const std::byte> bytes);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
  std::vector<std::byte> out_;
};

/// Decompresses one chunk into out, which it sizes to `size` bytes: the size the chunk promises,
/// already bounded by the caller. @return "" or what is wrong
[[nodiscard]] std::string zstd_decode(std::span<const std::byte> bytes, std::uint64_t size,
                                      std::vector<std::byte>& out);

}  // namespace kagami::runtime
