#include "tools/analysis/series.hpp"

#include <algorithm>
#include <limits>

namespace kagami::tools {
namespace {

// one late tick, or a slow rate, is no loss
constexpr double kWidestStep = 0.06;  // s

}  // namespace

double value_at(const std::vector<double>& time, const std::vector<double>& value, double at) {
  const auto after = std::lower_bound(time.begin(), time.end(), at);
  if (after == time.end()) return std::numeric_limits<double>::quiet_NaN();
  const auto i = static_cast<std::size_t>(after - time.begin());
  if (*after == at) return value[i];
  if (i == 0) return std::numeric_limits<double>::quiet_NaN();
  const double step = time[i] - time[i - 1];
  const double mean_step = (time.back() - time.front()) / static_cast<double>(time.size() - 1);
  // a line over what was lost would be counted as an error
  if (step > std::max(kWidestStep, 4.0 * mean_step)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double share = (at - time[i - 1]) / step;
  return value[i - 1] + share * (value[i] - value[i - 1]);
}

}  // namespace kagami::tools
