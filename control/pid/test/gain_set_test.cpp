// Gain files of the joint PID: the shipped ones, entries of their own for joints, what is refused.
#include "control/pid/gain_set.hpp"

#include <gtest/gtest.h>

#include <string>

#include "control/test/support/control_period.hpp"
#include "models/base/config.hpp"
#include "models/base/errors.hpp"

namespace kagami::control {
namespace {

using test::kDt;

PidGainSet parsed(const std::string& all, const std::string& more = "") {
  return read_pid_gain_set(ConfigDocument::parse(
      R"({"schema": "kagami.gains/1", "name": "n", "note": "", "date": "2026-11-28",
          "controller": "pid", "output": "torque", "all": )" +
          all + more + "}",
      "set.json"));
}

TEST(PidGainSet, ShipsTheThesissGains) {
  const PidGainSet set = read_pid_gain_set(
      std::filesystem::path(KAGAMI_SOURCE_DIR "/control/data/gains/awa_2009.json"));
  const std::vector<std::string> names{"a", "b"};
  const std::vector<PidSettings> settings = settings_for(set, "khr1", names, kDt);
  ASSERT_EQ(settings.size(), 2u);
  EXPECT_EQ(settings[1].gains.kp, 5.0);
  EXPECT_EQ(settings[1].gains.ki, 10.0);
  EXPECT_EQ(settings[1].gains.kd, 0.5);
  EXPECT_EQ(settings[1].output, PidOutput::kSpeed);
  EXPECT_EQ(settings[1].output_limit, 6.16);
}

TEST(PidGainSet, AJointsOwnEntryGoesBeforeAll) {
  const PidGainSet set =
      parsed(R"({"form": "parallel", "kp": 1, "ki": 2, "kd": 3, "output_limit": 4})",
             R"(, "robot": "khr1", "joints": {"knee": {"anti_windup": "back-calculation",
                  "derivative": "error", "form": "standard", "kp": 2, "td": 0.5}})");
  const std::vector<std::string> names{"hip", "knee"};
  const std::vector<PidSettings> settings = settings_for(set, "khr1", names, kDt);
  EXPECT_EQ(settings[0].gains.kd, 3.0);
  EXPECT_EQ(settings[1].gains.kd, 1.0);
  EXPECT_EQ(settings[1].gains.ki, 0.0);
  EXPECT_EQ(settings[1].derivative, DerivativeOn::kError);
  EXPECT_EQ(settings[1].anti_windup, AntiWindup::kBackCalculation);
  EXPECT_EQ(settings[1].output_limit, 4.0);
  const std::vector<std::string> others{"hip"};
  EXPECT_THROW(settings_for(set, "khr1", others, kDt), ConfigError);  // no knee
  EXPECT_THROW(settings_for(set, "hoap2", names, kDt), ConfigError);  // another robot
}

TEST(PidGainSet, ReportsFileAndKeyOfTheProblem) {
  const auto refused = [](const std::string& all, const std::string& expected) {
    try {
      parsed(all);
      ADD_FAILURE() << all;
    } catch (const ConfigError& e) {
      EXPECT_NE(std::string(e.what()).find(expected), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("set.json: /all"), std::string::npos) << e.what();
    }
  };
  refused(R"({"form": "parallel", "kp": -2, "ki": 0, "kd": 0, "output_limit": 1})", "kp");
  refused(R"({"form": "parallel", "kp": 1, "ki": 0, "kd": 0})", "output_limit");
  refused(R"({"form": "standard", "kp": 1, "ki": 0, "td": 0, "output_limit": 1})", "ki");
  refused(R"({"kp": 1, "output_limit": 1})", "form");
}

}  // namespace
}  // namespace kagami::control
