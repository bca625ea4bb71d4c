#include "runtime/record/file_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "models/base/errors.hpp"

namespace kagami::runtime {

FileSource::FileSource(const std::string& path) : path_(path) {
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) throw RecordError(path + ": cannot be opened: " + std::strerror(errno));
  struct stat status {};
  const bool known = ::fstat(fd_, &status) == 0;
  if (!known || !S_ISREG(status.st_mode)) {
    ::close(fd_);
    throw RecordError(path + ": not a regular file");
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

FileSource::~FileSource() {
  ::close(fd_);
}

void FileSource::read(std::uint64_t offset, std::uint64_t size, std::vector<std::byte>& out) const {
  if (offset > size_ || size > size_ - offset) {
    throw RecordError(path_ + ": bytes " + std::to_string(offset) + " to " +
                      std::to_string(offset + size) + " are beyond its end, " +
                      std::to_string(size_));
  }
  out.resize(static_cast<std::size_t>(size));
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t n =
        ::pread(fd_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      throw RecordError(path_ + ": cannot be read at byte " + std::to_string(offset + done) + ": " +
                        (n < 0 ? std::strerror(errno) : "the file became shorter"));
    }
    done += static_cast<std::size_t>(n);
  }
}

}  // namespace kagami::runtime
