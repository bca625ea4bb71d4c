// kagami-bench-cycle: CycleCore::step on the KHR-1, over the inputs of replays with and without a
// controller, and single updates of the controllers.
#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/app/assemble.hpp"
#include "runtime/channels/thread_channels.hpp"
#include "runtime/cycle/cycle_core.hpp"
#include "tools/bench/measure.hpp"
#include "tools/bench/recorded_run.hpp"
#include "tools/bench/rows_control.hpp"

namespace kagami::bench {
namespace {

/// Steps a fresh core through the whole walk; each step's wall time (us) goes into `steps_us`
/// unless that is null.
void walk_through(const RecordedRun& run, runtime::CycleCore& core, std::vector<double>* steps_us) {
  using Clock = std::chrono::steady_clock;
  static const auto channels = std::make_unique<runtime::ThreadChannels>();
  runtime::CycleRecord record, taken;
  for (const runtime::CycleRecord& row : run.rows) {
    record.in = row.in;
    const Clock::time_point begin = steps_us ? Clock::now() : Clock::time_point();
    core.step(record.in, record.out);
    channels->records.push(record);
    if (steps_us)
      steps_us->push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
    channels->records.pop(taken);
  }
  benchmark::DoNotOptimize(record.out.state_hash);
}

/// "ns" and "min_ns": thread CPU time of a step, mean over the walk, median and least of the walks.
/// "p50_us", "p99_us", "max_us": wall time of single steps in walks of their own.
void step(benchmark::State& state, const RecordedRun& run) {
  const runtime::RunSetup setup = runtime::read_setup(run.config);
  std::vector<double> walks, steps_us;
  steps_us.reserve(run.rows.size() * kBatches);
  for ([[maybe_unused]] const auto _ : state) {
    runtime::CycleCore core = runtime::make_core(setup);
    const double begin = cpu_seconds();
    walk_through(run, core, nullptr);
    const double seconds = cpu_seconds() - begin;
    state.SetIterationTime(seconds);
    walks.push_back(1e9 * seconds / static_cast<double>(run.rows.size()));
    runtime::CycleCore timed = runtime::make_core(setup);
    walk_through(run, timed, &steps_us);
  }
  std::sort(walks.begin(), walks.end());
  std::sort(steps_us.begin(), steps_us.end());
  const auto at = [&](double share) {
    return steps_us[static_cast<std::size_t>(share * static_cast<double>(steps_us.size() - 1))];
  };
  state.counters["ns"] = walks[walks.size() / 2];
  state.counters["min_ns"] = walks.front();
  state.counters["p50_us"] = at(0.5);
  state.counters["p99_us"] = at(0.99);
  state.counters["max_us"] = at(1.0);
  state.counters["steps"] = static_cast<double>(run.rows.size());
}

}  // namespace
}  // namespace kagami::bench

int main(int argc, char** argv) {
  using namespace kagami::bench;
  using kagami::runtime::Scene;
  // each is recorded once for all repetitions
  add_row("khr1/cycle/step", [](benchmark::State& state) {
    static const RecordedRun run = record_run("walk_forward", Scene::kStand, "");
    step(state, run);
  });
  // the same walk by each algorithm, aba once more among them
  for (const kagami::models::Algorithm algorithm : kagami::models::kAlgorithms) {
    add_row(std::string("khr1/cycle/dynamics_") + kagami::models::name(algorithm),
            [algorithm](benchmark::State& state) {
              static std::map<kagami::models::Algorithm, RecordedRun> runs;
              if (!runs.contains(algorithm))
                runs.emplace(algorithm, record_run("walk_forward", Scene::kStand, "", algorithm));
              step(state, runs.at(algorithm));
            });
  }
  add_row("khr1/cycle/pid_floor", [](benchmark::State& state) {
    static const RecordedRun run = record_run("walk_forward", Scene::kFloor, "khr1_walk.json");
    step(state, run);
  });
  add_row("khr1/cycle/balance_floor", [](benchmark::State& state) {
    static const RecordedRun run = record_run("home", Scene::kFloor, "khr1_balance.json");
    step(state, run);
  });
  add_row("khr1/cycle/virtual_loop_stand", [](benchmark::State& state) {
    static const RecordedRun run = record_run("squat", Scene::kStand, "khr1_hands.json");
    step(state, run);
  });
  add_control_rows();
  return run_rows(argc, argv, "kagami");
}
