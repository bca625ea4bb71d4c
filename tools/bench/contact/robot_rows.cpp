// What is measured of a robot on the ground, the same lines for every engine.
#include <algorithm>
#include <cmath>
#include <ctime>
#include <thread>

#include "tools/bench/contact/robot_scene.hpp"
#include "tools/bench/measure.hpp"

namespace kagami::bench {
namespace {

constexpr int kSecond = 1000;        // steps
constexpr int kWatchedSteps = 5000;  // after one second of settling
constexpr int kBatchSteps = 500;     // of a batch: half a squat
constexpr int kTailSteps = 10000;    // of one pass
constexpr int kTailPasses = 3;       // of the same motion
constexpr int kRolloutSteps = 2000;  // of each of two rollouts
constexpr double kDrop = .005;       // m
constexpr double kMotionChatter =
    6.7e-5;  // rms change of force per step / weight, of the squat itself

/// Crouch (rad) at step i: 1 Hz, 0.25 rad deep.
double squat(int i) {
  return 0.125 * (1.0 - std::cos(2.0 * M_PI * kRobotStep * i));
}

double stand(int /*i*/) {
  return 0.0;
}

using Motion = double (*)(int);

/// Gathers what the views show.
class Watch {
 public:
  explicit Watch(double weight) : weight_(weight) {}

  void add(const RobotView& view) {
    for (const double z : view.corner_z) depth_ = std::max(depth_, -z);
    if (count_ == 0) first_ = view.sole_xy;
    for (std::size_t k = 0; k < 4; k += 2)
      slip_ = std::max(
          slip_, std::hypot(view.sole_xy[k] - first_[k], view.sole_xy[k + 1] - first_[k + 1]));
    const double f = view.force / weight_;
    sum_ += f - 1.0;
    squares_ += (f - 1.0) * (f - 1.0);
    if (count_ > 0) changes_ += (f - last_) * (f - last_);
    last_ = f;
    inexact_ += view.exact ? 0 : 1;
    lost_ += view.carrying < 8 ? 1 : 0;
    // both motions repeat every second
    if (count_ >= kSecond) drift_ = std::max(drift_, std::fabs(view.energy - energies_[at()]));
    energies_[at()] = view.energy;
    ++count_;
  }

  void write_counters(benchmark::State& state) const {
    const double mean = sum_ / count_;
    const double chatter = std::sqrt(changes_ / count_);
    state.counters["pen_um"] = 1e6 * depth_;
    state.counters["slip_um"] = 1e6 * slip_;
    state.counters["mean_W"] = 1.0 + mean;
    state.counters["std_W"] = std::sqrt(std::max(0.0, squares_ / count_ - mean * mean));
    state.counters["dF_W"] = chatter;
    state.counters["excess_W"] = std::max(0.0, chatter - kMotionChatter);
    state.counters["lost"] = static_cast<double>(lost_) / count_;
    if (inexact_ > 0) state.counters["inexact"] = static_cast<double>(inexact_) / count_;
    state.counters["energy_uJ"] = 1e6 * drift_;
  }

 private:
  std::size_t at() const { return static_cast<std::size_t>(count_ % kSecond); }

