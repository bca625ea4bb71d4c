/// Gain sets as texts again: a file with the changed values.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "control/core/controller.hpp"

namespace kagami::control {

/// The description that a written set has of itself.
struct GainSetHeader {
  std::string name;
  std::string note;
  std::string date;  ///< year-month-day
};

/// `text`: the set (kagami.gains/1) that the controller was built from; `tunables` and `values`:
/// the controller's, all of them. The same set with other values, all digits. A PID's gains are
/// written per joint, in the form that the file has for it where that form gives them exactly, else
/// in the parallel one. Throws ConfigError for a tunable that the file has no place for. Set-up.
std::string gain_text(const std::string& text, std::span<const Tunable> tunables,
                      std::span<const double> values, const GainSetHeader& head);

}  // namespace kagami::control
