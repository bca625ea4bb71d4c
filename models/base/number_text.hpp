#pragma once

#include <string>

namespace kagami {

/// A number as people write it: shortest text that reads back the same, "0.5", "-2", "1e-06".
std::string number_text(double value);

}  // namespace kagami
