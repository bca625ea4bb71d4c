/// Small records for the tests, and files that go away by themselves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/record/mcap_reader.hpp"
#include "runtime/record/mcap_writer.hpp"

namespace kagami::test {

/// A path in the temporary folder, removed at the end.
class TempFile {
 public:
  explicit TempFile(const std::string& name);
  ~TempFile();
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

std::vector<std::byte> read_file(const std::string& path);
void write_file(const std::string& path, const std::vector<std::byte>& bytes);

/// A message as the tests compare it.
struct Copied {
  std::string topic;
  std::uint32_t sequence = 0;
  std::uint64_t log_time_ns = 0;
  std::uint64_t publish_time_ns = 0;
  std::vector<std::byte> data;
  bool operator==(const Copied&) const = default;
};

std::vector<Copied> all_messages(const runtime::McapReader& reader,
                                 const runtime::MessageFilter& filter = {});

inline constexpr std::uint64_t kSampleStart = 1'000'000'000;  ///< ns, first message

/// Writes `ticks` messages of 40 bytes on /cycle (1 per ms) and each tenth on /events, two metadata
/// records and an attachment. @return the messages offered, in order
std::vector<Copied> write_sample(runtime::McapWriter& writer, int ticks);

}  // namespace kagami::test
