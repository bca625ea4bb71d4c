/// The oracles' files, and numbers of two JSON answers against each other.
#pragma once

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

namespace kagami::test {

/// Folder of the oracles' files.
inline const std::string kOracles = KAGAMI_SOURCE_DIR "/models/test/data/";

/// Largest difference of two numbers or two nests of numbers; infinite where their shapes differ.
inline double difference(const nlohmann::json& a, const nlohmann::json& b) {
  if (a.is_number() && b.is_number()) return std::abs(a.get<double>() - b.get<double>());
  if (!a.is_array() || a.size() != b.size()) return INFINITY;
  double worst = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, difference(a[i], b[i]));
  return worst;
}

/// Largest size of the numbers in a nest, at least 1: what a difference is measured against.
inline double largest(const nlohmann::json& a) {
  if (a.is_number()) return std::max(1.0, std::abs(a.get<double>()));
  double worst = 1.0;
  for (const nlohmann::json& x : a) worst = std::max(worst, largest(x));
  return worst;
}

}  // namespace kagami::test
