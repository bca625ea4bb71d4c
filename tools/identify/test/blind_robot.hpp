/// Virtual robots whose servos are drawn, for what is fitted to their records.
#pragma once

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
  }

  /// Out of the first motions, the last one only predicted; all on the stand.
  tools::Identification identified(const std::vector<std::string>& motions,
                                   const std::string& predicted) {
    std::vector<std::string> records;
    for (const std::string& motion : motions) {
      history(motion);
      records.push_back(keep_record(motion));
    }
    history(predicted);
    tools::IdentifySettings one_fit;
    one_fit.cross_validate = false;
    return tools::identify(records, {record()}, one_fit, nullptr);
  }
};

}  // namespace kagami::test
