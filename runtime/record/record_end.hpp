/// What the end of a run's record shows about a complete record, and whether a file is one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "models/base/hash.hpp"
#include "runtime/record/mcap_reader.hpp"

namespace kagami::runtime {

inline constexpr const char* kRunMetadata = "kagami.run";        ///< at the begin of a run's record
inline constexpr const char* kRecordEndMetadata = "kagami.end";  ///< written last

/// Running hash over samples as they are stored: inputs and outputs, byte by byte.
class SampleHash {
 public:
  void add(std::span<const std::byte> sample) noexcept;
  [[nodiscard]] std::uint64_t value() const noexcept { return hash_.value(); }

 private:
  StateHash hash_;
};

struct RecordEnd {
  std::uint64_t samples = 0;      ///< of a complete record: one per tick
  std::uint64_t sample_hash = 0;  ///< SampleHash over those that were written
};

StringMap record_end_entries(const RecordEnd& end);
/// nullopt: the record has no end, or one that cannot be read.
std::optional<RecordEnd> read_record_end(const McapReader& reader);

struct Completeness {
  bool complete = true;
  std::string why{};                        ///< sentence, "" = complete
  std::uint64_t samples = 0;                ///< that the file holds
  std::optional<std::uint64_t> expected{};  ///< of a complete record; nullopt = not known
};

/// Compares the number of messages on `topic` with the end of the record. A file that is no record
/// of a run (without the metadata "kagami.run") is complete when no part of it is damaged.
Completeness completeness_of(const McapReader& reader, std::string_view topic);

}  // namespace kagami::runtime
