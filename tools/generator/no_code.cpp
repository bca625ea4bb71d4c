// The generator's own registries: it runs before there is generated code.
#include "models/hybrid/generated.hpp"
#include "models/hybrid/generated_blocks.hpp"

namespace kagami::models::hybrid {

const GeneratedTable* find_generated(std::uint64_t) noexcept {
  return nullptr;
}
const GeneratedTable* generated_at(int) noexcept {
  return nullptr;
}
const GeneratedBlocks* generated_blocks_at(int) noexcept {
  return nullptr;
}
bool has_wide_units() noexcept {
  return false;
}

}  // namespace kagami::models::hybrid
