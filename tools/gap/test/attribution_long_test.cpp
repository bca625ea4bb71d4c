// One cause, drawn with its joint, in a robot that otherwise equals its model: is it named first
// for this joint, and for no other? Prints every draw.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>

#include "models/base/angle.hpp"
#include "tools/gap/explain.hpp"
#include "tools/gap/gap_report.hpp"
#include "tools/gap/resimulate.hpp"
#include "tools/gap/test/planted_cause.hpp"

namespace kagami::tools {
namespace {

using test::PlantedCause;

constexpr int kDrawsPerKind = 3;
constexpr int kMostMisses = 1;

/// What is planted, and under which name it should be found.
struct Kind {
  const char* name;
  Cause cause;
};
constexpr std::array kKinds = {
    Kind{"trim 12 deg", Cause::kTrim},         Kind{"wrong sign", Cause::kSign},
    Kind{"swapped channels", Cause::kSwapped}, Kind{"backlash 2 deg", Cause::kBacklash},
    Kind{"twice the lag", Cause::kServoLag},   Kind{"jammed", Cause::kJammed},
    Kind{"half torque", Cause::kTorqueLimit}};

/// KAGAMI_ATTRIBUTION_SEED draws other joints.
unsigned seed() {
  const char* text = std::getenv("KAGAMI_ATTRIBUTION_SEED");
  return text == nullptr ? 7 : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

class Draws {
 public:
  Draws() : motion_(run_.short_motion()), equal_(run_.history(motion_)) {
    for (const char* joint : {"left_shoulder_pitch", "left_shoulder_roll", "right_shoulder_pitch",
                              "right_shoulder_roll"}) {
      loaded_.push_back(run_.index_of(joint));
    }
    for (std::size_t j = 0; j < equal_.num_joints(); ++j) {
      const auto& angles = equal_.readings[j].simulated;
      const auto [least, most] = std::minmax_element(angles.begin(), angles.end());
      if (*most - *least > to_rad(10.0)) moving_.push_back(j);
    }
  }

  /// True when the cause is named first for its joint and the others have none.
  bool is_named(const Kind& kind) {
    const std::vector<std::size_t>& joints = joints_for(kind.cause);
    const std::size_t joint =
        joints[std::uniform_int_distribution<std::size_t>(0, joints.size() - 1)(random_)];
    std::size_t other = joint;
    if (kind.cause == Cause::kSwapped) {
      while (other == joint || !can_be_swapped(joint, other)) {
        other = joints[std::uniform_int_distribution<std::size_t>(0, joints.size() - 1)(random_)];
      }
    }
    const auto found = explain_gap(planted(kind.cause, joint, other));
    bool is_right = true;
    for (std::size_t j = 0; j < found.size(); ++j) {
      const bool is_planted = j == joint || j == other;
      const auto& causes = found[j].causes;
      const bool is_so =
          is_planted ? !causes.empty() && causes.front().cause == kind.cause : causes.empty();
      is_right = is_right && is_so;
      if (!is_so) {
        std::printf("  %s: %s, gap %.2f deg RMS\n", found[j].joint.c_str(),
                    causes.empty() ? "no cause" : cause_name(causes.front().cause),
                    to_deg(std::sqrt(found[j].mean_square)));
      }
    }
    std::printf("%-17s in %-20s %s\n", kind.name, equal_.names[joint].c_str(),
                is_right ? "named" : "NOT NAMED");
    return is_right;
  }

 private:
  [[nodiscard]] const std::vector<std::size_t>& joints_for(Cause cause) const {
    return cause == Cause::kTorqueLimit ? loaded_ : moving_;
  }

  // unlike curves, read at the same times
  [[nodiscard]] bool can_be_swapped(std::size_t a, std::size_t b) const {
    if (equal_.readings[a].time != equal_.readings[b].time) return false;
    double square = 0.0;
    const auto& of_a = equal_.drive[a].angle;
    const auto& of_b = equal_.drive[b].angle;
    for (std::size_t k = 0; k < of_a.size(); ++k) square += std::pow(of_a[k] - of_b[k], 2);
    return std::sqrt(square / static_cast<double>(of_a.size())) > to_rad(3.0);
  }

  DriveHistory planted(Cause cause, std::size_t joint, std::size_t other) {
    PlantedCause run;
    ServoParameters& servo = run.robot.servos.joints[joint];
    DriveHistory history = equal_;
    switch (cause) {
      case Cause::kTrim:
        servo.trim += to_rad(12.0);
        return run.history(motion_);
      case Cause::kServoLag:
        servo.filter_1 *= 2.0;
        servo.filter_2 *= 2.0;
        return run.history(motion_);
      case Cause::kTorqueLimit:
        servo.stall_torque *= 0.5;
        run.more = {"--disturbances", weights()};
        return run.history(motion_);
      case Cause::kJammed:
        run.more = {"--fault", jam_of(joint)};
        return run.history(motion_);
      // the wiring that sends is the wiring that reads, and the virtual robot measures behind its
      // own play: these are planted in the readings
      case Cause::kSign:
        for (float& angle : history.readings[joint].measured) angle = -angle;
        return history;
      case Cause::kSwapped:
        std::swap(history.readings[joint].measured, history.readings[other].measured);
        return history;
      default:
        return with_play(joint);
    }
  }

  // 250 g in each hand of robot and model: the legs on the stand need less than half of the torque
  [[nodiscard]] std::string weights() const {
    const std::string file = run_.folder.file("weights.json");
    std::ofstream(file) << R"({"schema": "kagami.disturbances/1", "disturbances": [
        {"kind": "payload", "body": "left_elbow", "at": [0, 0, -0.08], "mass": 0.25, "from": 0},
        {"kind": "payload", "body": "right_elbow", "at": [0, 0, -0.08], "mass": 0.25, "from": 0}]})";
    return file;
  }

  [[nodiscard]] std::string jam_of(std::size_t joint) const {
    const int place = equal_.channels[joint] - 1;
    return std::to_string(place / kChannelsPerBoard) + ":stuck " +
           std::to_string(place % kChannelsPerBoard);
  }

  DriveHistory with_play(std::size_t joint) {
    DriveHistory history = equal_;
    ServoSet servos = run_.model.servos;
    servos.joints[joint].backlash = to_rad(2.0);
    const auto moved = resimulate(RunRecord(run_.record()), servos).history.readings[joint];
    auto& measured = history.readings[joint].measured;
    for (std::size_t i = 0; i < measured.size(); ++i) {
      const double angle = to_deg(static_cast<double>(moved.simulated[i]));
      measured[i] = static_cast<float>(to_rad(std::round(angle)));
    }
    return history;
  }

  PlantedCause run_;
  std::string motion_;
  DriveHistory equal_;
  std::vector<std::size_t> moving_;
  std::vector<std::size_t> loaded_;  // shoulders
  std::mt19937 random_{seed()};
};

TEST(Attribution, OneDrawnCauseIsNamedFirstAndNoOther) {
  Draws draws;
  int misses = 0;
  int all = 0;
  for (const Kind& kind : kKinds) {
    for (int i = 0; i < kDrawsPerKind; ++i, ++all) {
      if (!draws.is_named(kind)) ++misses;
    }
  }
  std::printf("%d of %d named\n", all - misses, all);
  EXPECT_LE(misses, kMostMisses);
}

}  // namespace
}  // namespace kagami::tools
