/// Which algorithms computed the accelerations of an answer.
#pragma once

#include <string>
#include <vector>

#include "models/forward/forward_dynamics.hpp"

namespace kagami::tools {

/// In the order of their first use.
class AlgorithmsRan {
 public:
  void add(models::Algorithm algorithm);
  /// Their names, separated by commas; empty: none ran.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] const std::vector<models::Algorithm>& list() const noexcept { return ran_; }
  /// One sentence for each that replaced the selected one. None where hybrid was
  /// selected: that it has no code is reported when the robot is read.
  [[nodiscard]] std::vector<std::string> substitutes(models::Algorithm selected) const;

 private:
  std::vector<models::Algorithm> ran_;
};

}  // namespace kagami::tools
