#include "tools/bench/rows_control.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "control/factory/factory.hpp"
#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/robot/robot_folder.hpp"
#include "models/robot/state.hpp"
#include "tools/bench/measure.hpp"

namespace kagami::bench {
namespace {

/// A controller and kStates inputs around the pose where it starts.
struct Subject {
  Subject(const std::string& gains, models::BaseKind base)
      : robot(models::read_robot_folder(
            std::filesystem::path(KAGAMI_SOURCE_TREE) / "models/data/khr1", base)) {
    control::ControlPlace place;
    place.model = &robot.model;
    place.robot = robot.name;
    place.joint_names = robot.joint_names;
    controller = control::ControllerFactory().make(
        ConfigDocument::read(std::filesystem::path(KAGAMI_SOURCE_TREE) / "control/data/gains" /
                             gains),
        place);
    fill();
  }

  void fill() {
    const auto joints = static_cast<int>(robot.joint_names.size());
    control::ControlInput in;
    in.num_joints = joints;
    in.dt = 1e-3;
    in.sample_dt.fill(6e-3);
    JointVector rest;
    if (const models::Model* model = controller->reference_model()) {
      const models::State s = models::neutral_state(*model);
      in.v = s.v;
      in.q = s.q;
      if (!controller->place(in.q_ref, in.q)) throw ModelError("bench: loops do not close");
      rest = in.q;
    }
    if (controller->reset(in) != control::ControlStatus::kOk) throw ModelError("bench: no start");
    for (int k = 0; k < kStates; ++k) {
      // a few tenths of a degree apart, as readings and a reference model are
      for (int j = 0; j < joints; ++j) {
        const auto i = static_cast<std::size_t>(j);
        const double off = 1e-3 * ((7 * k + 3 * j) % 11 - 5);
        in.measured[i] = off;
        in.q_ref_then[i] = 0.5 * off;
      }
      if (rest.size() > 0) in.v[in.v.size() - 1] = 1e-3 * (k % 5);
      inputs.push_back(in);
    }
  }

  models::RobotDescription robot;
  std::unique_ptr<control::Controller> controller;
  std::vector<control::ControlInput> inputs;
  control::ControlOutput out;
  int failed = 0;
};

void update(benchmark::State& state, const std::string& gains, models::BaseKind base) {
  Subject s(gains, base);
  measure(state, [&](int i) {
    if (s.controller->update(s.inputs[static_cast<std::size_t>(i)], s.out) !=
        control::ControlStatus::kOk) {
      ++s.failed;
    }
    benchmark::DoNotOptimize(s.out.q_target);
  });
  if (s.failed > 0) throw ModelError("bench: " + std::to_string(s.failed) + " updates failed");
  state.counters["us"] = 1e-3 * state.counters["ns"].value;
}

}  // namespace

void add_control_rows() {
  add_row("khr1/control/pid", [](benchmark::State& state) {
    update(state, "awa_2009.json", models::BaseKind::kFixed);
  });
  add_row("khr1/control/balance", [](benchmark::State& state) {
    update(state, "khr1_balance.json", models::BaseKind::kFloating);
  });
  add_row("khr1/control/virtual_loop", [](benchmark::State& state) {
    update(state, "khr1_hands.json", models::BaseKind::kFixed);
  });
}

}  // namespace kagami::bench
