/// Which program this is: for record headers and --version.
#pragma once

#include <string>

namespace kagami::runtime {

std::string program_version();   ///< "0.1.0"
std::string compiler_text();     ///< name and version of the compiler
std::string build_flags_text();  ///< build type and flags that may change bits

}  // namespace kagami::runtime
