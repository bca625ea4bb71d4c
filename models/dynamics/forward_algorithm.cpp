#include "models/dynamics/forward_algorithm.hpp"

#include <string>

#include "models/base/errors.hpp"

namespace kagami::models {

const char* name(Algorithm algorithm) noexcept {
  switch (algorithm) {
    case Algorithm::kCrba:
      return "crba";
    case Algorithm::kAba:
      return "aba";
    case Algorithm::kDca:
      return "dca";
    case Algorithm::kAda:
      return "ada";
    case Algorithm::kHybrid:
      return "hybrid";
  }
  return "unknown";
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
