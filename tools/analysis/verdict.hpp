/// Joints of a comparison, each within a tolerance or not.
#pragma once

#include <string>
#include <vector>

#include "tools/analysis/compare.hpp"

namespace kagami::tools {

struct JointVerdict {
  std::string name;
  double value_deg = 0.0;  ///< what was judged
  bool passed = true;
  std::string text;  ///< "RMS 2.31 deg, allowed 2.00"
};

/// Every joint with readings: its RMS against the tolerance.
std::vector<JointVerdict> verdicts(const Comparison& run, double tolerance_deg);
/// Every joint that both have: how far its RMS or its bias moved, whichever moved more.
std::vector<JointVerdict> verdicts(const Comparison& run, const Comparison& baseline,
                                   double tolerance_deg);

/// There is something to judge, and all of it passed.
bool all_passed(const std::vector<JointVerdict>& all);
/// "left_knee 2.31, right_knee 2.02": those that failed.
std::string failures_text(const std::vector<JointVerdict>& all);
/// Both have the same joints, readings and differences.
bool are_equal(const Comparison& a, const Comparison& b);

/// JUnit XML, one test case a joint.
std::string junit_text(const std::string& suite, const std::vector<JointVerdict>& all);

}  // namespace kagami::tools
