// kagami-bench-cycle: CycleCore::step on the KHR-1, over the inputs of a replay of walk_forward.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "runtime/app/assemble.hpp"
#include "runtime/cycle/cycle_core.hpp"
#include "tools/bench/recorded_run.hpp"

namespace kagami::bench {
namespace {

const RecordedRun& walk() {
  static const RecordedRun run = record_walk();
  return run;
}

/// One iteration is the whole motion with a fresh core; "per_step" is what one cycle takes.
void step(benchmark::State& state) {
  const RecordedRun& run = walk();
  const runtime::RunSetup setup = runtime::read_setup(run.config);
  runtime::CycleOutput out;
  std::vector<double> steps_us;
  for ([[maybe_unused]] const auto _ : state) {
    state.PauseTiming();
    runtime::CycleCore core = runtime::make_core(setup);
    state.ResumeTiming();
    for (const runtime::CycleRecord& row : run.rows) {
      const auto begin = std::chrono::steady_clock::now();
      core.step(row.in, out);
      const auto end = std::chrono::steady_clock::now();
      steps_us.push_back(std::chrono::duration<double, std::micro>(end - begin).count());
    }
    benchmark::DoNotOptimize(out.state_hash);
  }
  std::sort(steps_us.begin(), steps_us.end());
  const auto at = [&](double share) {
    return steps_us[static_cast<std::size_t>(share * static_cast<double>(steps_us.size() - 1))];
  };
  state.counters["ns"] = 1e3 * at(0.5);
  state.counters["p50_us"] = at(0.5);
  state.counters["p99_us"] = at(0.99);
  state.counters["max_us"] = at(1.0);
  state.counters["steps/s"] = benchmark::Counter(static_cast<double>(run.rows.size()),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(step)->Name("khr1/cycle/step")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kagami::bench

BENCHMARK_MAIN();
