#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "models/base/errors.hpp"
#include "runtime/record/byte_sink.hpp"

namespace kagami::runtime {
namespace {

/// Holds SIGXFSZ back, which the kernel sends to a thread that writes past RLIMIT_FSIZE and which
/// ends the process by default; the write then only returns EFBIG.
class NoFileSizeSignal {
 public:
  NoFileSizeSignal() noexcept {
    sigset_t pending;
    sigemptyset(&set_);
    sigaddset(&set_, SIGXFSZ);
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~NoFileSizeSignal() {
    const timespec now{};
    if (!was_pending_) {
      while (sigtimedwait(&set_, nullptr, &now) == -1 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoFileSizeSignal(const NoFileSizeSignal&) = delete;
  NoFileSizeSignal& operator=(const NoFileSizeSignal&) = delete;

 private:
  sigset_t set_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

class FileSink final : public ByteSink {
 public:
  FileSink(const std::string& path, int flags) : path_(path) {
    fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644);
    if (fd_ < 0) {
      throw RecordError(path + ": cannot be created: " + std::strerror(errno));
    }
  }
  ~FileSink() override { ::close(fd_); }

  SinkResult write_at(std::uint64_t offset, std::span<const std::byte> bytes) noexcept override {
    const NoFileSizeSignal guard;
    for (;;) {
      const ssize_t n = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (n >= 0) return {static_cast<std::size_t>(n), 0};
      const int error = errno;
      if (error != EINTR) return {0, error};
    }
  }
  int truncate(std::uint64_t size) noexcept override {
    return ::ftruncate(fd_, static_cast<off_t>(size)) == 0 ? 0 : errno;
  }
  int sync() noexcept override { return ::fdatasync(fd_) == 0 ? 0 : errno; }
  const std::string& name() const noexcept override { return path_; }

 private:
  std::string path_;
  int fd_ = -1;
};

}  // namespace

std::unique_ptr<ByteSink> open_file_sink(const std::string& path) {
  return std::make_unique<FileSink>(path, O_TRUNC);
}

std::unique_ptr<ByteSink> create_file_sink(const std::string& path) {
  return std::make_unique<FileSink>(path, O_EXCL);
}

}  // namespace kagami::runtime
