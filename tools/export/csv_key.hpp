/// What the columns of the CSV of a run are, and what their numbers mean.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/channels/cycle_types.hpp"

namespace kagami::tools {

/// A number that stands for something, with its word.
struct CodedValue {
  int number = 0;
  std::string word;
  std::string meaning;
};

/// A column whose numbers, or whose words, stand for something.
struct CodedColumn {
  std::string name;
  std::vector<CodedValue> values;
};

/// "phase", "run_state", "stop", "control_status", "test": each with all its numbers; "events" with
/// all its words.
std::vector<CodedColumn> coded_columns();

/// The key as a table: column, unit, value, word, meaning. `controllers`: their keys, by place;
/// `gains`: names of the columns of tunables.
std::string csv_key_text(const std::vector<std::string>& controllers,
                         const std::vector<std::string>& gains);

}  // namespace kagami::tools
