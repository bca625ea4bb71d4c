// What is measured of the pendulum and the stack, the same lines for every engine.
#include <stdexcept>

#include "tools/bench/contact/free_scenes.hpp"
#include "tools/bench/measure.hpp"

namespace kagami::bench {
namespace {

constexpr double kPendulumSeconds = 5.0;
constexpr double kStackSeconds = 3.0;
constexpr double kRestSeconds = 0.5;  // the last of either, when it lies

int steps_of(double seconds, double dt) {
  return static_cast<int>(std::lround(seconds / dt));
}

/// Mean and standard deviation.
struct Spread {
  double sum = 0.0, squares = 0.0;
  int count = 0, zeros = 0;
  void add(double x) {
    sum += x;
    squares += x * x;
    zeros += x <= 0.0 ? 1 : 0;
    ++count;
  }
  [[nodiscard]] double mean() const { return sum / count; }
  [[nodiscard]] double relative() const {
    return mean() > 0.0 ? std::sqrt(std::max(0.0, squares / count - mean() * mean())) / mean()
                        : 0.0;
  }
};

/// A whole run, watched. The published comparison calls it stable with less than 0.125 J gained,
/// 10 mm depth, 60 rad/s.
void watch_pendulum(benchmark::State& state, PendulumSim& sim, double dt) {
  const double start = sim.view().energy;
  double gain = 0.0, depth = 0.0, rest_depth = 0.0, speed = 0.0;
  Spread force;
  const int steps = steps_of(kPendulumSeconds, dt);
  for (int i = 0; i < steps; ++i) {
    sim.step();
    const PendulumView view = sim.view();
    if (!(std::fabs(view.energy) < 1e6)) throw std::runtime_error("the pendulum flew apart");
    gain = std::max(gain, view.energy - start);
    depth = std::max(depth, view.depth);
    speed = std::max(speed, view.speed);
    if (i < steps - steps_of(kRestSeconds, dt)) continue;
    rest_depth = std::max(rest_depth, view.depth);
    force.add(view.force);
  }
  state.counters["gain_J"] = gain;
  state.counters["pen_mm"] = 1e3 * depth;
  state.counters["rest_mm"] = 1e3 * rest_depth;
  state.counters["speed"] = speed;
  state.counters["std_F"] = force.relative();
  state.counters["stable"] = gain < .125 && depth < .010 && speed < 60.0 ? 1.0 : 0.0;
}

void time_pendulum(benchmark::State& state, const MakePendulum& make, double dt) {
  const int steps = steps_of(kPendulumSeconds, dt);
  std::vector<double> batches;
  for ([[maybe_unused]] const auto _ : state) {
    const std::unique_ptr<PendulumSim> sim = make(dt);
    const double begin = cpu_seconds();
    for (int i = 0; i < steps; ++i) sim->step();
    const double seconds = cpu_seconds() - begin;
    state.SetIterationTime(seconds);
    batches.push_back(1e9 * seconds / steps);
  }
  tell_batches(state, batches);
}

/// What the stack did while it lay.
struct RestWatch {
  std::vector<Spread> force;
  std::vector<Triple> first;
  double depth = 0.0, slip = 0.0;

  void add(const StackView& view) {
    if (force.empty()) {
      force.resize(view.force.size());
      first = view.centre;
    }
    for (std::size_t i = 0; i < force.size(); ++i) {
      force[i].add(view.force[i]);
      const Triple& p = view.centre[i];
      slip = std::max(slip, std::hypot(p[0] - first[i][0], p[1] - first[i][1]));
    }
    depth = std::max(depth, view.depth);
  }

  /// Of the box that the ground carries most.
  [[nodiscard]] const Spread& lowest() const {
    return *std::max_element(force.begin(), force.end(),
                             [](const Spread& a, const Spread& b) { return a.sum < b.sum; });
  }
};

/// The whole 3 s are timed, what is seen between steps is not.
void run_stack(benchmark::State& state, StackSimulation& sim, int boxes, double dt) {
  const int steps = steps_of(kStackSeconds, dt);
  const int looked_at = steps_of(kRestSeconds, dt);
  const double start = sim.view().energy;
  double begin = cpu_seconds();
  for (int i = 0; i < steps - looked_at; ++i) sim.step();
  double seconds = cpu_seconds() - begin;
  RestWatch rest;
  double energy = start;
  for (int i = 0; i < looked_at; ++i) {
    begin = cpu_seconds();
    sim.step();
    seconds += cpu_seconds() - begin;
    const StackView view = sim.view();
    rest.add(view);
    energy = view.energy;
  }
  state.SetIterationTime(seconds);
  state.counters["ns"] = state.counters["min_ns"] = 1e9 * seconds / steps;
  double total = 0.0;
  for (const Spread& f : rest.force) total += f.mean();
  state.counters["std_F"] = rest.lowest().relative();
  state.counters["zero"] = static_cast<double>(rest.lowest().zeros) / rest.lowest().count;
  state.counters["pen_mm"] = 1e3 * rest.depth;
  state.counters["slip_mm"] = 1e3 * rest.slip;
  state.counters["mean_W"] = total / (boxes * kBoxMass * 9.81);
  state.counters["gain_J"] = std::max(0.0, energy - start);
  // a box through the ground or blown away
  const bool lost = !(std::fabs(energy) < 1e3) || rest.depth > .05 || rest.slip > 1.0;
  state.counters["diverged"] = lost ? 1.0 : 0.0;
}

void add_stack_row(const std::string& name, int boxes, double dt, const MakeStack& make) {
  add_row(
      name,
      [make, boxes, dt](benchmark::State& state) {
        for ([[maybe_unused]] const auto _ : state) {
          const std::unique_ptr<StackSimulation> sim = make(boxes, dt);
          run_stack(state, *sim, boxes, dt);
        }
      },
      1);
}

}  // namespace

void add_pendulum_rows(const std::string& suffix, const MakePendulum& make) {
  for (const int ms : {1, 2, 5, 10}) {
    const double dt = 1e-3 * ms;
    add_row("pendulum/" + std::to_string(ms) + "ms" + suffix, [make, dt](benchmark::State& state) {
      watch_pendulum(state, *make(dt), dt);
      time_pendulum(state, make, dt);
    });
  }
}

void add_stack_rows(const std::string& suffix, int most, const MakeStack& make) {
  for (int boxes = 10; boxes <= most; boxes += 10)
    add_stack_row("boxes/" + std::to_string(boxes) + suffix, boxes, 1e-3, make);
}

void add_fine_stack_row(const std::string& suffix, const MakeStack& make) {
  add_stack_row("boxes/50/0.1ms" + suffix, 50, 1e-4, make);
}

}  // namespace kagami::bench
