// kagami-bench-dynamics: forward and inverse dynamics and the mass matrix of the KHR-1.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <random>
#include <vector>

#include "models/dynamics/aba.hpp"
#include "models/dynamics/crba.hpp"
#include "models/dynamics/rnea.hpp"
#include "models/robot/robot_folder.hpp"
#include "models/robot/state.hpp"

namespace kagami::bench {
namespace {

using models::BaseKind;
using models::Model;

constexpr std::size_t kStates = 64;  // visited in turn, so that no state stays in the predictor

struct State {
  JointVector q, v, in;
};

Model khr1(BaseKind base) {
  const auto folder = std::filesystem::path(KAGAMI_SOURCE_TREE) / "models/data/khr1";
  return models::read_robot_folder(folder, base).model;
}

JointVector random_vector(int size, double range, std::mt19937& random) {
  std::uniform_real_distribution<double> value(-range, range);
  JointVector vector(size);
  for (int i = 0; i < size; ++i) vector[i] = value(random);
  return vector;
}

std::vector<State> random_states(const Model& model) {
  std::mt19937 random(1);
  std::vector<State> states;
  for (std::size_t i = 0; i < kStates; ++i) {
    State s{models::neutral_state(model).q, random_vector(model.num_v(), 1.0, random),
            random_vector(model.num_v(), 0.3, random)};
    // the joints' angles stand last, behind the coordinates of a floating base
    const int joints = model.num_q() == model.num_v() ? model.num_v() : model.num_v() - 6;
    s.q.tail(joints) = random_vector(joints, 0.5, random);
    states.push_back(s);
  }
  return states;
}

template <class Call>
void over_states(benchmark::State& state, const Model& model, Call call) {
  const std::vector<State> states = random_states(model);
  std::size_t i = 0;
  for ([[maybe_unused]] const auto _ : state) {
    call(states[i]);
    i = (i + 1) % kStates;
  }
}

void forward_dynamics(benchmark::State& state, BaseKind base) {
  const Model model = khr1(base);
  models::AbaWorkspace w(model);
  JointVector vdot(model.num_v());
  over_states(state, model, [&](const State& s) {
    models::aba(model, s.q, s.v, s.in, w, vdot);
    benchmark::DoNotOptimize(vdot.data());
  });
}

void inverse_dynamics(benchmark::State& state, BaseKind base) {
  const Model model = khr1(base);
  models::RneaWorkspace w(model);
  JointVector tau(model.num_v());
  over_states(state, model, [&](const State& s) {
    models::rnea(model, s.q, s.v, s.in, w, tau);
    benchmark::DoNotOptimize(tau.data());
  });
}

void mass_matrix(benchmark::State& state, BaseKind base) {
  const Model model = khr1(base);
  models::CrbaWorkspace w(model);
  JointMatrix H(model.num_v(), model.num_v());
  over_states(state, model, [&](const State& s) {
    models::crba(model, s.q, w, H);
    benchmark::DoNotOptimize(H.data());
  });
}

BENCHMARK_CAPTURE(forward_dynamics, fixed, BaseKind::kFixed)->Name("khr1/forward_dynamics/aba");
BENCHMARK_CAPTURE(inverse_dynamics, fixed, BaseKind::kFixed)->Name("khr1/inverse_dynamics/rnea");
BENCHMARK_CAPTURE(mass_matrix, fixed, BaseKind::kFixed)->Name("khr1/mass_matrix/crba");
BENCHMARK_CAPTURE(forward_dynamics, floating, BaseKind::kFloating)
    ->Name("khr1_floating/forward_dynamics/aba");
BENCHMARK_CAPTURE(inverse_dynamics, floating, BaseKind::kFloating)
    ->Name("khr1_floating/inverse_dynamics/rnea");
BENCHMARK_CAPTURE(mass_matrix, floating, BaseKind::kFloating)
    ->Name("khr1_floating/mass_matrix/crba");

}  // namespace
}  // namespace kagami::bench

BENCHMARK_MAIN();
