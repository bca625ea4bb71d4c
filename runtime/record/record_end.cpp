#include "runtime/record/record_end.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace kagami::runtime {
namespace {

constexpr const char* kSamples = "samples";
constexpr const char* kSampleHash = "sample_hash";

std::optional<std::uint64_t> number_of(const StringMap& entries, const char* key, int base) {
  const auto found = entries.find(key);
  if (found == entries.end()) return std::nullopt;
  const std::string& text = found->second;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::uint64_t messages_on(const McapReader& reader, std::string_view topic) {
  const Channel* channel = reader.channel(topic);
  if (channel == nullptr) return 0;
  const auto& counts = reader.statistics().channel_message_counts;
  const auto found = counts.find(channel->id);
  return found == counts.end() ? 0 : found->second;
}

}  // namespace

void SampleHash::add(std::span<const std::byte> sample) noexcept {
  hash_.add(static_cast<std::uint64_t>(sample.size()));
  while (!sample.empty()) {
    std::uint64_t bits = 0;
    const std::size_t count = std::min(sample.size(), sizeof(bits));
    std::memcpy(&bits, sample.data(), count);
    hash_.add(bits);
    sample = sample.subspan(count);
  }
}

StringMap record_end_entries(const RecordEnd& end) {
  return {{kSamples, std::to_string(end.samples)}, {kSampleHash, hex_text(end.sample_hash)}};
}

std::optional<RecordEnd> read_record_end(const McapReader& reader) {
  const std::optional<StringMap> entries = reader.metadata(kRecordEndMetadata);
  if (!entries) return std::nullopt;
  const auto samples = number_of(*entries, kSamples, 10);
  const auto hash = number_of(*entries, kSampleHash, 16);
  if (!samples || !hash) return std::nullopt;
  return RecordEnd{.samples = *samples, .sample_hash = *hash};
}

Completeness completeness_of(const McapReader& reader, std::string_view topic) {
  Completeness c;
  c.samples = messages_on(reader, topic);
  const std::optional<RecordEnd> end = read_record_end(reader);
  if (end) c.expected = end->samples;
  if (!end && reader.metadata(kRunMetadata)) {
    c.why =
        "the record does not say how many samples a complete one has: it was cut off, or an older "
        "version wrote it";
  } else if (end && c.samples != end->samples) {
    c.why = std::to_string(c.samples) + " of " + std::to_string(end->samples) +
            " samples are in the record";
  }
  const std::string& damage = reader.damage().sentence;
  if (!damage.empty()) c.why += (c.why.empty() ? "" : "; ") + damage;
  c.complete = c.why.empty();
  return c;
}

}  // namespace kagami::runtime
