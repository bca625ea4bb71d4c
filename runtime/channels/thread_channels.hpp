/// Everything that crosses between the threads of a run.
#pragma once

#include <array>
#include <atomic>
#include <boost/lockfree/spsc_queue.hpp>
#include <cstddef>
#include <cstdint>

#include "drivers/link/samples.hpp"
#include "runtime/channels/cycle_timing.hpp"
#include "runtime/channels/cycle_types.hpp"
#include "runtime/channels/event.hpp"
#include "runtime/channels/latest_value.hpp"
#include "runtime/channels/record_queue.hpp"

namespace kagami::runtime {

/// A stalled disk may take 4 s (docs/timing.md): at 1 kHz 4000 records. One record is about
/// 4.0 kB, so this queue is 16 MiB, the largest part of the 64 MiB that a run may keep resident.
inline constexpr std::size_t kRecordCapacity = 4050;
/// Sets of values (3 kB) within that time: 32 a second.
inline constexpr std::size_t kTuningCapacity = 128;
inline constexpr std::size_t kEventCapacity = 1024;
/// The line carries at most 600 frames a second (two boards, set and read, both directions).
inline constexpr std::size_t kLineCapacity = 4096;

/// Bytes that went over the line in one call of the port.
struct LineFrame {
  std::int64_t at_ns = 0;  ///< just before the write, or when the last byte had been read
  bool outgoing = false;   ///< from us to the boards
  std::uint8_t size = 0;   ///< valid bytes; longer calls are split
  std::array<std::uint8_t, 22> bytes{};
};

/// The channels between the threads, each with one writer and one reader. Large: lives on the heap.
struct ThreadChannels {
  LatestValue<drivers::ServoSample> sample;    ///< serial -> cycle: the newest measurement wins
  LatestValue<drivers::ServoTargets> targets;  ///< cycle -> serial: the newest command wins
  LatestValue<Tuning> tuning;     ///< dashboard -> cycle: validated before it is published
  LatestValue<CycleTiming> loop;  ///< cycle -> writer, ten times per second
  /// cycle -> writer; a full queue drops the newest record and counts the loss
  RecordQueue<kRecordCapacity, kTuningCapacity> records;
  /// cycle -> writer
  boost::lockfree::spsc_queue<Event, boost::lockfree::capacity<kEventCapacity>> events;
  /// serial -> writer
  boost::lockfree::spsc_queue<LineFrame, boost::lockfree::capacity<kLineCapacity>> line;
};

}  // namespace kagami::runtime
