/// How well a joint followed: the metrics that page, command line and autotune share. Definitions
/// with their limits: docs/tuning.md.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "tools/tune/spectrum.hpp"

namespace kagami::tools {

/// Reference and response of one joint, at equal steps.
struct Response {
  double dt = 1e-3;               ///< s from value to value
  std::vector<double> reference;  ///< rad
  std::vector<double> angle;      ///< rad, as long
  /// rad, smallest difference that the angles can show: 0 for a model's, a degree for a board's.
  double resolution = 0.0;
};

/// Empty: the curve does not show it.
struct StepMetrics {
  std::optional<double> rise;      ///< s from the first 10 % to the first 90 % of the step
  std::optional<double> delay;     ///< s until half of it
  double overshoot = 0.0;          ///< % of the step beyond its end, >= 0
  std::optional<double> settling;  ///< s until it stays within `band` of where it ends
  double band = 0.0;  ///< rad: 2 % of the step, at least 0.6 of the resolution: a reading of whole
                      ///< degrees cannot tell less
};

struct ResponseMetrics {
  std::optional<StepMetrics> step;  ///< of a reference that is one step
  double steady_error = 0.0;        ///< rad, mean of reference - angle over the last tenth
  double rms = 0.0;                 ///< rad, of reference - angle at the same times
  double peak_rate = 0.0;           ///< rad/s, largest over 10 ms
  std::optional<double> lag;  ///< s, shift with the least difference: a step's delay, else lag_of
  /// Share of the cycles at the law's or the gate's limit, 0..1; empty: not known.
  std::optional<double> saturation;
  Spectrum error;  ///< of reference - angle (rad)
};

/// Everything but `saturation`. Throws Error for curves of different length or under 20 values.
ResponseMetrics measure(const Response& response);
/// Of an answer to a step from `from` to `to` at time 0. Throws Error for from = to.
StepMetrics step_metrics(const Response& response, double from, double to);
/// The shift of the reference, 0..0.5 s, that leaves the least mean square difference, refined by a
/// parabola; empty when the reference stays within 1e-6 rad or the best is at the end of the range.
std::optional<double> lag_of(const Response& response);

/// {"rise_s", "delay_s", "overshoot_pct", "settling_s", "steady_error_deg", "rms_deg", ...}; the
/// spectrum up to 20 Hz with "peak_hz" and "peak_deg" when `with_spectrum`.
nlohmann::json metrics_json(const ResponseMetrics& metrics, bool with_spectrum = false);

}  // namespace kagami::tools
