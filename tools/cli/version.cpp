#include "tools/cli/version.hpp"

namespace kagami::tools {
namespace {

std::string compiler() {
#if defined(__clang__)
  return "clang " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__);
#else
  return "g++ " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__);
#endif
}

}  // namespace

std::string version_number() {
  return KAGAMI_VERSION;
}

std::string version_text() {
  return "kagami " + version_number() + " (" + compiler() + ")";
}

}  // namespace kagami::tools
