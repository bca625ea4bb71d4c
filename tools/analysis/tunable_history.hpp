/// Names and values of the controllers' tunables through a run, also of controllers that came while
/// it went on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/app/assemble.hpp"
#include "runtime/app/controller_list.hpp"
#include "tools/analysis/run_record.hpp"

namespace kagami::tools {

/// A controller that was taken over at a row.
struct TakenController {
  std::string key;       ///< "pid_2"
  std::string gains;     ///< name of its gain set
  std::string replaced;  ///< key of the one in whose place it came; "": a further one
};

/// Takes the rows of a run in their order. Without what the controllers were built from it knows
/// no names.
class TunableHistory {
 public:
  /// The record must outlive it.
  explicit TunableHistory(const RunRecord& record);

  /// "pid/left_knee/kp" of all controllers, in the present order; empty: not known.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// In the order of the names.
  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  [[nodiscard]] std::vector<std::string> controllers() const { return list_.keys(); }
  /// What the sentences of events call controllers, gains and motions; empty: not known.
  [[nodiscard]] runtime::EventNames event_names() const {
    return setup_ ? list_.event_names(*setup_) : runtime::EventNames{};
  }

  /// The next row. Afterwards names and values are those that hold from its tick on.
  void add(const runtime::CycleRecord& row);
  /// Of the newest row.
  [[nodiscard]] const std::optional<TakenController>& taken() const { return taken_; }

 private:
  void take_over(const runtime::CycleInput& in);

  const RunRecord& record_;
  std::optional<runtime::RunSetup> setup_;
  runtime::ControllerList list_;
  std::uint32_t layout_ = 0;
  std::vector<std::string> names_;
  std::vector<double> values_;
  std::optional<TakenController> taken_;
};

/// Every name that a run's tunables have at some time, those of the start first. Reads the record
/// through if controllers were added.
std::vector<std::string> all_tunables(const RunRecord& record);

}  // namespace kagami::tools
