#include "drivers/port/asio_port.hpp"

#include <utility>  // before Asio: Boost 1.74 does not include it

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/serial_port.hpp>

#include "drivers/port/tty.hpp"
#include "drivers/port/tty_io.hpp"
#include "models/base/errors.hpp"

namespace kagami::drivers {
namespace {

/// Asio's serial port without its event loop: calls that have their bytes or their room never wait.
class AsioPort final : public BytePort {
 public:
  AsioPort(const std::string& path, const Clock& clock, std::vector<std::string>& notes)
      : clock_(clock), port_(context_) {
    FileDescriptor fd = tty::open_checked(path);
    tty::claim(fd.get(), path);
    try {
      tty::configure(fd.get(), path);
      for (const std::string& note : {tty::request_low_latency(fd.get(), path),
                                      tty::discard_until_quiet(fd.get(), path, clock)}) {
        if (!note.empty()) notes.push_back(note);
      }
    } catch (const PortError&) {
      tty::unclaim(fd.get());
      throw;
    }
    boost::system::error_code error;
    port_.assign(fd.get(), error);
    if (error) throw PortError(path + ": Asio cannot use it: " + error.message());
    fd_ = fd.release();
  }
  ~AsioPort() override {
    tty::unclaim(fd_);
    boost::system::error_code error;
    port_.close(error);  // after an unplug it reports an error, which is of no use here
  }
  AsioPort(const AsioPort&) = delete;
  AsioPort& operator=(const AsioPort&) = delete;

  IoStatus write(std::span<const std::uint8_t> bytes, Deadline deadline) noexcept override {
    std::size_t written = 0;
    while (!gone_ && written < bytes.size()) {
      const tty::Wait wait = tty::wait_writable(fd_, deadline, clock_);
      if (wait == tty::Wait::kGone) break;
      if (wait == tty::Wait::kExpired) return IoStatus::kTimedOut;
      boost::system::error_code error;
      const auto rest = bytes.subspan(written);
      written += port_.write_some(boost::asio::buffer(rest.data(), rest.size()), error);
      if (error) break;
    }
    return written == bytes.size() ? IoStatus::kOk : lost();
  }

  IoStatus read(std::span<std::uint8_t> bytes, std::size_t& received,
                Deadline deadline) noexcept override {
    received = 0;
    if (gone_) return IoStatus::kGone;
    const IoStatus s =
        tty::read_all(fd_, bytes, received, deadline, clock_,
                      [this](std::span<std::uint8_t> part, std::size_t& got) {
                        boost::system::error_code error;
                        got = port_.read_some(boost::asio::buffer(part.data(), part.size()), error);
                        return error ? IoStatus::kGone : IoStatus::kOk;
                      });
    return s == IoStatus::kGone ? lost() : s;
  }

  std::size_t drop_input() noexcept override { return gone_ ? 0 : tty::discard(fd_); }

 private:
  IoStatus lost() noexcept {
    gone_ = true;
    return IoStatus::kGone;
  }

  const Clock& clock_;
  boost::asio::io_context context_;
  boost::asio::serial_port port_;
  int fd_ = -1;  // owned by port_
  bool gone_ = false;
};

}  // namespace

std::unique_ptr<BytePort> open_asio_port(const std::string& path, const Clock& clock,
                                         std::vector<std::string>& notes) {
  return std::make_unique<AsioPort>(path, clock, notes);
}

}  // namespace kagami::drivers
