/// A test of one joint that a run made: its rows gathered to what a test on a twin gives.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "models/base/wiring.hpp"
#include "runtime/channels/cycle_types.hpp"
#include "tools/tune/joint_test_result.hpp"

namespace kagami::tools {

class JointTestRows {
 public:
  /// `joint`: one of the wiring's. `period`: s of a cycle, > 0.
  JointTestRows(const RobotWiring& wiring, int joint, double period);

  /// The next row of the test; one that was there already is passed over. A tick that the run
  /// skipped lasts as long as the one before.
  void add(const runtime::CycleRecord& row);
  [[nodiscard]] bool empty() const noexcept { return tick_.empty(); }
  [[nodiscard]] std::int64_t tick_from() const noexcept { return tick_.front(); }
  /// From what the boards read, `metrics` too; saturation is empty: rows count the joints at a
  /// limit, they do not name them. Throws ConfigError where the robot was hardly read.
  [[nodiscard]] JointTestResult result(const JointSignal& signal) const;
  /// joint_test_json of it with "tick_from" and "tick_to". Throws as result.
  [[nodiscard]] nlohmann::json answer(const JointSignal& signal) const;

 private:
  std::size_t joint_ = 0;
  std::size_t board_ = 0;
  std::string name_;
  std::vector<std::int64_t> tick_;
  Response response_;  // angle: the twin's
  std::vector<double> target_;
  ReadingCurve readings_;
  std::int64_t begin_ns_ = -1;
  std::int64_t last_sampled_ns_ = -1;
};

}  // namespace kagami::tools
