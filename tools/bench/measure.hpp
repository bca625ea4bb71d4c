/// How every program measures: Google Benchmark with the thread's CPU time, in short batches.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "tools/bench/bench_models.hpp"

namespace kagami::bench {

/// Thread CPU time, s: the machine may be shared, what others run does not count.
double cpu_seconds();

inline constexpr int kBatches = 9;             ///< a repetition's sample is their median
inline constexpr double kBatchSeconds = 4e-4;  ///< long against the clock's own cost

/// Counters of batches, ns per call each: "ns" their median, "min_ns". None when there are none.
inline void tell_batches(benchmark::State& state, std::vector<double> batches) {
  if (batches.empty()) return;
  std::sort(batches.begin(), batches.end());
  state.counters["ns"] = batches[batches.size() / 2];
  state.counters["min_ns"] = batches.front();
}

/// Times call(i), i = 0 .. kStates-1 in turn. Counters: "ns" median of the batches, "min_ns"; both
/// per call.
template <class Call>
void measure(benchmark::State& state, Call call) {
  const auto round = [&] {
    for (int i = 0; i < kStates; ++i) call(i);
  };
  round();
  double begin = cpu_seconds();
  round();
  const double once = std::max(cpu_seconds() - begin, 1e-7);
  const int rounds = static_cast<int>(std::clamp(std::ceil(kBatchSeconds / once), 1.0, 1e5));

  const double to_ns = 1e9 / (static_cast<double>(rounds) * kStates);
  std::vector<double> batches;
  for ([[maybe_unused]] const auto _ : state) {
    begin = cpu_seconds();
    for (int r = 0; r < rounds; ++r) round();
    const double seconds = cpu_seconds() - begin;
    state.SetIterationTime(seconds);
    batches.push_back(seconds * to_ns);
  }
  tell_batches(state, batches);
}

/// Takes 10 s of 1 ms steps from rest: counters "gap_m", the worst gap() after a step, and
/// "energy", the worst change of energy(), as a share of the swing energy.
template <class Step, class Gap, class Energy>
void watch_four_bar(benchmark::State& state, Step step, Gap gap, Energy energy) {
  const double start = energy();
  double worst_gap = 0.0;
  double worst_energy = 0.0;
  for (int i = 0; i < 10000; ++i) {
    step();
    worst_energy = std::max(worst_energy, std::fabs(energy() - start));
    worst_gap = std::max(worst_gap, gap());
  }
  state.counters["gap_m"] = worst_gap;
  state.counters["energy"] = worst_energy / four_bar_swing_energy();
}

/// Adds the row `name`: body(state) builds its subject, sets counters and calls measure. What it
/// throws becomes the row's error and leaves the others alone. `batches`: times round its loop.
template <class Body>
void add_row(const std::string& name, Body body, int batches = kBatches) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [body = std::move(body)](benchmark::State& state) {
                                 try {
                                   body(state);
                                 } catch (const std::exception& error) {
                                   state.SkipWithError(error.what());
                                 }
                               })
      ->UseManualTime()
      ->Iterations(batches);
}

/// Runs the rows that the arguments select; `engine` is the column's name, such as "mujoco 2.2.2".
int run_rows(int argc, char** argv, const std::string& engine);

}  // namespace kagami::bench
