/// The pre-flight check: a motion on twin and virtual robot in simulated time, before it moves a
/// real one.
#pragma once

#include <functional>
#include <optional>

#include "models/robot/robot_folder.hpp"
#include "runtime/app/run_config.hpp"
#include "runtime/threads/stop_request.hpp"
#include "tools/analysis/motion_check.hpp"
#include "tools/check/motion_watch.hpp"

namespace kagami::tools {

struct TwinCheckOptions {
  /// rad, model order: where the robot is. Empty: at home, or lying where the motion begins so.
  std::optional<JointArray<double>> present{};
  /// s; a longer motion is not played: its check has no TwinPlay and a finding that says so.
  std::optional<double> longest{};
  const runtime::StopRequest* stop = nullptr;                          ///< ends the run early
  std::function<void(double)> progress{};                              ///< 0..1
  std::function<void(const MotionCheck&, const MotionWatch&)> seen{};  ///< after the run
};

/// The motion of `config` at its speed, mode, place and twin, with its controllers; robot, clock,
/// record, timeline and disturbances are the check's own. A motion that cannot be read or played is
/// red with the reason. Throws ConfigError or ModelError for a robot or a twin that is wrong.
MotionCheck check_on_twin(const runtime::RunConfig& config, const TwinCheckOptions& options = {});

}  // namespace kagami::tools
