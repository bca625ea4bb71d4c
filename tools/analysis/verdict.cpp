#include "tools/analysis/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/analysis/html.hpp"

namespace kagami::tools {
namespace {

JointVerdict judged(const std::string& name, const char* what, double value_deg,
                    double tolerance_deg) {
  return {name, value_deg, value_deg <= tolerance_deg,
          fmt::format("{} {:.2f} deg, allowed {:.2f} deg", what, value_deg, tolerance_deg)};
}

}  // namespace

std::vector<JointVerdict> verdicts(const Comparison& run, double tolerance_deg) {
  std::vector<JointVerdict> all;
  for (const JointComparison& joint : run.joints) {
    if (joint.samples > 0) all.push_back(judged(joint.name, "RMS", *joint.rms_deg, tolerance_deg));
  }
  return all;
}

std::vector<JointVerdict> verdicts(const Comparison& run, const Comparison& baseline,
                                   double tolerance_deg) {
  std::vector<JointVerdict> all;
  for (const JointChange& change : changes(run, baseline)) {
    if (!change.rms_deg || !change.bias_deg) continue;
    const double rms = std::abs(*change.rms_deg);
    const double bias = std::abs(*change.bias_deg);
    all.push_back(rms >= bias ? judged(change.name, "RMS changed by", rms, tolerance_deg)
                              : judged(change.name, "bias changed by", bias, tolerance_deg));
  }
  return all;
}

bool all_passed(const std::vector<JointVerdict>& all) {
  return !all.empty() &&
         std::all_of(all.begin(), all.end(), [](const JointVerdict& v) { return v.passed; });
}

std::string failures_text(const std::vector<JointVerdict>& all) {
  std::string text;
  for (const JointVerdict& v : all) {
    if (v.passed) continue;
    text += (text.empty() ? "" : ", ") + fmt::format("{} {:.2f}", v.name, v.value_deg);
  }
  return text;
}

bool are_equal(const Comparison& a, const Comparison& b) {
  const auto same = [](const JointComparison& x, const JointComparison& y) {
    return x.name == y.name && x.samples == y.samples && x.rms_deg == y.rms_deg &&
           x.max_deg == y.max_deg && x.bias_deg == y.bias_deg && x.lag_ms == y.lag_ms;
  };
  return a.joints.size() == b.joints.size() &&
         std::equal(a.joints.begin(), a.joints.end(), b.joints.begin(), same);
}

std::string junit_text(const std::string& suite, const std::vector<JointVerdict>& all) {
  const auto failed =
      std::count_if(all.begin(), all.end(), [](const JointVerdict& v) { return !v.passed; });
  std::string xml = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n",
      html_escaped(suite), all.size(), failed);
  for (const JointVerdict& v : all) {
    xml +=
        fmt::format("  <testcase classname=\"kagami.compare\" name=\"{}\">", html_escaped(v.name));
    if (!v.passed) xml += "<failure message=\"" + html_escaped(v.text) + "\"/>";
    xml += "</testcase>\n";
  }
  return xml + "</testsuite>\n";
}

}  // namespace kagami::tools
