/// A pseudo-terminal for tests of real ports, and the clock that goes with it.
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "drivers/port/clock.hpp"
#include "drivers/port/file_descriptor.hpp"

namespace kagami::test {

/// CLOCK_MONOTONIC: for tests that meet the kernel. Their assertions are one-sided and generous.
class MonotonicClock final : public drivers::Clock {
 public:
  [[nodiscard]] std::int64_t now_ns() const noexcept override {
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1'000'000'000LL + t.tv_nsec;
  }
  void sleep_until(std::int64_t at_ns) noexcept override {
    const timespec t{at_ns / 1'000'000'000, at_ns % 1'000'000'000};
    ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr);
  }
};

/// The far end of a pseudo-terminal; the near end is opened by path. Raw before the first byte.
class PtyPair {
 public:
  PtyPair() : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    if (master_.get() < 0 || ::grantpt(master_.get()) != 0 || ::unlockpt(master_.get()) != 0) {
      throw std::runtime_error("no pseudo-terminal");
    }
    path_ = ::ptsname(master_.get());
    termios raw{};
    ::tcgetattr(master_.get(), &raw);
    ::cfmakeraw(&raw);
    ::tcsetattr(master_.get(), TCSANOW, &raw);
    // without a descriptor of the near end the far end would see a hang-up between two openings
    keep_.reset(::open(path_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] int master() const { return master_.get(); }

  void write(std::span<const std::uint8_t> bytes) {
    if (::write(master_.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
      throw std::runtime_error("pseudo-terminal takes no bytes");
    }
  }
  /// Blocks until `size` bytes came.
  std::vector<std::uint8_t> read(std::size_t size) {
    std::vector<std::uint8_t> bytes(size);
    std::size_t got = 0;
    while (got < size) {
      const ssize_t n = ::read(master_.get(), bytes.data() + got, size - got);
      if (n <= 0) throw std::runtime_error("pseudo-terminal ended");
      got += static_cast<std::size_t>(n);
    }
    return bytes;
  }
  /// Pulls the cable.
  void unplug() { master_.reset(); }

 private:
  drivers::FileDescriptor master_;
  drivers::FileDescriptor keep_;
  std::string path_;
};

}  // namespace kagami::test
