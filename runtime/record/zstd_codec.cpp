#include "runtime/record/zstd_codec.hpp"

#include <zstd.h>

namespace kagami::runtime {
namespace {

// A zstd block holds at most 128 KiB and takes at least 3 bytes of head and 1 of content (RFC 8878,
// 3.1.1.2), so no frame grows by more than this; a chunk that promises more is refused unread.
constexpr std::uint64_t kMaxGrowth = 128 * 1024 / 4;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

}  // namespace

struct ZstdEncoder::Context {
  std::unique_ptr<ZSTD_CCtx, FreeContext> zstd{ZSTD_createCCtx()};
};

ZstdEncoder::ZstdEncoder(int level) : context_(std::make_unique<Context>()) {
  ZSTD_CCtx_setParameter(context_->zstd.get(), ZSTD_c_compressionLevel, level);
}

ZstdEncoder::~ZstdEncoder() = default;

std::span<const std::byte> ZstdEncoder::encode(std::span<const std::byte> bytes) {
  const std::size_t bound = ZSTD_compressBound(bytes.size());
  if (out_.size() < bound) out_.resize(bound);
  const std::size_t size =
      ZSTD_compress2(context_->zstd.get(), out_.data(), out_.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size) != 0) return {};
  return std::span(out_).first(size);
}

std::string zstd_decode(std::span<const std::byte> bytes, std::uint64_t size,
                        std::vector<std::byte>& out) {
  if (size / kMaxGrowth > bytes.size()) {
    return "promises " + std::to_string(size) + " bytes from " + std::to_string(bytes.size());
  }
  const unsigned long long framed = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (framed == ZSTD_CONTENTSIZE_ERROR) return "is no zstd frame";
  // a chunk may be several frames, so the first may be shorter than the whole
  if (framed != ZSTD_CONTENTSIZE_UNKNOWN && framed > size) return "holds more than it promises";
  out.resize(static_cast<std::size_t>(size));
  const std::size_t n = ZSTD_decompress(out.data(), out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(n) != 0) return std::string("cannot be decompressed: ") + ZSTD_getErrorName(n);
  if (n != size) {
    return "holds " + std::to_string(n) + " bytes instead of " + std::to_string(size);
  }
  return "";
}

}  // namespace kagami::runtime
