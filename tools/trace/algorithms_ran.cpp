#include "tools/trace/algorithms_ran.hpp"

#include <algorithm>

namespace kagami::tools {

void AlgorithmsRan::add(models::Algorithm algorithm) {
  if (std::find(ran_.begin(), ran_.end(), algorithm) == ran_.end()) ran_.push_back(algorithm);
}

std::string AlgorithmsRan::text() const {
  std::string text;
  for (const models::Algorithm a : ran_) text += (text.empty() ? "" : ", ") + std::string(name(a));
  return text;
}

std::vector<std::string> AlgorithmsRan::substitutes(models::Algorithm selected) const {
  std::vector<std::string> sentences;
  for (const models::Algorithm a : ran_) {
    if (a == selected || selected == models::Algorithm::kHybrid) continue;
    sentences.push_back(std::string(name(selected)) + ": " + name(a) +
                        " computed accelerations in its place (the result missed the equations of "
                        "motion by more than rounding, as with light links)");
  }
  return sentences;
}

}  // namespace kagami::tools
