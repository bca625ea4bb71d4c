// A servo that is not Kagami's, measured by another program: imported and fitted.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <deque>
#include <fstream>
#include <random>

#include "tools/test/cli_case.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

using test::CliCase;
using test::CommandCase;
using test::TempFolder;

/// Angles in deg: a delay, a first-order lag, and a critically damped loop of second order.
struct OtherServo {
  double delay = 0.015;     // s
  double filter = 0.05;     // s
  double frequency = 75.4;  // rad/s
  double trim_deg = -2.0;

  /// s, from a slow command to the angle.
  [[nodiscard]] double lag() const { return delay + filter + 2.0 / frequency; }

  /// The table of `seconds` of steps, a row every 10 ms, read in steps of 0.1 deg.
  [[nodiscard]] std::string table(double seconds, unsigned seed) const {
    constexpr double kStep = 0.0005;  // s
    constexpr int kPerRow = 20;
    constexpr std::array kTargets = {-15.0, -10.0, -6.0, -2.5, 0.0, 4.0, 7.4, 11.0, 15.0};
    std::mt19937 random(seed);
    std::deque<double> waiting(static_cast<std::size_t>(delay / kStep), 0.0);
    std::string text = "t,goal,position\n";
    double sent = 0.0;
    double smooth = 0.0;
    double angle = trim_deg;
    double speed = 0.0;
    for (int k = 0; k < static_cast<int>(seconds / kStep); ++k) {
      if (k % 1600 == 0) sent = kTargets[random() % kTargets.size()];  // every 0.8 s
      waiting.push_back(sent);
      smooth += kStep / filter * (waiting.front() - smooth);
      waiting.pop_front();
      if (k % kPerRow == 0) {
        text += std::to_string(kStep * k) + "," + std::to_string(sent) + "," +
                std::to_string(0.1 * std::round(10.0 * angle)) + "\n";
      }
      const double pull = frequency * frequency * (smooth + trim_deg - angle);
      speed += kStep * (pull - 2.0 * frequency * speed);
      angle += kStep * speed;
    }
    return text;
  }
};

TEST(IdentifyImport, FindsLagAndTrimOfAServoOnABench) {
  const OtherServo servo;
  const TempFolder folder;
  CliCase c;
  const std::string robot = folder.file("bench");
  ASSERT_EQ(c.run({"robot", "new", robot, "--single-servo", "--mass", "0.02", "--arm", "0.03"}), 0)
      << c.err;
  for (const unsigned seed : {1u, 2u}) {
    const std::string csv = folder.file("log" + std::to_string(seed) + ".csv");
    std::ofstream(csv) << servo.table(12.0, seed);
    ASSERT_EQ(c.run({"log", "import", csv, "--model", robot, "--unit", "deg", "--out",
                     folder.file(std::to_string(seed))}),
              0)
        << c.err;
  }
  CommandCase<add_identify> identify;
  ASSERT_EQ(identify.run({"identify", folder.file("1"), "--hold-back", folder.file("2"), "--json"}),
            0)
      << identify.err;
  const nlohmann::json answer = identify.json();
  const nlohmann::json& found = answer["joints"][0]["parameters"];
  const auto value = [&](const char* key) { return found[key]["value"].get<double>(); };
  const double loop = (value("kde") + value("stall_torque") / value("free_speed")) / value("kp");
  EXPECT_NEAR(value("delay_s") + value("filter_1_s") + value("filter_2_s") + loop, servo.lag(),
              0.004);  // s; delay and filters have a sum
  EXPECT_NEAR(value("trim_deg"), servo.trim_deg, 0.1);
  EXPECT_GT(answer["records"][1]["before_rms_deg"].get<double>(), 1.5);
  EXPECT_LT(answer["records"][1]["predicted_rms_deg"].get<double>(), 0.25);
}

}  // namespace
}  // namespace kagami::tools
