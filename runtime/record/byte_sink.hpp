/// Where a record's bytes go: a file, or in tests something that runs full at a chosen byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace kagami::runtime {

/// What became of one write: how many bytes were taken, and why not all (errno, 0 = no error).
struct SinkResult {
  std::size_t count = 0;
  int error = 0;
};

/// Random-access output. Short writes are normal results, not exceptions. One thread.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  /// Writes at an offset; may take less than given.
  [[nodiscard]] virtual SinkResult write_at(std::uint64_t offset,
                                            std::span<const std::byte> bytes) noexcept = 0;
  /// Cuts the file to size bytes. @return errno, 0 = done
  [[nodiscard]] virtual int truncate(std::uint64_t size) noexcept = 0;
  /// Asks the disk to have it. @return errno, 0 = done
  [[nodiscard]] virtual int sync() noexcept = 0;
  /// For messages: the path.
  [[nodiscard]] virtual const std::string& name() const noexcept = 0;
};

/// Creates or empties a file. @throws RecordError naming the path and the cause
[[nodiscard]] std::unique_ptr<ByteSink> open_file_sink(const std::string& path);
/// Creates a file that must not exist yet. @throws RecordError, also where it exists
[[nodiscard]] std::unique_ptr<ByteSink> create_file_sink(const std::string& path);

/// Comes between the writer and the file of the record: a disk that fails, in tests.
using RecordDisk = std::function<std::unique_ptr<ByteSink>(std::unique_ptr<ByteSink> file)>;

}  // namespace kagami::runtime
