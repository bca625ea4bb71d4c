/// How hard a test of random input tries: more under `./kagami test --long`.
#pragma once

#include <cstdlib>
#include <string_view>

namespace kagami::test {

/// KAGAMI_LONG=1, as `./kagami test --long` sets it.
inline bool is_long_run() {
  const char* value = std::getenv("KAGAMI_LONG");
  return value != nullptr && std::string_view(value) == "1";
}

/// `normal` rounds, a hundred times as many in a long run.
inline unsigned rounds(unsigned normal) {
  return is_long_run() ? 100 * normal : normal;
}

}  // namespace kagami::test
