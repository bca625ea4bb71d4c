#include "runtime/threads/build_info.hpp"

namespace kagami::runtime {

std::string program_version() {
  return KAGAMI_VERSION;
}

std::string compiler_text() {
#ifdef __clang__
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

std::string build_flags_text() {
  return KAGAMI_BUILD_FLAGS;
}

}  // namespace kagami::runtime
