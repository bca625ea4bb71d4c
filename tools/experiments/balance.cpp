// Balance strategies of the HOAP-2: Takahashi 2012, section 6.3, Figs. 6.6 and 6.8.
// Gravity is compensated (the printed springs cannot carry it), the ankle's sign and n31 are
// corrected (docs/math/reaction_null_space.md). Masses are of a like model: signs and bounds count,
// those of O12, another program's run of the same scene; where a number is required, a quarter.
#include <algorithm>
#include <cmath>
#include <limits>

#include "models/spatial/vectors.hpp"
#include "tools/experiments/balance_scene.hpp"
#include "tools/experiments/measures.hpp"
#include "tools/experiments/registry.hpp"

namespace kagami::tools {
namespace {

using models::kNaN;
constexpr double kAfter = 0.005;  // s after the push from which the soles must hold it

// the trunk's frame is in the right hip (m)
const ShoulderPush kLeftHand{-7.0, Vec3(0.18, 0.139, 0.15)};
const ShoulderPush kRightShoulder{10.0, Vec3(-0.05, -0.041, 0.17)};

/// What a run shows.
struct PushResponse {
  double correlation = 0.0;   ///< of Ly and Lz, for 1 s from the push on
  double yaw = 0.0;           ///< deg, largest
  double pitch = 0.0;         ///< deg, largest
  double com = 0.0;           ///< mm, largest way along x
  double zmp_out = 0.0;       ///< mm outside the soles, push and kAfter apart
  double zmp_out_push = 0.0;  ///< mm, while it acts and kAfter
  double zmp_back = 0.0;      ///< mm, farthest back
  double zmp_front = 0.0;     ///< mm
  double margin = 0.0;        ///< mm, the capture point's least
  double end_turn = 0.0;      ///< deg, 3 s after the push began; NaN: not that far
};

double correlation_of(const Trace& trace, const ShoulderPush& push) {
  const std::size_t y = trace.index("Ly");
  const std::size_t z = trace.index("Lz");
  double n = 0.0, sy = 0.0, sz = 0.0, syy = 0.0, szz = 0.0, syz = 0.0;
  for (const std::vector<double>& row : trace.rows) {
    if (row[0] < push.from || row[0] > push.from + 1.0) continue;
    n += 1.0;
    sy += row[y];
    sz += row[z];
    syy += row[y] * row[y];
    szz += row[z] * row[z];
    syz += row[y] * row[z];
  }
  if (trace.rows.back()[0] < push.from + 1.0) return kNaN;
  return (n * syz - sy * sz) / std::sqrt((n * syy - sy * sy) * (n * szz - sz * sz));
}

PushResponse response_to(const Trace& trace, const ShoulderPush& push) {
  PushResponse s;
  s.correlation = correlation_of(trace, push);
  s.margin = std::numeric_limits<double>::infinity();
  const std::size_t yaw = trace.index("yaw");
  const std::size_t zmp = trace.index("zmpx");
  const std::size_t com = trace.index("comx");
  for (const std::vector<double>& row : trace.rows) {
    s.yaw = std::max(s.yaw, kDegPerRad * std::abs(row[yaw]));
    s.pitch = std::max(s.pitch, kDegPerRad * std::abs(row[yaw + 1]));
    s.com = std::max(s.com, 1e3 * std::abs(row[com] - trace.rows.front()[com]));
    const double out = 1e3 * -row[zmp + 2];
    const bool pushed = row[0] >= push.from - 1e-9 && row[0] < push.to + kAfter - 1e-9;
    double& most = pushed ? s.zmp_out_push : s.zmp_out;
    most = std::max(most, out);
    s.zmp_back = std::min(s.zmp_back, 1e3 * row[zmp]);
    s.zmp_front = std::max(s.zmp_front, 1e3 * row[zmp]);
    s.margin = std::min(s.margin, 1e3 * row[zmp + 3]);
  }
  const std::vector<double>* end = trace.row_at(push.from + 3.0);
  s.end_turn = end == nullptr
                   ? kNaN
                   : kDegPerRad * std::max(std::abs((*end)[yaw]), std::abs((*end)[yaw + 1]));
  return s;
}

ResultTable::Row row_of(const std::string& name, const PushResponse& s) {
  return {name,
          {s.correlation, s.yaw, s.pitch, s.com, s.zmp_back, s.zmp_front, s.margin, s.end_turn}};
}

ResultTable result_table_of(std::vector<ResultTable::Row> rows) {
  return {"strategy",
          {"Ly, Lz", "yaw (deg)", "pitch (deg)", "mass centre (mm)", "ZMP back (mm)", "front (mm)",
           "capture margin (mm)", "turn after 3 s (deg)"},
          std::move(rows)};
}

class BalanceExperiment : public Experiment {
 public:
  BalanceExperiment(const std::string& name, const std::string& title, const std::string& figure,
                    const std::string& shows, control::Strategy strategy, const ShoulderPush& push)
      : info_{name,
              title,
              "Takahashi 2012",
              figure,
              shows,
              {"hoap2_10dof"},
              {1e-3, 4.2, "rk4", "crba"},
              {"semi-implicit-euler", "rk4", "rkg"},
              {"crba", "ada"}},
        strategy_(strategy),
        push_(push) {}
  [[nodiscard]] const ExperimentInfo& info() const override { return info_; }
  [[nodiscard]] ExperimentResult run(const ExperimentSettings& settings,
                                     const DataFolders& data) const override;

