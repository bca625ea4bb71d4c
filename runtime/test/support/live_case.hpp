/// A short run with changes during the run, step by step.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/app/live_control.hpp"
#include "runtime/app/run.hpp"
#include "runtime/test/support/run_case.hpp"

namespace kagami::test {

inline const std::string kGains = KAGAMI_SOURCE_DIR "/control/data/gains/";

/// bow on the stand (0.2 s homing, then some seconds), with two PIDs.
inline runtime::RunConfig config_with(const TempDir& dir,
                                      std::vector<runtime::TimedCommand> commands = {}) {
  runtime::RunConfig c = shipped_run("bow", dir.path());
  c.on = runtime::Scene::kStand;
  c.mode = runtime::RunMode::kStream;
  c.report = false;
  c.gains_file = kGains + "khr1_walk.json";
  c.more_gains = {kGains + "awa_2009.json"};
  c.timeline = std::move(commands);
  return c;
}

/// Calls `act` once, on the first row at which `when` holds.
struct Once {
  std::function<bool(const runtime::CycleRecord&)> when;
  std::function<void(const runtime::CycleRecord&)> act;
  bool done = false;
};

inline runtime::RunResult run_with(const runtime::RunConfig& config, runtime::LiveControl& live,
                                   runtime::StopRequest& stop, std::vector<Once> steps,
                                   bool stay_released = false) {
  runtime::RunHooks hooks;
  hooks.stop = &stop;
  hooks.live = &live;
  hooks.stay_released = stay_released;
  std::size_t next = 0;
  hooks.row = [&](const runtime::CycleRecord& row) {
    if (next < steps.size() && steps[next].when(row)) steps[next++].act(row);
    if (next == steps.size()) live.finish();
  };
  runtime::RunResult result = runtime::run(config, hooks);
  EXPECT_EQ(next, steps.size()) << "not every step was reached";
  return result;
}

inline std::function<bool(const runtime::CycleRecord&)> at(double motion_time) {
  return [motion_time](const runtime::CycleRecord& row) {
    return row.out.phase == runtime::Phase::kPlaying && row.out.motion_time >= motion_time;
  };
}

}  // namespace kagami::test
