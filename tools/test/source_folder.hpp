/// The source tree, whose data the tests use.
#pragma once

#include <filesystem>

namespace kagami::test {

inline const std::filesystem::path kSource = KAGAMI_SOURCE_DIR;

}  // namespace kagami::test
