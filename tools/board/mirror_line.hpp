/// A pseudo-terminal whose bytes go on to real boards, and whose answers come from them.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "drivers/port/byte_port.hpp"
#include "drivers/port/clock.hpp"
#include "drivers/port/file_descriptor.hpp"
#include "drivers/virtual/line_listener.hpp"
#include "drivers/virtual/pseudo_terminal.hpp"
#include "models/base/types.hpp"
#include "models/base/wiring.hpp"

namespace kagami::tools {

/// The real port: claimed, 115200 8N1 raw, DTR low. One thread.
class MirrorPort final : public drivers::BytePort {
 public:
  /// Throws PortError as open_port.
  MirrorPort(const std::string& path, const drivers::Clock& clock);
  ~MirrorPort() override;
  MirrorPort(const MirrorPort&) = delete;
  MirrorPort& operator=(const MirrorPort&) = delete;

  [[nodiscard]] drivers::IoStatus write(std::span<const std::uint8_t> bytes,
                                        drivers::Deadline deadline) noexcept override;
  [[nodiscard]] drivers::IoStatus read(std::span<std::uint8_t> bytes, std::size_t& received,
                                       drivers::Deadline deadline) noexcept override;
  std::size_t drop_input() noexcept override;

  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  /// Sentences for the user, as OpenedPort::notes.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

 private:
  const drivers::Clock& clock_;
  drivers::FileDescriptor fd_;
  std::vector<std::string> notes_;
};

/// What FC answers on every board; nothing if a board did not answer a request that was sent three
/// times. rad, model order.
std::optional<JointArray<double>> read_pose(MirrorPort& port, const drivers::Clock& clock,
                                            const RobotWiring& wiring);

/// Passes every byte on as it is, as soon as it comes. Bytes that the port or the program does not
/// take are kept up to 4096 in each direction; then reading stops.
class MirrorLine {
 public:
  /// `link`: see PseudoTerminal. Borrows port and clock. Throws PortError.
  MirrorLine(MirrorPort& port, drivers::Clock& clock, const std::filesystem::path& link);

  [[nodiscard]] const std::string& path() const noexcept { return terminal_.path(); }
  /// Before serve().
  void listen(drivers::virtual_robot::LineListener listener) { listener_ = std::move(listener); }
  /// Until `stop` is set, which it notices within 10 ms, or the port is gone.
  void serve(const std::atomic<bool>& stop) noexcept;
  /// The port hung up. Any thread.
  [[nodiscard]] bool is_gone() const noexcept { return is_gone_.load(); }

 private:
  using Buffer = std::vector<std::uint8_t>;
  /// Returns false when the other end is gone.
  bool read_into(int fd, Buffer& buffer, bool from_host) noexcept;
  static bool write_from(int fd, Buffer& buffer) noexcept;
  void restore_when_idle(std::int64_t now_ns) noexcept;

  MirrorPort& port_;
  drivers::Clock& clock_;
  drivers::virtual_robot::PseudoTerminal terminal_;
  drivers::virtual_robot::LineListener listener_;
  Buffer to_boards_, to_host_;
  std::int64_t last_input_ns_ = 0;
  bool is_restored_ = true;
  std::atomic<bool> is_gone_{false};
};

}  // namespace kagami::tools
