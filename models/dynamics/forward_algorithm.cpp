#include "models/dynamics/forward_algorithm.hpp"

#include <string>

#include "models/base/errors.hpp"

namespace kagami::models {

const char* name(Algorithm algorithm) noexcept {
  // in the order of Algorithm
  constexpr const char* kNames[] = {"crba", "aba", "dca", "ada", "hybrid"};
  return kNames[static_cast<std::size_t>(algorithm)];
}

Algorithm algorithm(std::string_view text) {
  std::string names;
  for (const Algorithm a : kAlgorithms) {
    if (text == name(a)) return a;
    names += (names.empty() ? "" : ", ") + std::string(name(a));
  }
  throw ConfigError("algorithm '" + std::string(text) + "', expected one of " + names);
}

Force ForwardAlgorithm::joint_force(BodyIndex) const noexcept {
  return Force{};
}

}  // namespace kagami::models
