#include "runtime/record/test/support/record_samples.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "runtime/record/test/support/small_disk.hpp"

namespace kagami::test {

namespace {

/// Memory, where the system has such a folder: the tests write thousands of small files.
std::filesystem::path folder() {
  const std::filesystem::path memory = "/dev/shm";
  std::error_code ignored;
  return std::filesystem::is_directory(memory, ignored) ? memory
                                                        : std::filesystem::temp_directory_path();
}

}  // namespace

TempFile::TempFile(const std::string& name)
    : path_((folder() / ("kagami_" + std::to_string(::getpid()) + "_" + name)).string()) {}

TempFile::~TempFile() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto bytes = runtime::bytes_of(text);
  return {bytes.begin(), bytes.end()};
}

void write_file(const std::string& path, const std::vector<std::byte>& bytes) {
  // a new file each time: some file systems write an emptied and rewritten one to the disk at close
  std::filesystem::remove(path);
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

std::vector<Copied> all_messages(const runtime::McapReader& reader,
                                 const runtime::MessageFilter& filter) {
  std::vector<Copied> out;
  reader.for_each(filter, [&](const runtime::MessageView& m) {
    out.push_back({m.channel->topic,
                   m.sequence,
                   m.log_time_ns,
                   m.publish_time_ns,
                   {m.data.begin(), m.data.end()}});
  });
  return out;
}

std::vector<Copied> write_sample(runtime::McapWriter& writer, int ticks) {
  using runtime::bytes_of;
  const auto schema = writer.add_schema("kagami/Cycle", "ros2msg", "int64 tick\nfloat64[4] q\n");
  const auto events = writer.add_schema("foxglove.Log", "jsonschema", R"({"type":"object"})");
  const auto cycle = writer.add_channel("/cycle", schema, "cdr", {{"rate", "1000"}});
  const auto log = writer.add_channel("/events", events, "json");
  writer.add_metadata("kagami.run", {{"motion", "walk_forward"}, {"版", "鏡 \"1\""}});
  writer.add_attachment("robot.urdf", "text/xml", kSampleStart, bytes_of("<robot name='khr1'/>"),
                        7);

  std::vector<Copied> offered;
  std::mt19937 random(5);
  std::uint32_t events_sent = 0;
  for (int tick = 0; tick < ticks; ++tick) {
    const std::uint64_t now = kSampleStart + static_cast<std::uint64_t>(tick) * 1'000'000;
    Copied row{"/cycle", static_cast<std::uint32_t>(tick), now, now - 10, {}};
    for (int i = 0; i < 40; ++i) row.data.push_back(static_cast<std::byte>(random() % 4));
    writer.write(cycle, row.log_time_ns, row.publish_time_ns, row.data);
    offered.push_back(row);
    if (tick % 10 != 0) continue;
    const auto text = bytes_of(R"({"message":"tick"})");
    Copied line{"/events", events_sent++, now, now, {text.begin(), text.end()}};
    writer.write(log, line.log_time_ns, line.publish_time_ns, line.data);
    offered.push_back(line);
  }
  writer.add_metadata("kagami.end", {{"lost", "0"}});
  return offered;
}

std::vector<std::byte> sample_bytes(std::vector<Copied>* offered, int zstd_level) {
  std::vector<std::byte> bytes;
  std::size_t capacity = 1 << 20;
  runtime::McapWriter writer(std::make_unique<SmallDisk>(bytes, capacity),
                             {.chunk_duration_ns = 10'000'000, .zstd_level = zstd_level});
  std::vector<Copied> messages = write_sample(writer, 120);
  writer.close();
  if (offered != nullptr) *offered = std::move(messages);
  return bytes;
}

}  // namespace kagami::test
