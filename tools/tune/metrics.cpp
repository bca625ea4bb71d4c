#include "tools/tune/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"

namespace kagami::tools {
namespace {

constexpr std::size_t kFewest = 20;     // values
constexpr double kLongestLag = 0.5;     // s
constexpr double kRateSpan = 0.01;      // s
constexpr double kStillness = 1e-6;     // rad
constexpr double kSpectrumEnd = 20.0;   // Hz, in files
constexpr double kBand = 0.02;          // of the step
constexpr double kBandOfReading = 0.6;  // of the resolution

void check(const Response& r) {
  if (r.reference.size() == r.angle.size() && r.angle.size() >= kFewest && r.dt > 0.0) return;
  throw Error("metrics: " + std::to_string(r.reference.size()) + " references and " +
              std::to_string(r.angle.size()) + " angles at steps of " + std::to_string(r.dt) +
              " s, expected equal numbers, at least " + std::to_string(kFewest));
}

std::size_t tail_begin(const Response& r) {
  return r.angle.size() - std::max<std::size_t>(1, r.angle.size() / 10);
}

double mean_of_tail(const Response& r, const std::vector<double>& curve) {
  double sum = 0.0;
  for (std::size_t i = tail_begin(r); i < curve.size(); ++i) sum += curve[i];
  return sum / static_cast<double>(curve.size() - tail_begin(r));
}

// first time at which the share of the step is reached, between two values on a straight line
std::optional<double> reached(const Response& r, double from, double to, double share) {
  const auto done = [&](std::size_t i) { return (r.angle[i] - from) / (to - from); };
  if (done(0) >= share) return 0.0;
  for (std::size_t i = 1; i < r.angle.size(); ++i) {
    if (done(i) < share) continue;
    const double part = (share - done(i - 1)) / (done(i) - done(i - 1));
    return r.dt * (static_cast<double>(i - 1) + part);
  }
  return std::nullopt;
}

// mean square of reference(t - shift) - angle(t) over the times that every shift has
double difference(const Response& r, std::size_t shift, std::size_t longest) {
  double sum = 0.0;
  for (std::size_t i = longest; i < r.angle.size(); ++i) {
    const double e = r.reference[i - shift] - r.angle[i];
    sum += e * e;
  }
  return sum / static_cast<double>(r.angle.size() - longest);
}

// a reference that jumps once, at its beginning, and stays
std::optional<StepMetrics> as_step(const Response& r) {
  const double from = r.reference.front();
  const double to = r.reference.back();
  if (std::abs(to - from) < kStillness) return std::nullopt;
  for (std::size_t i = 1; i < r.reference.size(); ++i) {
    if (r.reference[i] != to) return std::nullopt;
  }
  return step_metrics(r, from, to);
}

nlohmann::json or_null(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

}  // namespace

StepMetrics step_metrics(const Response& r, double from, double to) {
  check(r);
  const double size = std::abs(to - from);
  if (!(size > 0.0)) throw Error("metrics: the step has the size 0");
  StepMetrics m;
  m.delay = reached(r, from, to, 0.5);
  const std::optional<double> begin = reached(r, from, to, 0.1);
  const std::optional<double> end = reached(r, from, to, 0.9);
  if (begin && end) m.rise = *end - *begin;
  const double way = to > from ? 1.0 : -1.0;
  for (const double angle : r.angle) {
    m.overshoot = std::max(m.overshoot, 100.0 * way * (angle - to) / size);
  }
  // whole degrees: beyond the end by less than one of them means nothing
  if (m.overshoot < 50.0 * r.resolution / size) m.overshoot = 0.0;
  m.band = std::max(kBand * size, kBandOfReading * r.resolution);
  const double last = mean_of_tail(r, r.angle);
  std::size_t outside = r.angle.size();
  while (outside > 0 && std::abs(r.angle[outside - 1] - last) <= m.band) --outside;
  if (outside < tail_begin(r)) m.settling = r.dt * static_cast<double>(outside);
  return m;
}

std::optional<double> lag_of(const Response& r) {
  check(r);
  const auto [low, high] = std::minmax_element(r.reference.begin(), r.reference.end());
  if (*high - *low < kStillness) return std::nullopt;
  const auto longest =
      std::min<std::size_t>(static_cast<std::size_t>(kLongestLag / r.dt), r.angle.size() / 2);
  std::vector<double> at(longest + 1);
  for (std::size_t shift = 0; shift <= longest; ++shift) at[shift] = difference(r, shift, longest);
  const auto best = static_cast<std::size_t>(std::min_element(at.begin(), at.end()) - at.begin());
  if (best == longest) return std::nullopt;
  double refined = static_cast<double>(best);
  if (best > 0) {
    const double bend = at[best - 1] - 2.0 * at[best] + at[best + 1];
    if (bend > 0.0) refined += 0.5 * (at[best - 1] - at[best + 1]) / bend;
  }
  return refined * r.dt;
}

ResponseMetrics measure(const Response& r) {
  check(r);
  ResponseMetrics m;
  const std::size_t n = r.angle.size();
  std::vector<double> error(n);
  double squares = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    error[i] = r.reference[i] - r.angle[i];
    squares += error[i] * error[i];
  }
  m.rms = std::sqrt(squares / static_cast<double>(n));
  m.steady_error = mean_of_tail(r, error);
  const auto span = std::clamp<std::size_t>(static_cast<std::size_t>(kRateSpan / r.dt), 1, n - 1);
  for (std::size_t i = span; i < n; ++i) {
    const double rate = (r.angle[i] - r.angle[i - span]) / (static_cast<double>(span) * r.dt);
    m.peak_rate = std::max(m.peak_rate, std::abs(rate));
  }
  m.step = as_step(r);
  m.lag = m.step ? m.step->delay : lag_of(r);
  m.error = spectrum_of(error, r.dt);
  return m;
}

nlohmann::json metrics_json(const ResponseMetrics& m, bool with_spectrum) {
  nlohmann::json j{{"rms_deg", to_deg(m.rms)},
                   {"steady_error_deg", to_deg(m.steady_error)},
                   {"peak_rate_deg_s", to_deg(m.peak_rate)},
                   {"lag_s", or_null(m.lag)},
                   {"saturation", or_null(m.saturation)},
                   {"peak_hz", m.error.peak_hz},
                   {"peak_deg", to_deg(m.error.peak)}};
  const StepMetrics step = m.step.value_or(StepMetrics{});
  j["rise_s"] = or_null(step.rise);
  j["delay_s"] = or_null(step.delay);
  j["settling_s"] = or_null(step.settling);
  j["overshoot_pct"] = m.step ? nlohmann::json(step.overshoot) : nlohmann::json(nullptr);
  j["settling_band_deg"] = m.step ? nlohmann::json(to_deg(step.band)) : nlohmann::json(nullptr);
  if (!with_spectrum) return j;
  nlohmann::json lines = nlohmann::json::array();
  for (std::size_t k = 0; k < m.error.amplitude.size(); ++k) {
    if (static_cast<double>(k) * m.error.resolution > kSpectrumEnd) break;
    lines.push_back(to_deg(m.error.amplitude[k]));
  }
  j["spectrum"] = {{"resolution_hz", m.error.resolution}, {"amplitude_deg", lines}};
  return j;
}

}  // namespace kagami::tools
