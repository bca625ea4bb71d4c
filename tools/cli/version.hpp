/// Which build this is.
#pragma once

#include <string>

namespace kagami::tools {

/// "0.1.0"
std::string version_number();
/// "kagami 0.1.0 (g++ 12.2.0)"
std::string version_text();

}  // namespace kagami::tools
