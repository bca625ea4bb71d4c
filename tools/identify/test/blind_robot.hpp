/// Virtual robots whose servos are drawn, for what is fitted to their records.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "models/base/angle.hpp"
#include "tools/gap/test/planted_cause.hpp"
#include "tools/identify/identify.hpp"

namespace kagami::test {

/// s, how far behind a steady ramp the servo is: pulse, filters, and what its loop needs to turn.
inline double lag_of(const ServoParameters& s) {
  return s.delay + s.filter_1 + s.filter_2 + (s.stall_torque / s.free_speed + s.kde) / s.kp;
}

/// Its servos lie within the ranges of docs/identify.md.
struct BlindRobot : PlantedCause {
  explicit BlindRobot(unsigned seed) {
    std::mt19937 random(seed);
    const auto uniform = [&](double from, double to) {
      return std::uniform_real_distribution<double>(from, to)(random);
    };
    for (ServoParameters& s : robot.servos.joints) {
      s.delay = uniform(0.010, 0.040);
      s.filter_1 = uniform(0.06, 0.12);
      s.filter_2 = uniform(0.06, 0.12);
      s.kp = uniform(14.0, 28.0);
      s.kde = uniform(0.35, 0.65);
      s.stall_torque *= uniform(0.85, 1.15);
      s.free_speed *= uniform(0.9, 1.1);
      s.trim += to_rad(uniform(-2.0, 2.0));
    }
    // half of the servos have a dead band; the play of the virtual gear is inside the loop, and
    // readings do not show it
    for (ServoParameters& s : robot.servos.joints) {
      s.dead_band = to_rad(std::max(0.0, uniform(-1.5, 1.5)));
    }
  }

  /// A record of this motion that later runs leave alone.
  std::string recorded(const std::string& motion, const std::string& scene = "stand") {
    more = {"--on", scene};
    history(motion);
    more.clear();
    return keep_record(scene + "_" + motion);
  }

  /// From a minute of `identify`, a walk and push-ups, on the stand; a side step on the stand and a
  /// squat on the floor are only predicted.
  tools::Identification identified() {
    tools::IdentifySettings one_fit;
    one_fit.cross_validate = false;
    return tools::identify({recorded("identify"), recorded("walk_forward"), recorded("push_up")},
                           {recorded("side_left"), recorded("squat", "floor")}, one_fit, nullptr);
  }
};

/// Absolute errors of all joints of all robots.
struct BlindErrors {
  const char* name;
  double bound;
  std::vector<double> all{};

  void add(double error) { all.push_back(std::abs(error)); }
  [[nodiscard]] double share_within() const {
    const auto within = std::count_if(all.begin(), all.end(), [&](double e) { return e <= bound; });
    return all.empty() ? 1.0 : static_cast<double>(within) / static_cast<double>(all.size());
  }
  void print() {
    if (all.empty()) return;
    std::sort(all.begin(), all.end());
    std::printf("%-22s median %.3f, 95 %% %.3f, largest %.3f; %.1f %% of %zu within %.2f\n", name,
                all[all.size() / 2], all[all.size() * 95 / 100], all.back(), 100.0 * share_within(),
                all.size(), bound);
  }
};

/// How near the fits came, and whether their deviations say so.
struct BlindResult {
  BlindErrors lag{"lag ms", 2.0};
  BlindErrors trim{"trim deg", 0.3};
  BlindErrors play{"play deg", 0.3};
  BlindErrors gain{"known loop gain %", 10.0};
  BlindErrors on_stand{"predicted, stand deg", 0.45};
  BlindErrors on_floor{"predicted, floor deg", 1.0};
  std::vector<BlindErrors> of_sigma;  // errors in standard deviations, of each parameter

  void add(const BlindRobot& blind, const tools::Identification& found) {
    for (std::size_t j = 0; j < found.joints.size(); ++j) {
      tools::JointModel truth{blind.robot.servos.joints[j]};
      // which filter comes first makes no difference; the fit's order for equal expected ones
      if (truth.filter_1 < truth.filter_2) std::swap(truth.filter_1, truth.filter_2);
      const tools::ServoFit& fit = found.fits[j];
      lag.add(1e3 * (lag_of(fit.servo) - lag_of(truth)));
      trim.add(to_deg(fit.servo.trim - truth.trim));
      play.add(to_deg(fit.servo.backlash + fit.servo.dead_band - truth.dead_band));
      if (std::abs(play.all.back()) > play.bound) print_effects(found.joints[j], fit, truth);
      if (fit.values[tools::kLoopGain].is_known) gain.add(100.0 * (fit.servo.kp / truth.kp - 1.0));
      const tools::FitParameters& parameters = tools::fit_parameters();
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (of_sigma.size() == i) of_sigma.push_back({parameters[i].key, 2.0});
        of_sigma[i].add((fit.values[i].value - truth.*parameters[i].member) / fit.values[i].sigma);
      }
    }
    const std::size_t last = found.records.size() - 1;
    on_stand.add(to_deg(found.records[last - 1].predicted));
    on_floor.add(to_deg(found.records[last].predicted));
  }
  static void print_effects(const std::string& joint, const tools::ServoFit& fit,
                            const tools::JointModel& truth) {
    std::printf("%s, dead band %.2f deg, fitted with:", joint.c_str(), to_deg(truth.dead_band));
    for (std::size_t i = 0; i < tools::kNumFitParameters; ++i) {
      const tools::FitParameter& p = tools::fit_parameters()[i];
      if (!tools::is_extra(p.effect) || !fit.has_effect[tools::place_of(p.effect)]) continue;
      std::printf(" %s %.3f", p.key, p.per_unit * fit.values[i].value);
    }
    std::printf("\n");
  }
  void print() {
    for (BlindErrors* errors : {&lag, &trim, &play, &gain, &on_stand, &on_floor}) errors->print();
    std::printf("In standard deviations:\n");
    for (BlindErrors& errors : of_sigma) errors.print();
  }
};

}  // namespace kagami::test
