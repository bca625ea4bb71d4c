/// The health of a robot over its runs: what its servos showed in each, and how that changes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/gap/explain.hpp"

namespace kagami::tools {

/// What is followed from run to run.
enum class HealthValue : std::uint8_t {
  kTrim,      ///< rad, of the robot's servo
  kBacklash,  ///< rad
  kFriction,  ///< N m, dry friction
  kGap,       ///< rad, RMS of measured minus simulated
};
inline constexpr std::array kHealthValues = {HealthValue::kTrim, HealthValue::kBacklash,
                                             HealthValue::kFriction, HealthValue::kGap};

/// How it is printed, and the change that people care about.
struct HealthScale {
  const char* name = "";  ///< "trim"
  const char* unit = "";
  double per_unit = 1.0;  ///< printed value of 1 in SI units
  int decimals = 2;
  double notable = 0.0;  ///< SI, a change over all runs
};
HealthScale health_scale(HealthValue value) noexcept;

/// One value of one joint in one run, SI. Empty: the run does not show it.
struct HealthReading {
  std::optional<double> value;
  std::optional<double> uncertainty;  ///< one standard deviation; empty: not known
};
using JointHealth = std::array<HealthReading, kHealthValues.size()>;

/// What an explained run shows of each joint. A value is the model's own with the cause that was
/// found in it. A joint has none without readings, or where it turns the other way, moves as
/// another one or is jammed; a parameter has none that a usual amount would not have shown, or that
/// explains as much as the cause that was found.
std::vector<JointHealth> health_of(const std::vector<JointExplanation>& joints);

struct HealthRun {
  std::string record;
  std::int64_t started_unix_ns = 0;
  std::string motion;
  std::optional<double> gap;        ///< rad RMS over all readings
  std::vector<JointHealth> joints;  ///< in the order of the history's names
};

/// A record that takes no part.
struct LeftOut {
  std::string record;
  std::string why;
};

struct HealthHistory {
  std::string robot;
  std::vector<std::string> joints;
  std::vector<HealthRun> runs;  ///< by their dates
  std::vector<LeftOut> left_out;
};

/// How a value of a joint changes, SI. The trend is a straight line over the places of the runs.
struct HealthTrend {
  std::size_t runs = 0;  ///< that show the value
  std::optional<double> first;
  std::optional<double> last;
  std::optional<double> change;
  std::optional<double> per_run;      ///< with two runs or more
  std::optional<double> uncertainty;  ///< of per_run, one standard deviation; three or more
  bool is_notable = false;            ///< the line rises or falls by chance in less than 5 %
                                      ///< of cases, and by a notable amount over all runs
};
HealthTrend health_trend(const HealthHistory& history, std::size_t joint, HealthValue value);

}  // namespace kagami::tools
