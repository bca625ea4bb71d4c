// kagami-bench-record: what recording costs on the writer thread.
#include <benchmark/benchmark.h>

#include <array>
#include <boost/crc.hpp>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/record/cdr.hpp"
#include "runtime/record/crc32.hpp"
#include "runtime/record/mcap_writer.hpp"
#include "runtime/record/viewer_json.hpp"

namespace kagami::runtime {
namespace {

/// A row as /cycle has it: 2.6 kB, 12 arrays of joint values that move as in a walk, flags,
/// counters.
void make_row(std::vector<std::byte>& out, int tick) {
  CdrWriter cdr(out);
  cdr.put(std::int64_t{tick});
  cdr.put(std::int64_t{tick} * 1'000'000);
  for (int array = 0; array < 12; ++array) {
    std::array<double, 17> values{};
    for (std::size_t j = 0; j < values.size(); ++j) {
      const double phase = 1e-3 * tick * (1.0 + 0.1 * array) + static_cast<double>(j);
      // measured arrays step in whole degrees, simulated ones have all their bits
      values[j] = array < 3 ? std::round(57.3 * std::sin(phase)) / 57.3 : std::sin(phase);
    }
    cdr.put_array(std::span(values));
  }
  const std::array<std::int32_t, 234> rest{tick, 1, 2, 3};
  cdr.put_array(std::span(rest));
}

void write_cycle(benchmark::State& state) {
  McapWriter writer(state.range(1) != 0 ? "/tmp/kagami_bench.mcap" : "/dev/null",
                    {.zstd_level = static_cast<int>(state.range(0))});
  const ChannelId cycle = writer.add_channel("/cycle", 0, "cdr");
  std::vector<std::vector<std::byte>> rows(4000);
  for (int i = 0; i < 4000; ++i) make_row(rows[static_cast<std::size_t>(i)], i);
  std::uint64_t tick = 0;
  for (auto _ : state) {
    writer.write(cycle, tick * 1'000'000, tick * 1'000'000, rows[tick % rows.size()]);
    ++tick;
  }
  writer.flush();
  state.SetBytesProcessed(static_cast<std::int64_t>(tick * rows[0].size()));
  state.counters["file_bytes_per_message"] =
      static_cast<double>(writer.counters().bytes) / static_cast<double>(tick);
}
BENCHMARK(write_cycle)
    ->ArgNames({"zstd", "disk"})
    ->Args({0, 0})
    ->Args({1, 0})
    ->Args({1, 1})
    ->MinTime(2.0);

void encode_row(benchmark::State& state) {
  std::vector<std::byte> row;
  std::array<double, 17> values{};
  for (auto _ : state) {
    CdrWriter cdr(row);
    for (int array = 0; array < 19; ++array) cdr.put_array(std::span(values));
    benchmark::DoNotOptimize(row.data());
  }
}
BENCHMARK(encode_row);

void joint_states(benchmark::State& state) {
  const std::vector<std::string> names(17, "left_hip_pitch");
  std::vector<double> values(17);
  for (std::size_t j = 0; j < values.size(); ++j) values[j] = std::sin(static_cast<double>(j));
  ViewerJson viewer;
  for (auto _ : state) {
    benchmark::DoNotOptimize(viewer.joint_states({0, names, values, values, {}, values}).data());
  }
}
BENCHMARK(joint_states);

void crc_ours(benchmark::State& state) {
  const std::vector<std::byte> bytes(2600, std::byte{0x5A});
  for (auto _ : state) benchmark::DoNotOptimize(crc32(bytes));
  state.SetBytesProcessed(state.iterations() * 2600);
}
BENCHMARK(crc_ours);

void crc_boost(benchmark::State& state) {
  const std::vector<std::byte> bytes(2600, std::byte{0x5A});
  for (auto _ : state) {
    boost::crc_32_type crc;
    crc.process_bytes(bytes.data(), bytes.size());
    benchmark::DoNotOptimize(crc.checksum());
  }
  state.SetBytesProcessed(state.iterations() * 2600);
}
BENCHMARK(crc_boost);

}  // namespace
}  // namespace kagami::runtime

BENCHMARK_MAIN();
