#include "runtime/threads/recording_port.hpp"

#include <algorithm>

namespace kagami::runtime {

drivers::IoStatus RecordingPort::write(std::span<const std::uint8_t> bytes,
                                       drivers::Deadline deadline) noexcept {
  note(clock_.now_ns(), true, bytes);
  return port_.write(bytes, deadline);
}

drivers::IoStatus RecordingPort::read(std::span<std::uint8_t> bytes, std::size_t& received,
                                      drivers::Deadline deadline) noexcept {
  const drivers::IoStatus status = port_.read(bytes, received, deadline);
  note(clock_.now_ns(), false, bytes.first(std::min(received, bytes.size())));
  return status;
}

std::size_t RecordingPort::drop_input() noexcept {
  return port_.drop_input();
}

void RecordingPort::note(std::int64_t at_ns, bool outgoing,
                         std::span<const std::uint8_t> bytes) noexcept {
  while (!bytes.empty()) {
    LineFrame frame{.at_ns = at_ns, .outgoing = outgoing};
    const std::size_t size = std::min(bytes.size(), frame.bytes.size());
    std::copy_n(bytes.begin(), size, frame.bytes.begin());
    frame.size = static_cast<std::uint8_t>(size);
    if (!channels_.line.push(frame)) ++lost_frames_;
    bytes = bytes.subspan(size);
  }
}

}  // namespace kagami::runtime
