/// Time per part of a cycle, taken by the runner: the cycle itself reads no clock.
#pragma once

#include <cstdint>

namespace kagami::runtime {

/// Parts of a cycle in their order.
enum class CyclePart : std::uint8_t {
  kInputs,
  kPlayer,
  kShadow,
  kAlignment,
  kControl,
  kSafety,
  kOutputs
};
inline constexpr int kNumCycleParts = 7;

/// Called at the end of each part. Empty in `verify` and in the proofs. The function must be cycle
/// code except for reading a monotonic clock; it writes to the runner's memory only.
struct CycleProbe {
  void (*mark)(void* self, CyclePart part) noexcept = nullptr;
  void* self = nullptr;

  void operator()(CyclePart part) const noexcept {
    if (mark != nullptr) mark(self, part);
  }
};

}  // namespace kagami::runtime
