/// What happened in a run besides the motion: falls, faults, clamped targets, restarts.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "runtime/channels/cycle_types.hpp"

namespace kagami::tools {

/// Warnings and errors of one kind at one joint.
struct Happening {
  runtime::EventCode code = runtime::EventCode::kNone;
  std::string where;     ///< joint or board; "" = the whole robot
  double first_s = 0.0;  ///< since the first sample
  std::size_t count = 0;
};

/// Counts the warnings and errors in rows that are added in the order of their ticks.
class HappeningCollector {
 public:
  explicit HappeningCollector(std::vector<std::string> joint_names);

  void add(const runtime::CycleRecord& row);
  /// In the order in which they began.
  [[nodiscard]] std::vector<Happening> take() const;

 private:
  std::vector<std::string> joint_names_;
  bool has_rows_ = false;
  std::int64_t first_ns_ = 0;
  std::map<std::pair<runtime::EventCode, int>, Happening> all_;
};

/// "Happened: rate clamped at left_knee, right_knee (7 times, first at 2.31 s); model fell (at
/// 4.02 s)." or "Happened: no fall, fault or clamped target."
std::string happenings_sentence(const std::vector<Happening>& all);
/// "info", "warning" or "error".
const char* event_level_name(runtime::EventLevel level) noexcept;
/// [{"event", "where", "first_s", "count"}]
nlohmann::json happenings_json(const std::vector<Happening>& all);

}  // namespace kagami::tools
