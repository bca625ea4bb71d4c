/// The newest value crosses from one thread to another: a triple buffer with one atomic.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <type_traits>

namespace kagami::runtime {

/// One writer thread, one reader thread, wait-free on both sides: of three slots the writer owns
/// one, the reader owns one, and the third holds the newest published value. Both sides swap their
/// own slot with that third one. Values that were not fetched in time are overwritten.
template <class T>
class LatestValue {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// Makes `value` the newest one. Writer thread only.
  void publish(const T& value) noexcept {
    slots_[writer_] = value;
    // release: the reader of this slot gets the complete value
    writer_ = shared_.exchange(writer_ | kFresh, std::memory_order_acq_rel) & kSlotMask;
  }

  /// Copies the newest value when one was published since the last fetch; else leaves `value` as it
  /// is and returns false. Reader thread only.
  [[nodiscard]] bool fetch(T& value) noexcept {
    if ((shared_.load(std::memory_order_relaxed) & kFresh) == 0) return false;
    reader_ = shared_.exchange(reader_, std::memory_order_acq_rel) & kSlotMask;
    value = slots_[reader_];
    return true;
  }

 private:
  static constexpr std::uint32_t kSlotMask = 3;
  static constexpr std::uint32_t kFresh = 4;  ///< the shared slot was not fetched yet

  std::array<T, 3> slots_{};
  alignas(64) std::uint32_t writer_ = 0;
  alignas(64) std::uint32_t reader_ = 1;
  alignas(64) std::atomic<std::uint32_t> shared_{2};
};

}  // namespace kagami::runtime
