#include "models/base/file_replacement.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "models/base/errors.hpp"

namespace kagami {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kNewFileMode = 0644;

[[noreturn]] void fail(const fs::path& file, int error) {
  throw RecordError("'" + file.string() + "' cannot be written: " + std::strerror(error));
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

// a name of an open file, such as /dev/stdout or /proc/self/fd/1: a link that is meant to be
// followed
bool names_an_open_file(const fs::path& file) {
  std::error_code absent;
  const fs::path folder = fs::canonical(folder_of(file), absent).relative_path();
  if (absent || folder.empty()) return false;
  const bool is_of_the_kernel = *folder.begin() == "dev" || *folder.begin() == "proc";
  return is_of_the_kernel && fs::is_symlink(file, absent);
}

/// A descriptor that is closed in any case.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int fd() const noexcept { return fd_; }
  /// @return errno, 0 = done
  int close() noexcept {
    const int fd = std::exchange(fd_, -1);
    return ::close(fd) == 0 ? 0 : errno;
  }

 private:
  int fd_;
};

// the errors of EINVAL and EROFS come from files that cannot be synced, such as pipes
int sync(int fd) noexcept {
  return ::fsync(fd) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;
}

int write_all(int fd, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : ENOSPC;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

// creates an empty file with the permissions of the one that it will replace
fs::path create_beside(const fs::path& file) {
  std::string pattern = (folder_of(file) / ("." + file.filename().string() + ".XXXXXX")).string();
  const Descriptor made(::mkostemp(pattern.data(), O_CLOEXEC));
  if (made.fd() < 0) fail(file, errno);
  struct stat old {};
  const bool has_old = ::lstat(file.c_str(), &old) == 0 && S_ISREG(old.st_mode);
  static_cast<void>(::fchmod(made.fd(), has_old ? old.st_mode & 07777 : kNewFileMode));
  return pattern;
}

}  // namespace

FileReplacement::FileReplacement(fs::path file) : file_(std::move(file)) {
  std::error_code absent;
  const fs::file_status status = fs::status(file_, absent);
  if (fs::is_directory(status)) fail(file_, EISDIR);
  const bool is_special = fs::exists(status) && !fs::is_regular_file(status);
  if (is_special || names_an_open_file(file_)) {
    is_pending_ = false;
    beside_ = file_;
  } else {
    beside_ = create_beside(file_);
  }
}

FileReplacement::~FileReplacement() {
  if (is_pending_) ::unlink(beside_.c_str());
}

void FileReplacement::commit() {
  if (!is_pending_) return;
  {
    const Descriptor written(::open(beside_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (written.fd() < 0) fail(file_, errno);
    if (const int error = sync(written.fd()); error != 0) fail(file_, error);
  }
  if (::rename(beside_.c_str(), file_.c_str()) != 0) fail(file_, errno);
  is_pending_ = false;
  // the entry of the folder too; where the folder cannot be opened the rename alone has to do
  const Descriptor folder(::open(folder_of(file_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.fd() >= 0) static_cast<void>(::fsync(folder.fd()));
}

void write_file_atomically(const fs::path& file, std::string_view text) {
  FileReplacement replacement(file);
  Descriptor out(::open(replacement.beside().c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (out.fd() < 0) fail(file, errno);
  if (const int error = write_all(out.fd(), text); error != 0) fail(file, error);
  if (const int error = out.close(); error != 0) fail(file, error);
  replacement.commit();
}

}  // namespace kagami