  double weight_;
  // of force / weight the mean and squares less 1: what is left of a difference keeps its digits
  double depth_ = 0.0, slip_ = 0.0, sum_ = 0.0, squares_ = 0.0, changes_ = 0.0, last_ = 0.0,
         drift_ = 0.0;
  int lost_ = 0, inexact_ = 0, count_ = 0;
  std::array<double, 4> first_ = {};
  std::array<double, kSecond> energies_ = {};
};

void watch(benchmark::State& state, RobotSim& robot, Motion motion) {
  robot.reset(0.0);
  for (int i = 0; i < kSecond; ++i) robot.step(motion(i));
  Watch seen(weight(khr1_standing()));
  for (int i = 0; i < kWatchedSteps; ++i) {
    robot.step(motion(kSecond + i));
    seen.add(robot.view());
  }
  seen.write_counters(state);
}

/// Time per step, as measure() takes it.
void time_steps(benchmark::State& state, RobotSim& robot, Motion motion) {
  robot.reset(0.0);
  int i = 0;
  for (; i < kSecond; ++i) robot.step(motion(i));
  std::vector<double> batches;
  for ([[maybe_unused]] const auto _ : state) {
    const double begin = cpu_seconds();
    for (int k = 0; k < kBatchSteps; ++k, ++i) robot.step(motion(i));
    const double seconds = cpu_seconds() - begin;
    state.SetIterationTime(seconds);
    batches.push_back(1e9 * seconds / kBatchSteps);
  }
  tell_batches(state, batches);
}

/// us of every step of a squat that begins with a fall.
std::vector<double> tail_pass(RobotSim& robot) {
  std::vector<double> us;
  us.reserve(kTailSteps);
  robot.reset(kDrop);
  for (int i = 0; i < kTailSteps; ++i) {
    const double a = squat(i);
    const double begin = cpu_seconds();
    robot.step(a);
    us.push_back(1e6 * (cpu_seconds() - begin));
  }
  return us;
}

double sorted_at(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

void watch_tail(benchmark::State& state, RobotSim& robot) {
  std::vector<double> all;
  std::vector<double>
      least;  // of each step over the passes: what the code takes without neighbours
  for (int pass = 0; pass < kTailPasses; ++pass) {
    const std::vector<double> us = tail_pass(robot);
    all.insert(all.end(), us.begin(), us.end());
    if (least.empty()) least = us;
    for (std::size_t i = 0; i < us.size(); ++i) least[i] = std::min(least[i], us[i]);
  }
  std::sort(all.begin(), all.end());
  std::sort(least.begin(), least.end());
  state.counters["p50_us"] = sorted_at(all, 0.5);
  state.counters["p99_us"] = sorted_at(all, 0.99);
  state.counters["p999_us"] = sorted_at(all, 0.999);
  state.counters["max_us"] = all.back();
  state.counters["tail"] = sorted_at(all, 0.999) / sorted_at(all, 0.5);
  state.counters["least_tail"] = sorted_at(least, 0.999) / sorted_at(least, 0.5);
  state.counters["least_max"] = least.back() / sorted_at(least, 0.5);
  for ([[maybe_unused]] const auto _ : state) state.SetIterationTime(1e-6 * sorted_at(all, 0.5));
  state.counters["ns"] = 1e3 * sorted_at(all, 0.999);
}

double wall_seconds() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// s of the thread.
double roll_out(RobotSim& robot, int phase) {
  const double begin = cpu_seconds();
  robot.reset(0.0);
  for (int i = 0; i < kRolloutSteps; ++i) robot.step(squat(i + phase));
  return cpu_seconds() - begin;
}

/// Two rollouts, one after another and side by side; needs two cores.
void time_rollouts(benchmark::State& state, RobotSim& a, RobotSim& b) {
  std::vector<double> per_step;
  std::vector<double> speed_up;
  std::vector<double> cpu_speed_up;  // what neighbours that take the cores cannot touch
  for ([[maybe_unused]] const auto _ : state) {
    double begin = wall_seconds();
    const double cpu_alone = roll_out(a, 0) + roll_out(b, 300);
    const double alone = wall_seconds() - begin;
    begin = wall_seconds();
    double cpu_b = 0.0;
    std::thread other([&b, &cpu_b] { cpu_b = roll_out(b, 300); });
    const double cpu_a = roll_out(a, 0);
    other.join();
    const double both = wall_seconds() - begin;
    state.SetIterationTime(both);
    per_step.push_back(1e9 * both / kRolloutSteps);  // a core's: each has made so many
    speed_up.push_back(alone / both);
    cpu_speed_up.push_back(cpu_alone / std::max(cpu_a, cpu_b));
  }
  tell_batches(state, per_step);
  if (speed_up.empty()) return;
  std::sort(speed_up.begin(), speed_up.end());
  state.counters["speed_up"] = speed_up[speed_up.size() / 2];
  state.counters["best_speed_up"] = speed_up.back();
  std::sort(cpu_speed_up.begin(), cpu_speed_up.end());
  state.counters["cpu_speed_up"] = cpu_speed_up[cpu_speed_up.size() / 2];
}

}  // namespace

void add_robot_rows(const std::string& suffix, const MakeRobot& make) {
  const auto add = [&](const char* name, Motion motion) {
    add_row(std::string("khr1/") + name + suffix, [make, motion](benchmark::State& state) {
      const std::unique_ptr<RobotSim> robot = make();
      watch(state, *robot, motion);
      time_steps(state, *robot, motion);
    });
  };
  add("stand", stand);
  add("squat", squat);
  add_row("khr1/tail" + suffix, [make](benchmark::State& state) {
    const std::unique_ptr<RobotSim> robot = make();
    watch(state, *robot, squat);
    watch_tail(state, *robot);
  });
  add_row(
      "khr1/rollouts" + suffix,
      [make](benchmark::State& state) {
        const std::unique_ptr<RobotSim> a = make();
        const std::unique_ptr<RobotSim> b = make();
        watch(state, *a, squat);
        time_rollouts(state, *a, *b);
      },
      3);
}

}  // namespace kagami::bench