 protected:
  virtual void add(const BalanceScene& scene, const ExperimentSettings& settings,
                   const PushResponse& response, bool whole, ExperimentResult& result) const = 0;

  ExperimentInfo info_;
  control::Strategy strategy_;
  ShoulderPush push_;
};

Figure figure_of(const ExperimentInfo& i) {
  return {i.name,
          i.title + " (" + i.paper + ", " + i.figures + ")",
          {{"(a) push", "force (N)", {{"push", "along x"}}},
           {"(b) angular momentum about the mass centre",
            "L (kg m²/s)",
            {{"Ly", "about y"}, {"Lz", "about z"}}},
           {"(c) upper body",
            "turn (deg)",
            {{"yaw", "yaw", kDegPerRad}, {"pitch", "pitch", kDegPerRad}}},
           {"(d) mass centre and ZMP, ahead of the ankles",
            "x (mm)",
            {{"zmpx", "ZMP", 1e3}, {"comx", "CoM", 1e3}}},
           {"(e) inside the soles by",
            "margin (mm)",
            {{"zmp_margin", "ZMP", 1e3}, {"capture_margin", "capture", 1e3}}},
           {"(f) pitch of hips and ankles",
            "angle (deg)",
            {{"q:joint3", "r. hip", kDegPerRad},
             {"q:joint4", "r. ankle", kDegPerRad},
             {"q:joint8", "l. hip", kDegPerRad},
             {"q:joint9", "l. ankle", kDegPerRad}}}}};
}

ExperimentResult BalanceExperiment::run(const ExperimentSettings& settings,
                                        const DataFolders& data) const {
  const BalanceScene scene = hoap2_on_both_feet(data);
  ExperimentResult result;
  result.trace = push_and_trace(scene, only(strategy_), push_, settings, result.ran);
  const bool whole = settings.duration >= push_.from + 3.0 - 1e-9;
  const PushResponse response = response_to(result.trace, push_);
  result.drifts = {drift_of(result.trace, "gap of the feet", "m", {"feet_gap"}, true)};
  add(scene, settings, response, whole, result);
  result.claims.push_back(
      {"the feet stay where they are: off by", "m", result.drifts.front().largest, 0.0, 1e-9});
  result.figures = {figure_of(info_)};
  return result;
}

/// Fig. 6.6.
class UpperBodyRotation final : public BalanceExperiment {
 public:
  UpperBodyRotation()
      : BalanceExperiment("balance-upper-body", "Upper-body rotation strategy", "Fig. 6.6",
                          "-7 N at the left hand: the upper body turns about the vertical.",
                          control::Strategy::kUpperBodyRotation, kLeftHand) {}

