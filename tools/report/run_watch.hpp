/// Makes the course of a run out of its rows, in memory that does not grow with the run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/channels/cycle_types.hpp"
#include "runtime/threads/histogram.hpp"
#include "tools/analysis/tunable_history.hpp"
#include "tools/report/run_course.hpp"

namespace kagami::tools {

/// Takes rows in the order of their ticks; a row whose clock did not advance is left out.
class RunWatch {
 public:
  /// The record must outlive it.
  explicit RunWatch(const RunRecord& record);

  void add(const runtime::CycleRecord& row);
  /// The course so far, without the differences; the watch is spent.
  [[nodiscard]] RunCourse take();

 private:
  [[nodiscard]] double seconds_of(std::int64_t at_ns) const;
  void add_curves(const runtime::CycleRecord& row, double time);
  void add_readings(const runtime::CycleRecord& row);
  void add_events(const runtime::CycleRecord& row, double time);
  void add_values(const runtime::CycleRecord& row, double time);
  [[nodiscard]] std::string controller_name(const runtime::CycleOutput& out) const;

  std::vector<std::string> names_;
  std::vector<int> board_;  // per joint
  TunableHistory tunables_;
  std::vector<std::string> gain_names_;  // of the run's controllers, in its order
  RunCourse course_;
  std::vector<StepWatch> steps_;  // per joint
  std::optional<std::int64_t> first_ns_;
  std::int64_t last_ns_ = 0;
  std::array<std::int64_t, kMaxBoards> last_sampled_ns_{};
  runtime::Histogram tick_;
  std::array<runtime::Histogram, kMaxBoards> answer_;
  std::array<runtime::Histogram, kMaxBoards> interval_;
  runtime::Histogram age_;
};

}  // namespace kagami::tools
