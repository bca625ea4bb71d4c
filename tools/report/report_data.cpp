#include "tools/report/report_data.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/base/angle.hpp"
#include "tools/analysis/reading_pairs.hpp"

namespace kagami::tools {
namespace {

/// Place of the joint in the baseline, -1 = it has none of this name.
std::ptrdiff_t place_in_baseline(const ReportData& data, std::size_t joint) {
  if (!data.baseline) return -1;
  const std::vector<JointComparison>& others = data.baseline->comparison.joints;
  const std::string& name = data.run.comparison.joints[joint].name;
  const auto same = std::find_if(others.begin(), others.end(),
                                 [&](const JointComparison& other) { return other.name == name; });
  return same == others.end() ? -1 : same - others.begin();
}

}  // namespace

void add_differences(const RunSeries& series, RunCourse& course) {
  for (std::size_t j = 0; j < std::min(series.joints.size(), course.curves.size()); ++j) {
    const ReadingPairs pairs = reading_pairs(series, j);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      course.curves[j].difference.add(pairs.time[i], to_deg(pairs.difference(i)));
    }
  }
}

std::vector<std::size_t> by_error(const Comparison& comparison) {
  std::vector<std::size_t> order(comparison.joints.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return comparison.joints[a].rms_deg.value_or(-1.0) >
           comparison.joints[b].rms_deg.value_or(-1.0);
  });
  return order;
}

const JointCurves* baseline_curves(const ReportData& data, std::size_t joint) {
  const std::ptrdiff_t place = place_in_baseline(data, joint);
  if (place < 0 || static_cast<std::size_t>(place) >= data.baseline->course.curves.size()) {
    return nullptr;
  }
  return &data.baseline->course.curves[static_cast<std::size_t>(place)];
}

const JointComparison* baseline_of(const ReportData& data, std::size_t joint) {
  const std::ptrdiff_t place = place_in_baseline(data, joint);
  return place < 0 ? nullptr : &data.baseline->comparison.joints[static_cast<std::size_t>(place)];
}

double baseline_shift(const ReportData& data) {
  if (!data.baseline) return 0.0;
  return data.run.course.began.value_or(0.0) - data.baseline->course.began.value_or(0.0);
}

bool has_values(const Envelope& envelope) {
  return !std::isnan(envelope.range().first);
}

}  // namespace kagami::tools