 private:
  void add(const BalanceScene& scene, const ExperimentSettings& settings,
           const PushResponse& response, bool whole, ExperimentResult& result) const override;
};

void UpperBodyRotation::add(const BalanceScene& scene, const ExperimentSettings& settings,
                            const PushResponse& response, bool whole,
                            ExperimentResult& result) const {
  const auto later = [whole](double x) { return whole ? x : kNaN; };
  // (6.6) alone: joint 4 by the spring and damper of joint 9
  control::BalanceSettings alone = only(strategy_);
  control::StrategyGains& g = alone.strategies[static_cast<std::size_t>(strategy_)];
  g.oppose_kp = g.oppose_kd = 0.0;
  g.joints[control::kRightAnklePitch] = g.joints[control::kLeftAnklePitch];
  const PushResponse springs =
      response_to(push_and_trace(scene, alone, push_, settings, result.ran), push_);
  result.tables = {
      result_table_of({row_of("with (6.7)", response), row_of("(6.6) alone", springs)})};
  result.claims = {
      {"Ly and Lz in antiphase: correlation", "", later(response.correlation), -1.0, 0.5},
      {"it turns about z above all: pitch over yaw", "", later(response.pitch / response.yaw), 0.0,
       0.5},
      {"mass centre moves by", "mm", later(response.com), 0.0, 15.0},
      {"ZMP outside the soles by", "mm", std::max(response.zmp_out, response.zmp_out_push), 0.0,
       0.0},
      {"turn of the upper body 3 s after the push began", "deg", later(response.end_turn), 0.0,
       1.0}};
}

/// Fig. 6.8.
class Combined final : public BalanceExperiment {
 public:
  Combined()
      : BalanceExperiment("balance-combined", "Combined rotation-extension strategy", "Fig. 6.8",
                          "10 N at the right shoulder: the upper body turns and bends.",
                          control::Strategy::kCombined, kRightShoulder) {}

 private:
  void add(const BalanceScene& scene, const ExperimentSettings& settings,
           const PushResponse& response, bool whole, ExperimentResult& result) const override;
};

void Combined::add(const BalanceScene& scene, const ExperimentSettings& settings,
                   const PushResponse& response, bool whole, ExperimentResult& result) const {
  const auto later = [whole](double x) { return whole ? x : kNaN; };
  ShoulderPush half_sine = push_;
  half_sine.smooth = true;
  const PushResponse smooth =
      response_to(push_and_trace(scene, only(strategy_), half_sine, settings, result.ran), push_);
  result.tables = {
      result_table_of({row_of("10 N for 0.1 s", response), row_of("half a sine of 10 N", smooth)})};
  result.claims = {
      {"Ly and Lz in phase: correlation", "", later(response.correlation), 1.0, 0.3},
      {"the upper body turns far: yaw", "deg", later(response.yaw), 33.1, 8.3},
      {"and bends far: pitch", "deg", later(response.pitch), 37.3, 9.3},
      {"the mass centre hardly moves", "mm", later(response.com), 0.0, 10.0},
      {"ZMP outside the soles, push apart, by", "mm", response.zmp_out, 0.0, 0.0},
      // the thesis's "always": its push rises to "about 10 N at most", a rectangle's step does not
      {"the same, a smooth push of 10 N at most, always", "mm",
       later(std::max(smooth.zmp_out, smooth.zmp_out_push)), 0.0, 0.0},
      {"ZMP outside the soles while a rectangular push acts (O12: 27 mm)", "mm",
       later(response.zmp_out_push), 0.0, 41.0},
      {"turn of the upper body 3 s after the push began", "deg", later(response.end_turn), 0.0,
       1.0}};
}

}  // namespace

void add_balance(Experiments& experiments) {
  experiments.push_back(std::make_unique<UpperBodyRotation>());
  experiments.push_back(std::make_unique<Combined>());
}

}  // namespace kagami::tools
