/// What is odd about a record, and what can still be said with it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/channels/cycle_types.hpp"
#include "tools/analysis/run_record.hpp"

namespace kagami::tools {

/// Takes the rows of a run in their order and finds: no samples, no readings, a reading that never
/// changes, a clock that was set, missing samples, values of controllers that changed.
class RecordCheck {
 public:
  explicit RecordCheck(const RobotWiring& wiring);

  void add(const runtime::CycleRecord& row);
  /// One sentence each, with its consequence; empty: nothing is odd.
  [[nodiscard]] std::vector<std::string> findings() const;

 private:
  /// What a joint's readings and its model did.
  struct Joint {
    std::uint64_t readings = 0;
    double reading = 0.0;  ///< rad, the newest
    double since_s = 0.0;  ///< it has been the same since
    double low = 0.0;      ///< rad, of the model meanwhile
    double high = 0.0;
    double stuck_from = 0.0;    ///< s, of the longest time without a change while the model moved
    double stuck_until = 0.0;   ///< s
    double stuck_travel = 0.0;  ///< rad, of the model in that time
    double stuck_at = 0.0;      ///< rad
  };

  void check_time(const runtime::CycleInput& in);
  void check_readings(const runtime::CycleRecord& row);
  void end_rest(Joint& joint, double now_s) const;
  [[nodiscard]] double seconds_of(std::int64_t at_ns) const;

  RobotWiring wiring_;
  std::vector<Joint> joints_;
  std::uint64_t rows_ = 0;
  std::int64_t first_ns_ = 0;
  std::int64_t last_ns_ = 0;
  std::int64_t last_tick_ = 0;
  std::uint64_t set_back_ = 0;     // rows whose time did not rise
  std::uint64_t missing_ = 0;      // ticks that no row has
  std::uint64_t gaps_ = 0;         // places where they are missing
  std::optional<double> jump_at_;  // s; the first jump of the clock
  double jump_ = 0.0;              // s
  std::vector<double> changed_s_;  // ticks that took values of controllers while the motion played
  std::array<std::int64_t, kMaxBoards> sampled_ns_{};
};

/// The same of a whole record. Throws ConfigError for one that cannot be read.
std::vector<std::string> record_findings(const RunRecord& record);

/// What a comparison of two records has to consider: other robots, models, motions.
std::vector<std::string> pair_findings(const RunRecord& run, const RunRecord& baseline);

}  // namespace kagami::tools
