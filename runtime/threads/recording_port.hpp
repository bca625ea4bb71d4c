/// A BytePort that passes everything on and notes each frame for /line.
#pragma once

#include <cstdint>

#include "drivers/port/byte_port.hpp"
#include "drivers/port/clock.hpp"
#include "runtime/channels/thread_channels.hpp"

namespace kagami::runtime {

/// Stands between the link and the real port. Serial thread. Borrows all three.
class RecordingPort final : public drivers::BytePort {
 public:
  RecordingPort(drivers::BytePort& port, drivers::Clock& clock, ThreadChannels& channels) noexcept
      : port_(port), clock_(clock), channels_(channels) {}

  [[nodiscard]] drivers::IoStatus write(std::span<const std::uint8_t> bytes,
                                        drivers::Deadline deadline) noexcept override;
  [[nodiscard]] drivers::IoStatus read(std::span<std::uint8_t> bytes, std::size_t& received,
                                       drivers::Deadline deadline) noexcept override;
  std::size_t drop_input() noexcept override;

  /// Frames that found the queue full.
  [[nodiscard]] std::uint64_t lost_frames() const noexcept { return lost_frames_; }

 private:
  void note(std::int64_t at_ns, bool outgoing, std::span<const std::uint8_t> bytes) noexcept;

  drivers::BytePort& port_;
  drivers::Clock& clock_;
  ThreadChannels& channels_;
  std::uint64_t lost_frames_ = 0;
};

}  // namespace kagami::runtime
