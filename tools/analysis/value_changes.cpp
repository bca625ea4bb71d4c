#include "tools/analysis/value_changes.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kagami::tools {

std::vector<double> values_of(const runtime::Tuning& set) {
  const auto count =
      std::clamp<std::ptrdiff_t>(set.num_values, 0, static_cast<std::ptrdiff_t>(set.values.size()));
  return {set.values.begin(), set.values.begin() + count};
}

std::vector<ValueDifference> differences(const std::vector<std::string>& names,
                                         const std::vector<double>& before,
                                         const std::vector<double>& now) {
  std::vector<ValueDifference> all;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const bool is_known = i < before.size();
    if (is_known && before[i] == now[i]) continue;
    all.push_back({names.size() == now.size() ? names[i] : std::to_string(i + 1),
                   is_known ? std::optional(before[i]) : std::nullopt, now[i]});
  }
  return all;
}

std::string differences_text(const std::vector<ValueDifference>& all) {
  const auto number = [](double value) { return nlohmann::json(value).dump(); };
  std::string text;
  for (const ValueDifference& d : all) {
    text += (text.empty() ? "" : ", ") + d.name + " " + (d.from ? number(*d.from) + " -> " : "") +
            number(d.to);
  }
  return text;
}

}  // namespace kagami::tools
