#pragma once

#include <string_view>

namespace kagami {

/// Closed interval of allowed values and their unit (empty = no unit).
struct Range {
  double min = 0.0;
  double max = 0.0;
  std::string_view unit = "";
};

}  // namespace kagami
