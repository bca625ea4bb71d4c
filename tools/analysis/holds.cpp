#include "tools/analysis/holds.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "models/base/angle.hpp"

namespace kagami::tools {
namespace {

constexpr double kStillRange = to_rad(0.5);  // rad
constexpr double kShortestHold = 0.5;        // s
constexpr double kArrival = 0.3;             // s
constexpr double kDeparture = 0.1;           // s, in which the next move has begun
constexpr double kOtherPose = to_rad(2.0);   // rad
constexpr std::size_t kFewestInHold = 5;

struct Hold {
  double angle = 0.0;       // rad, of the model
  double difference = 0.0;  // rad, mean
  double seconds = 0.0;
};

/// One past the last reading of the hold that begins at `first`.
std::size_t end_of_hold(const ReadingPairs& pairs, std::size_t first) {
  double least = pairs.simulated[first];
  double most = least;
  std::size_t end = first;
  for (; end < pairs.size(); ++end) {
    least = std::min(least, pairs.simulated[end]);
    most = std::max(most, pairs.simulated[end]);
    if (most - least > kStillRange) break;
  }
  return end;
}

std::optional<Hold> settled_part(const ReadingPairs& pairs, std::size_t first, std::size_t end) {
  const double begin = pairs.time[first] + kArrival;
  const double last = pairs.time[end - 1] - kDeparture;
  Hold hold{pairs.simulated[end - 1]};
  std::size_t readings = 0;
  for (std::size_t i = first; i < end; ++i) {
    if (pairs.time[i] < begin || pairs.time[i] > last) continue;
    hold.difference += pairs.difference(i);
    ++readings;
  }
  if (readings < kFewestInHold) return std::nullopt;
  hold.difference /= static_cast<double>(readings);
  hold.seconds = last - begin;
  return hold;
}

std::optional<double> spread_of(const std::vector<Hold>& holds, double mean) {
  const auto [least, most] = std::minmax_element(
      holds.begin(), holds.end(), [](const Hold& a, const Hold& b) { return a.angle < b.angle; });
  if (most->angle - least->angle < kOtherPose) return std::nullopt;
  double square = 0.0;
  for (const Hold& hold : holds) square += std::pow(hold.difference - mean, 2);
  return std::sqrt(square / static_cast<double>(holds.size()));
}

}  // namespace

std::optional<Holds> find_holds(const ReadingPairs& pairs) {
  std::vector<Hold> holds;
  for (std::size_t first = 0; first < pairs.size();) {
    const std::size_t end = end_of_hold(pairs, first);
    const bool is_long = pairs.time[end - 1] - pairs.time[first] >= kShortestHold;
    if (is_long) {
      if (const auto hold = settled_part(pairs, first, end)) holds.push_back(*hold);
    }
    first = is_long ? end : first + 1;
  }
  if (holds.empty()) return std::nullopt;
  Holds result;
  result.count = holds.size();
  for (const Hold& hold : holds) {
    result.seconds += hold.seconds;
    result.bias += hold.difference / static_cast<double>(holds.size());
  }
  result.spread = spread_of(holds, result.bias);
  return result;
}

}  // namespace kagami::tools
