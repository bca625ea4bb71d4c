#include "tools/tune/strokes.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/angle.hpp"

namespace kagami::tools {
namespace {

constexpr double kStanding = 0.1;    // s
constexpr double kAtRest = 0.1;      // of the stroke
constexpr double kStillness = 1e-6;  // rad

}  // namespace

std::vector<Stroke> strokes_of(const std::vector<double>& reference, double dt) {
  std::vector<Stroke> strokes;
  if (reference.empty()) return strokes;
  const double back = to_rad(1.0);
  const auto standing = static_cast<std::size_t>(std::lround(kStanding / dt));
  Stroke now{0, 0, reference[0], reference[0]};
  bool moves = false;
  for (std::size_t i = 1; i < reference.size(); ++i) {
    const double r = reference[i];
    if (!moves) {
      moves = std::abs(r - now.from) > kStillness;
      if (!moves) now.begin = i;
      now.end = i;
      now.to = r;
      continue;
    }
    const double way = now.to > now.from ? 1.0 : -1.0;
    const double further = way * (r - now.to);
    if (further > kStillness) {
      now.end = i;
      now.to = r;
    } else if (-further > back) {
      strokes.push_back(now);
      now = {now.end, i, now.to, r};
    } else if (std::abs(further) <= kStillness && i - now.end >= standing) {
      strokes.push_back(now);
      now = {i, i, r, r};
      moves = false;
    }
  }
  if (moves) strokes.push_back(now);
  return strokes;
}

double stroke_overshoot(const Response& response, double least) {
  const std::vector<Stroke> strokes = strokes_of(response.reference, response.dt);
  double most = 0.0;
  for (std::size_t k = 0; k < strokes.size(); ++k) {
    const Stroke& s = strokes[k];
    const double length = std::abs(s.to - s.from);
    if (length < least || length == 0.0) continue;
    const double way = s.to > s.from ? 1.0 : -1.0;
    std::size_t until = response.angle.size();
    if (k + 1 < strokes.size()) {
      const Stroke& next = strokes[k + 1];
      until = way * (next.to - next.from) > 0.0 ? next.begin + 1 : next.end;
    }
    // a joint that is still on its way from the stroke before is late: that is no overshoot of this
    if (std::abs(response.angle[s.begin] - s.from) > kAtRest * length) continue;
    for (std::size_t i = s.end; i < until; ++i) {
      most = std::max(most, 100.0 * way * (response.angle[i] - s.to) / length);
    }
  }
  return most;
}

}  // namespace kagami::tools
