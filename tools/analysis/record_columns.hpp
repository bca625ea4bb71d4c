/// A record as whole columns, for array libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/analysis/reading_pairs.hpp"
#include "tools/analysis/run_record.hpp"

namespace kagami::tools {

/// One event of the cycle with its time.
struct RecordedEvent {
  double time = 0.0;  ///< s since the first row
  std::string name;   ///< event_name
  int joint = -1;     ///< model order; a board where the event has one; -1: none
  double value = 0.0;
  std::string level;     ///< "info", "warning", "error"
  std::string sentence;  ///< for people
};

/// The lines of CycleLines, a column each; those with joints row after row. Angles in rad, NaN
/// where there is no value.
struct RecordColumns {
  std::size_t num_joints = 0;
  std::vector<double> time;  ///< s since the first row, rising
  std::vector<std::uint8_t> phase;
  std::vector<double> motion_time;  ///< s
  std::vector<double> reference;
  std::vector<double> command;
  std::vector<double> simulated;
  std::vector<double> measured;
  std::vector<double> residual;
  std::vector<double> torque;  ///< N m
  std::vector<RecordedEvent> events;
};

/// Called repeatedly while a record is read; an exception from it ends the reading.
using Between = std::function<void()>;

/// Throws ConfigError for a record that cannot be read.
RecordColumns read_columns(const RunRecord& record, const Between& between);

/// The readings of one joint that `compare` counts; times since the first row.
using ComparedReadings = ReadingPairs;
/// In model order. Throws ConfigError for a record that cannot be read.
std::vector<ComparedReadings> read_compared(const RunRecord& record, const Between& between);

}  // namespace kagami::tools
