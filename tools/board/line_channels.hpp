/// What the thread that serves a line hands to the thread that watches it.
#pragma once

#include <array>
#include <atomic>
#include <boost/lockfree/spsc_queue.hpp>
#include <cstddef>
#include <cstdint>
#include <span>

#include "models/base/types.hpp"

namespace kagami::tools {

/// Bytes that passed at one time, in one direction.
struct LineChunk {
  std::int64_t at_ns = 0;
  bool from_host = false;
  std::uint8_t size = 0;
  std::array<std::uint8_t, 22> bytes{};
};

/// True joint angles of the virtual robot.
struct PlantSample {
  std::int64_t at_ns = 0;
  JointArray<double> angle{};  ///< rad, model order
};

/// A second of a full line and two seconds of the plant at 100 Hz. Bytes that find no room are
/// counted; of the plant's angles the next ones count.
/// One writer, one reader. On the heap.
struct LineChannels {
  boost::lockfree::spsc_queue<LineChunk, boost::lockfree::capacity<12'000>> bytes;
  boost::lockfree::spsc_queue<PlantSample, boost::lockfree::capacity<200>> plant;
  std::atomic<std::uint64_t> lost_bytes{0};

  void push(std::int64_t at_ns, bool from_host, std::span<const std::uint8_t> some) noexcept {
    while (!some.empty()) {
      LineChunk chunk{.at_ns = at_ns, .from_host = from_host};
      const std::size_t size = some.size() < chunk.bytes.size() ? some.size() : chunk.bytes.size();
      for (std::size_t k = 0; k < size; ++k) chunk.bytes[k] = some[k];
      chunk.size = static_cast<std::uint8_t>(size);
      if (!bytes.push(chunk)) lost_bytes += size;
      some = some.subspan(size);
    }
  }
};

}  // namespace kagami::tools
