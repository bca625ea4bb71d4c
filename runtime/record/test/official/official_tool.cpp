// The C++ side of official.test.mjs: writes records, copies them, prints them as one JSON object.
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/errors.hpp"
#include "runtime/record/cdr.hpp"
#include "runtime/record/mcap_recover.hpp"
#include "runtime/record/test/support/record_samples.hpp"
#include "runtime/record/viewer_json.hpp"

namespace kagami::runtime {
namespace {

using nlohmann::json;

std::string hex(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const std::byte b : bytes) {
    out += kDigits[std::to_integer<unsigned>(b) >> 4];
    out += kDigits[std::to_integer<unsigned>(b) & 0xF];
  }
  return out;
}

std::string_view text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

constexpr std::string_view kRowSchema =
    "int64 tick\nbool fresh\nfloat64[3] q\nuint8[] raw\nfloat64[] empty\nstring note\nint32 last\n";

std::vector<std::byte> row(std::int64_t tick) {
  const std::array<double, 3> q{0.1, -0.0, 1e300};
  const std::array<std::uint8_t, 3> raw{1, 2, 3};
  std::vector<std::byte> out;
  CdrWriter cdr(out);
  cdr.put(tick);
  cdr.put(tick % 2 == 0);
  cdr.put_array(std::span(q));
  cdr.put_sequence(std::span(raw));
  cdr.put_sequence(std::span<const double>());
  cdr.put_sequence(std::span("鏡"));  // a string of CDR: its closing zero counts
  cdr.put(std::int32_t{-7});
  return out;
}

void write_viewers(McapWriter& writer, std::uint64_t now) {
  const auto channel = [&](std::string_view topic, const ViewerSchema& s) {
    return writer.add_channel(topic, writer.add_schema(s.name, "jsonschema", s.text), "json");
  };
  const std::vector<std::string> names{"left_knee", "neck \"1\""};
  const std::vector<double> q{0.25, std::numeric_limits<double>::quiet_NaN()};
  ViewerJson viewer;
  const auto write = [&](ChannelId id, std::string_view text) {
    writer.write(id, now, now, bytes_of(text));
  };
  write(channel("/joint_states/measured", kJointStatesSchema),
        viewer.joint_states({now, names, q, {}, {}, {}}));
  write(channel("/residual", kResidualSchema), viewer.residual({now, names, q, q}));
  write(channel("/log", kLogSchema), viewer.log({now, LogLevel::kError, "line\n\xFF", "n", "", 0}));
  const std::vector<FrameTransformView> transforms(2);
  write(channel("/tf", kFrameTransformsSchema), viewer.frame_transforms(now, transforms));
  const auto rows =
      writer.add_channel("/row", writer.add_schema("kagami/Row", "ros2msg", kRowSchema), "cdr");
  for (int i = 0; i < 2; ++i) writer.write(rows, now, now, row(i));
}

void write_record(const std::string& path, int ticks, int level) {
  McapWriter writer(path, {.profile = "", .library = "kagami test", .zstd_level = level});
  test::write_sample(writer, ticks);
  write_viewers(writer, test::kSampleStart + 5'000'000'000);
  if (!writer.close()) throw RecordError(writer.cause());
}

json dump(const std::string& path) {
  const McapReader reader(path);
  json out{{"library", reader.library()},
           {"profile", reader.profile()},
           {"notice", reader.damage().sentence},
           {"rebuilt", reader.damage().rebuilt},
           {"count", reader.statistics().message_count},
           {"chunks", reader.statistics().chunk_count}};
  for (const auto& [id, c] : reader.channels()) {
    const Schema* s = reader.schema_of(c);
    out["channels"][c.topic] = {{"encoding", c.message_encoding},
                                {"metadata", c.metadata},
                                {"schema", s == nullptr ? "" : s->name},
                                {"schemaEncoding", s == nullptr ? "" : s->encoding},
                                {"schemaText", s == nullptr ? "" : s->text()}};
  }
  reader.for_each({}, [&](const MessageView& m) {
    out["messages"].push_back({m.channel->topic, m.sequence, std::to_string(m.log_time_ns),
                               std::to_string(m.publish_time_ns), hex(m.data)});
  });
  for (const AttachmentIndex& index : reader.attachments()) {
    const Attachment a = reader.attachment(index);
    out["attachments"].push_back({a.name, a.media_type, std::to_string(a.log_time_ns),
                                  std::to_string(a.create_time_ns), text_of(a.data)});
  }
  for (const MetadataIndex& index : reader.metadata()) {
    out["metadata"].push_back({index.name, reader.metadata(index)});
  }
  return out;
}

/// The number after the argument `name`, or `otherwise`.
int number(const std::vector<std::string>& arguments, std::string_view name, int otherwise) {
  const auto at = std::find(arguments.begin(), arguments.end(), name);
  return arguments.end() - at > 1 ? std::stoi(at[1]) : otherwise;
}

int run(const std::vector<std::string>& arguments) {
  const std::string_view what = arguments.size() > 1 ? std::string_view(arguments[0]) : "";
  if (what == "write") {
    write_record(arguments[1], number(arguments, "--ticks", 0), number(arguments, "--level", 1));
  } else if (what == "recover" && arguments.size() > 2) {
    std::cout << recover(arguments[1], arguments[2]).messages << '\n';
  } else if (what == "dump") {
    std::cout << dump(arguments[1]).dump() << '\n';
  } else {
    std::cerr << "usage: write FILE [--ticks N] [--level N] | recover FILE COPY | dump FILE\n";
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace kagami::runtime

int main(int argc, char** argv) {
  try {
    return kagami::runtime::run({argv + 1, argv + argc});
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
}
