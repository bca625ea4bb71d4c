#include "tools/tune/joint_test_result.hpp"

#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"

namespace kagami::tools {
namespace {

constexpr std::size_t kCurveEvery = 5;  // ticks, in JSON

nlohmann::json degrees(const std::vector<double>& curve, std::size_t every) {
  nlohmann::json values = nlohmann::json::array();
  for (std::size_t i = 0; i < curve.size(); i += every) values.push_back(to_deg(curve[i]));
  return values;
}

}  // namespace

Response readings_on_cycles(const ReadingCurve& readings, const Response& response) {
  Response seen{response.dt, response.reference, {}, to_rad(1.0)};
  const std::vector<double>& t = readings.time;
  std::size_t next = 0;
  for (std::size_t i = 0; i < response.reference.size(); ++i) {
    const double now = static_cast<double>(i) * response.dt;
    while (next < t.size() && t[next] < now) ++next;
    if (next == 0 || next == t.size()) {
      seen.angle.push_back(readings.angle[next == 0 ? 0 : next - 1]);
      continue;
    }
    const double share = (now - t[next - 1]) / (t[next] - t[next - 1]);
    seen.angle.push_back(readings.angle[next - 1] +
                         share * (readings.angle[next] - readings.angle[next - 1]));
  }
  return seen;
}

nlohmann::json joint_test_json(const JointTestResult& r, bool with_curves) {
  nlohmann::json j{{"kind", name_of(r.signal.kind)},
                   {"joint", r.joint},
                   {"size_deg", to_deg(r.signal.size)},
                   {"seconds", r.signal.seconds},
                   {"status", control::name(r.status)},
                   {"metrics", metrics_json(r.metrics, with_curves)},
                   {"measured", metrics_json(r.measured, false)}};
  if (!with_curves) return j;
  nlohmann::json reading_times = r.readings.time;
  j["curves"] = {{"dt_s", static_cast<double>(kCurveEvery) * r.response.dt},
                 {"reference_deg", degrees(r.response.reference, kCurveEvery)},
                 {"angle_deg", degrees(r.response.angle, kCurveEvery)},
                 {"target_deg", degrees(r.target, kCurveEvery)},
                 {"reading_s", reading_times},
                 {"reading_deg", degrees(r.readings.angle, 1)}};
  return j;
}

}  // namespace kagami::tools
