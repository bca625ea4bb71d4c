/// Names of the algorithms of forward dynamics.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace kagami::models {

enum class Algorithm : std::uint8_t {
  kCrba,    ///< mass matrix and sparse Cholesky, O(n^3): the reference
  kAba,     ///< articulated bodies, O(n)
  kDca,     ///< divide and conquer, O(n)
  kAda,     ///< assembly and disassembly, O(n), all joint forces
  kHybrid,  ///< code generated ahead of time; ada serves where there is none
};

/// "crba", "aba", "dca", "ada", "hybrid"; ConfigError that lists them for anything else.
Algorithm algorithm(std::string_view name);
const char* name(Algorithm algorithm) noexcept;
/// All of them.
inline constexpr std::array<Algorithm, 5> kAlgorithms = {
    Algorithm::kCrba, Algorithm::kAba, Algorithm::kDca, Algorithm::kAda, Algorithm::kHybrid};

}  // namespace kagami::models
