#include "runtime/app/live_answer.hpp"

#include <utility>

#include "models/base/number_text.hpp"

namespace kagami::runtime {

LiveAnswer LiveAnswer::refuse(std::string name, double value, std::string expected) {
  return {.ticket = 0, .refusal = LiveRefusal{std::move(name), value, std::move(expected)}};
}

std::string LiveAnswer::sentence() const {
  if (!refusal) return {};
  return refusal->name + ": " +
         (refusal->value == 0.0 ? "" : number_text(refusal->value) + " is ") +
         "refused, expected " + refusal->expected;
}

}  // namespace kagami::runtime
