#include "drivers/port/libserial_port.hpp"

#include <fcntl.h>
#include <libserial/SerialPort.h>

#include <algorithm>
#include <exception>

#include "drivers/port/tty.hpp"
#include "drivers/port/tty_io.hpp"
#include "models/base/errors.hpp"

namespace kagami::drivers {
namespace {

// libserial 1.0.0 is called only for bytes that are there, or for which there is room: its
// time-outs follow the wall clock, 0 ms means for ever, and after an unplug it reports a time-out.
constexpr std::size_t kTimeoutMs = 1;
constexpr std::size_t kBufferBytes = 256;  // above any frame: no call in the cycle allocates

class LibserialPort final : public BytePort {
 public:
  LibserialPort(const std::string& path, const Clock& clock, std::vector<std::string>& notes)
      : clock_(clock), library_(std::make_unique<LibSerial::SerialPort>()) {
    rx_.reserve(kBufferBytes);
    tx_.reserve(kBufferBytes);
    inspect(path, notes);
    try {
      library_->Open(path);
      fd_ = library_->GetFileDescriptor();
      tty::claim(fd_, path);
      tty::configure(fd_, path);
      for (const std::string& note :
           {tty::request_low_latency(fd_, path), tty::discard_until_quiet(fd_, path, clock)}) {
        if (!note.empty()) notes.push_back(note);
      }
    } catch (const PortError&) {
      close();
      throw;
    } catch (const std::exception& e) {
      close();
      throw PortError(path + ": libserial cannot open it: " + e.what());
    }
  }
  ~LibserialPort() override { close(); }
  LibserialPort(const LibserialPort&) = delete;
  LibserialPort& operator=(const LibserialPort&) = delete;

  IoStatus write(std::span<const std::uint8_t> bytes, Deadline deadline) noexcept override {
    if (gone_) return IoStatus::kGone;
    if (bytes.size() > kBufferBytes) return IoStatus::kRefused;
    const tty::Wait wait = tty::wait_writable(fd_, deadline, clock_);
    if (wait == tty::Wait::kGone) return lost();
    if (wait == tty::Wait::kExpired) return IoStatus::kTimedOut;
    try {
      tx_.assign(bytes.begin(), bytes.end());
      library_->Write(tx_);
    } catch (const std::exception&) {
      return tty::available(fd_) < 0 ? lost() : IoStatus::kTimedOut;
    }
    return IoStatus::kOk;
  }

  IoStatus read(std::span<std::uint8_t> bytes, std::size_t& received,
                Deadline deadline) noexcept override {
    received = 0;
    if (gone_) return IoStatus::kGone;
    const IoStatus s = tty::read_all(
        fd_, bytes, received, deadline, clock_,
        [this](std::span<std::uint8_t> part, std::size_t& got) { return read_some(part, got); });
    return s == IoStatus::kGone ? lost() : s;
  }

  std::size_t drop_input() noexcept override { return gone_ ? 0 : tty::discard(fd_); }

 private:
  /// libserial answers every failure with "Bad file descriptor" and flushes what was waiting: finds
  /// the true cause and the waiting bytes first.
  void inspect(const std::string& path, std::vector<std::string>& notes) const {
    const FileDescriptor probe = tty::open_checked(path);
    tty::claim(probe.get(), path);
    tty::configure(probe.get(), path);
    const std::string note = tty::discard_until_quiet(probe.get(), path, clock_);
    if (!note.empty()) notes.push_back(note);
    tty::unclaim(probe.get());
  }

  IoStatus read_some(std::span<std::uint8_t> part, std::size_t& got) noexcept {
    const std::size_t size = std::min(part.size(), kBufferBytes);
    IoStatus status = IoStatus::kOk;
    rx_.clear();
    try {
      library_->Read(rx_, size, kTimeoutMs);
    } catch (const LibSerial::ReadTimeout&) {
      // what came before the time-out stays in the buffer; after an unplug nothing did
      if (tty::available(fd_) < 0) status = IoStatus::kGone;
    } catch (const std::exception&) {
      status = IoStatus::kGone;
    }
    got = std::min(rx_.size(), size);
    std::copy_n(rx_.begin(), got, part.begin());
    return status;
  }

  IoStatus lost() noexcept {
    gone_ = true;
    return IoStatus::kGone;
  }

  /// After an unplug libserial throws from Close() and from its destructor. So it gets a living
  /// terminal in place of the device first; that also closes the device itself.
  void close() noexcept {
    if (fd_ >= 0) {
      tty::unclaim(fd_);
      const FileDescriptor spare(::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC));
      if (spare.get() >= 0) ::dup2(spare.get(), fd_);
    }
    fd_ = -1;
    try {
      if (library_->IsOpen()) library_->Close();
    } catch (const std::exception&) {
      // its destructor would end the program: a leaked port is the smaller harm
      static_cast<void>(library_.release());
    }
  }

  const Clock& clock_;
  std::unique_ptr<LibSerial::SerialPort> library_;
  LibSerial::DataBuffer rx_;
  LibSerial::DataBuffer tx_;
  int fd_ = -1;
  bool gone_ = false;
};

}  // namespace

std::unique_ptr<BytePort> open_libserial_port(const std::string& path, const Clock& clock,
                                              std::vector<std::string>& notes) {
  return std::make_unique<LibserialPort>(path, clock, notes);
}

}  // namespace kagami::drivers
