/// Gains found by themselves: by a relay's limit cycle, or by searching on the twins.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/tune/gain_changes.hpp"
#include "tools/tune/joint_test.hpp"

namespace kagami::tools {

enum class AutotuneMethod : std::uint8_t { kRelay, kOptimise };
/// "relay", "optimise". Throws ConfigError that lists them.
AutotuneMethod autotune_method(std::string_view name);

struct AutotuneSettings {
  AutotuneMethod method = AutotuneMethod::kOptimise;
  int joint = 0;  ///< model order; -1: one set for all joints (optimise alone)
  int twins = 4;  ///< the twin itself, both ends of the ranges (enclosing_twins), drawn ones
  std::uint64_t seed = 1;
  int evaluations = 100;  ///< of the cost, at most
};

/// Both gain sets and what each does; nothing is in force until it is accepted.
struct AutotuneResult {
  std::vector<control::TunableValue> before;
  std::vector<control::TunableValue> after;
  std::vector<JointTestResult> before_tests;  ///< a step on the twin itself, per joint
  std::vector<JointTestResult> after_tests;
  double cost_before = 0.0;  ///< rad, see docs/tuning.md
  double cost_after = 0.0;
  int evaluations = 0;
  bool aborted = false;  ///< then `after` is `before`
  std::string why;       ///< one sentence: what was found, or why nothing was
};

/// Called now and then with the share done, 0..1; returns whether to go on. Both may be empty. Any
/// thread of the caller's choice: nothing here starts one.
struct AutotuneHooks {
  std::function<void(double share)> progress;
  const std::atomic<bool>* abort = nullptr;
};

/// From `pose` with the gains of `gains_text` and `changed_gains`. Throws ConfigError for settings
/// that cannot be.
AutotuneResult autotune(const models::RobotDescription& robot, const std::string& gains_text,
                        std::span<const control::TunableValue> changed_gains,
                        const JointArray<double>& pose, const AutotuneSettings& settings,
                        const AutotuneHooks& hooks = {});

/// {"method", "joints", "before": {"gains", "metrics"}, "after": {...}, "cost_before_deg", ...}.
nlohmann::json autotune_json(const AutotuneResult& result);

}  // namespace kagami::tools
