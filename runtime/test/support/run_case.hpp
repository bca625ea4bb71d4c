/// Short runs in virtual time and looks into their records, for the tests of runtime.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "models/base/temporary_folder.hpp"
#include "runtime/app/run.hpp"
#include "runtime/channels/thread_channels.hpp"
#include "runtime/cycle/cycle_cdr.hpp"
#include "runtime/record/cdr.hpp"
#include "runtime/record/mcap_reader.hpp"

namespace kagami::test {

using TempDir = TemporaryFolder;

/// A shipped motion on the virtual KHR-1 in virtual time.
inline runtime::RunConfig shipped_run(const std::string& motion, const std::filesystem::path& out) {
  const std::filesystem::path root = KAGAMI_SOURCE_DIR;
  runtime::RunConfig c;
  c.robot_folder = root / "models/data/khr1";
  c.motion_file = root / "motions/data" / (motion + ".json");
  c.clock = runtime::ClockKind::kVirtual;
  c.out_dir = out;
  c.replace_record = true;  // tests run again into the same folder
  return c;
}

/// All rows of /cycle.
inline std::vector<runtime::CycleRecord> rows_of(const std::filesystem::path& record) {
  const runtime::McapReader reader(record.string());
  runtime::MessageFilter filter;
  filter.topics = {runtime::kCycleTopic};
  std::vector<runtime::CycleRecord> rows;
  reader.for_each(filter, [&](const runtime::MessageView& message) {
    int joints = 0;
    rows.emplace_back();
    EXPECT_EQ(runtime::read_cycle_cdr(message.data, rows.back(), joints), runtime::CdrStatus::kOk);
  });
  return rows;
}

/// All frames of /line.
struct Frame {
  std::int64_t at_ns = 0;
  bool outgoing = false;
  std::vector<std::uint8_t> bytes;
};
inline std::vector<Frame> frames_of(const std::filesystem::path& record) {
  const runtime::McapReader reader(record.string());
  runtime::MessageFilter filter;
  filter.topics = {"/line"};
  std::vector<Frame> frames;
  reader.for_each(filter, [&](const runtime::MessageView& message) {
    runtime::CdrReader in(message.data);
    Frame f;
    in.get(f.at_ns);
    in.get(f.outgoing);
    std::uint32_t count = 0;
    in.get(count);
    f.bytes.resize(std::min<std::size_t>(count, message.data.size()));
    in.get_array(std::span(f.bytes));
    EXPECT_TRUE(in.at_end());
    frames.push_back(f);
  });
  return frames;
}

/// Requests with this first byte.
inline std::vector<Frame> requests(const std::vector<Frame>& frames, std::uint8_t command) {
  std::vector<Frame> found;
  for (const Frame& f : frames) {
    if (f.outgoing && !f.bytes.empty() && f.bytes[0] == command) found.push_back(f);
  }
  return found;
}

/// Commands that set the sleep bit (the probe clears it with the same command).
inline std::vector<Frame> sleep_requests(const std::vector<Frame>& frames) {
  std::vector<Frame> found;
  for (const Frame& f : requests(frames, 0xF1)) {
    if (f.bytes.size() > 2 && (f.bytes[2] & 0x01) != 0) found.push_back(f);
  }
  return found;
}

}  // namespace kagami::test
