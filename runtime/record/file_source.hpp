/// A file read at offsets. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kagami::runtime {

/// One open file of known size. Plain reads, not a mapping: a file that shrinks while it is read is
/// an error message, not a signal.
class FileSource {
 public:
  /// @throws RecordError naming the path and the cause; a folder is refused
  explicit FileSource(const std::string& path);
  ~FileSource();
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// Replaces out by the bytes [offset, offset + size). The range is checked against the file
  /// before memory is taken. @throws RecordError when it is not in the file or cannot be read
  void read(std::uint64_t offset, std::uint64_t size, std::vector<std::byte>& out) const;

 private:
  std::string path_;
  std::uint64_t size_ = 0;
  int fd_ = -1;
};

}  // namespace kagami::runtime
