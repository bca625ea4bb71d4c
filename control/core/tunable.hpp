/// A parameter that may be changed while a controller runs: its description, its range and a value
/// of it.
#pragma once

#include <string>

namespace kagami::control {

struct Tunable {
  std::string name;  ///< "left_knee/kp"
  double min = 0.0;
  double max = 0.0;
  std::string unit;            ///< "1/s"; empty: none
  std::string text{};          ///< what it does, for a person: "proportional gain"
  std::string path{};          ///< JSON pointer to it in its gain set; empty: see gain_writer.hpp
  double default_value = 0.0;  ///< of the gain set that the controller was built from

  /// In the range; false for NaN. Cycle code.
  [[nodiscard]] bool takes(double value) const noexcept { return value >= min && value <= max; }
};

/// What a value should be that the tunable does not take: "0..1000 1/s"; empty: it takes it.
/// Set-up.
std::string expected_instead(const Tunable& tunable, double value);

/// A value of the tunable with this name.
struct TunableValue {
  std::string name;
  double value = 0.0;
  bool operator==(const TunableValue&) const = default;
};

}  // namespace kagami::control
