#include "tools/import/servo_log.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "tools/test/cycle_rows.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

struct LogCase {
  test::TempFolder folder;
  RobotWiring wiring = test::two_joint_wiring();
  ServoLogOptions options;

  std::string write(const std::string& text) {
    const std::string file = folder.file("log.csv");
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  ServoLogFacts look(const std::string& text) {
    return inspect_servo_log(write(text), wiring, options);
  }
  /// The message of the refusal; "" if the table is taken.
  std::string refusal(const std::string& text) {
    try {
      look(text);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  }
  void use_one_joint() { wiring.joints.resize(1); }
};

/// `rows` rows of three columns: time, commanded, measured.
std::string table(const std::string& header, int rows, const std::string& separator = ",",
                  double step = 0.01) {
  std::string text = header + "\n";
  for (int k = 0; k < rows; ++k) {
    text += std::to_string(step * k) + separator + std::to_string(k % 30) + ".5" + separator +
            std::to_string(k % 30) + ".25\n";
  }
  return text;
}

void expect_all_in(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in\n" << text;
  }
}

TEST(ServoLog, FindsColumnsByTheWordsInTheirNames) {
  const std::vector<std::string> headers = {
      "t,left_knee_cmd,left_knee_measured",
      "time_s,left_knee/commanded,left_knee/measured",
      "Timestamp,goal_position.leftKnee,present_position.leftKnee",
      "seconds,action.left_knee.pos,observation.state.left_knee.pos",
      "# time left out,of the header\nt,left_knee_target,left_knee",
      "#t,left_knee_cmd,left_knee_measured",
      "\xEF\xBB\xBFt,\"left_knee setpoint\",\"left_knee actual\""};
  for (const std::string& header : headers) {
    LogCase c;
    const ServoLogFacts facts = c.look(table(header, 50));
    ASSERT_TRUE(facts.columns.time) << header;
    EXPECT_EQ(*facts.columns.time, 0u) << header;
    ASSERT_TRUE(facts.columns.joints[0].commanded) << header;
    EXPECT_EQ(facts.columns.joints[0].commanded->place, 1u) << header;
    EXPECT_EQ(facts.columns.joints[0].measured->place, 2u) << header;
    EXPECT_FALSE(facts.columns.joints[1].measured) << header;
    EXPECT_EQ(facts.rows, 50u) << header;
    EXPECT_EQ(facts.scales[0].unit, AngleUnit::kDeg) << header;
    EXPECT_NEAR(*facts.first_commanded[0], to_rad(0.5), 1e-12) << header;
  }
}

TEST(ServoLog, ASingleServoNeedsNoJointName) {
  LogCase c;
  c.use_one_joint();
  const ServoLogFacts facts = c.look(
      table("timestamp,goal_position,position,speed,load,input_volts,temp,torque_enable", 0) + [] {
        std::string rows;
        for (int k = 0; k < 20; ++k) {
          rows += std::to_string(0.005 * k) + ",0.5,0.25,1,2,7.4,28,1\n";
        }
        return rows;
      }());
  EXPECT_EQ(facts.columns.joints[0].commanded->place, 1u);
  EXPECT_EQ(facts.columns.joints[0].measured->place, 2u);
  EXPECT_EQ(facts.scales[0].unit, AngleUnit::kRad);
  EXPECT_EQ(facts.columns.unused.size(), 5u);
}

TEST(ServoLog, SeparatorsAndDecimalCommas) {
  const auto with_commas = [](std::string text) {
    for (char& c : text) c = c == '.' ? ',' : c;
    return text;
  };
  LogCase c;
  ServoLogFacts facts = c.look(with_commas(table("t;left_knee_cmd;left_knee_measured", 50, ";")));
  EXPECT_EQ(facts.form.separator, ';');
  EXPECT_TRUE(facts.form.decimal_comma);
  EXPECT_NEAR(facts.duration, 0.49, 1e-9);
  facts = c.look(with_commas(table("t\tleft_knee_cmd\tleft_knee_measured", 50, "\t")));
  EXPECT_EQ(facts.form.separator, '\t');
  EXPECT_NEAR(*facts.first_measured[0], to_rad(0.25), 1e-12);
  facts = c.look(table("t;left_knee_cmd;left_knee_measured", 50, ";"));
  EXPECT_FALSE(facts.form.decimal_comma);
  // a mixture is a fault, not another number
  const std::string mixed =
      with_commas(table("t;left_knee_cmd;left_knee_measured", 50, ";")) + "0,9;1.5;1,5\n";
  expect_all_in(c.refusal(mixed), {"row 52, column 2 'left_knee_cmd': '1.5' is not a number"});
}

TEST(ServoLog, UnitsOfTimeByNameOrBySteps) {
  LogCase c;
  const auto length = [&](const std::string& name, double step) {
    return c.look(table(name + ",left_knee_cmd,left_knee_measured", 101, ",", step)).duration;
  };
  EXPECT_NEAR(length("t", 0.01), 1.0, 1e-6);
  EXPECT_NEAR(length("t", 10.0), 1.0, 1e-6);
  EXPECT_NEAR(length("t", 10e3), 1.0, 1e-6);
  EXPECT_NEAR(length("t", 10e6), 1.0, 1e-6);
  EXPECT_NEAR(length("time_ms", 0.25), 0.025, 1e-6) << "the name counts";
  EXPECT_NEAR(length("time (us)", 100.0), 0.01, 1e-6);
  c.options.time_unit = TimeUnit::kMs;
  EXPECT_NEAR(length("time_s", 10.0), 1.0, 1e-6) << "what is given counts most";
}

TEST(ServoLog, CountsOfAServoBecomeAngles) {
  LogCase c;
  c.options.angle_unit = AngleUnit::kCounts;
  c.options.counts_per_turn = 4096.0;
  std::string text = "t,left_knee_goal,left_knee_present\n";
  for (int k = 0; k < 20; ++k) text += std::to_string(0.02 * k) + ",2560,2048\n";
  const ServoLogFacts facts = c.look(text);
  EXPECT_NEAR(*facts.first_commanded[0], to_rad(45.0), 1e-12);
  EXPECT_NEAR(*facts.first_measured[0], 0.0, 1e-12);
  c.options.angle_unit.reset();
  c.options.counts_per_turn.reset();
  expect_all_in(c.refusal(text), {"largest number is 2560", "--counts-per-turn"});
}

TEST(ServoLog, EveryFaultAtOnceWithRowAndColumn) {
  LogCase c;
  std::string text = "t,left_knee_cmd,left_knee_measured,left_knee_cmd\n";
  for (int row = 2; row <= 4000; ++row) {
    std::string time = std::to_string(0.01 * row);
    std::string command = "10";
    if (row == 17) time = std::to_string(0.01 * 16);
    if (row == 18) time = "";
    if (row == 900) time = "8.2";
    if (row == 2000) command = "95";
    if (row == 3000) command = "1O.5";
    if (row == 3500) command = "inf";
    text += time + "," + command + ",9," + (row == 3600 ? "1,2" : "1") + "\n";
  }
  const std::string refusal = c.refusal(text);
  expect_all_in(
      refusal,
      {"column 4 'left_knee_cmd': has the name of column 2",
       "row 17, column 1 't': repeats the time of row 16", "row 18, column 1 't': has no time",
       "row 900, column 1 't': is before the time of row 899",
       "row 2000, column 2 'left_knee_cmd': 95 deg is outside the servo's range; expected -90..90",
       "row 3000, column 2 'left_knee_cmd': '1O.5' is not a number",
       "row 3500, column 2 'left_knee_cmd': 'inf' is not a number",
       "row 3600: has 5 cells; the header has 4"});
}

TEST(ServoLog, BadRowsAreLeftOutWhereThatIsWanted) {
  LogCase c;
  c.options.skip_bad_rows = true;
  std::string text = table("t,left_knee_cmd,left_knee_measured", 100);
  text += "0.5,1,1\n2.0,x,1\n2.1,1.5,1.5\n";
  const ServoLogFacts facts = c.look(text);
  EXPECT_EQ(facts.rows, 101u);
  EXPECT_EQ(facts.skipped, 2u);
  EXPECT_NEAR(facts.duration, 2.1, 1e-9);
}

TEST(ServoLog, SaysWhatIsMissing) {
  LogCase c;
  expect_all_in(c.refusal(""), {"has no header"});
  expect_all_in(c.refusal("1,2,3\n4,5,6\n"), {"has no header"});
  expect_all_in(c.refusal("t,left_knee_cmd,left_knee_measured\n"), {"expected at least 10"});
  expect_all_in(c.refusal(table("a,left_knee_cmd,left_knee_measured", 20)),
                {"has no time column", "--time"});
  expect_all_in(c.refusal(table("t,wrist_cmd,wrist_measured", 20)),
                {"column 2 'wrist_cmd': its name has no joint", "left_knee, right_knee"});
  expect_all_in(c.refusal(table("t,x,left_knee_measured", 20)),
                {"column 3 'left_knee_measured'", "has no column of its command"});
  expect_all_in(c.refusal(table("t,left_knee_cmd,left_knee_goal", 20)), {"may be", "--map"});
  expect_all_in(c.refusal("t,left_knee_cmd,left_knee_measured\n" +
                          std::string(CsvTable::kLongestLine + 2, '1')),
                {"row 2", "longer than 1 MiB"});
  expect_all_in(c.refusal(std::string("t,left_knee_cmd,left_knee_measured\n0,0\0,0\n", 43)),
                {"row 2", "not text"});
  expect_all_in(c.refusal(table("t,left_knee_cmd,left_knee_measured", 20) + "1e9,1,1\n"),
                {"row 22", "expected at most 60 s"});
}

TEST(ServoLog, MapsNameTheColumns) {
  LogCase c;
  c.options.columns.time = "1";
  c.options.columns.maps = {"left_knee/commanded=goal 7", "left_knee/measured=3"};
  const ServoLogFacts facts = c.look(table("x,goal 7,y", 50));
  EXPECT_EQ(facts.columns.joints[0].commanded->place, 1u);
  EXPECT_EQ(facts.columns.joints[0].measured->place, 2u);
  c.options.columns.maps = {"left_knee=goal 7", "hip/measured=3", "left_knee/measured=z"};
  expect_all_in(c.refusal(table("x,goal 7,y", 50)),
                {"--map left_knee=goal 7: expected JOINT/commanded=COLUMN", "--map hip/measured=3",
                 "'z' is not a column"});
}

// may be refused, but nothing else
TEST(ServoLog, DamagedTablesAreRefusedOrRead) {
  const std::string good = table("t,left_knee_cmd,left_knee_measured", 40);
  std::mt19937 random(7);
  for (int k = 0; k < 300; ++k) {
    std::string text = good;
    const int changes = 1 + static_cast<int>(random() % 8);
    for (int n = 0; n < changes; ++n) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = static_cast<char>(random() % 256);
          break;
        case 1:
          text.erase(at, random() % 20);
          break;
        default:
          text.insert(at, std::string(random() % 5, "\",;\n."[random() % 5]));
      }
      if (text.empty()) text = "x";
    }
    LogCase c;
    c.options.skip_bad_rows = k % 2 == 0;
    static_cast<void>(c.refusal(text));
  }
}

}  // namespace
}  // namespace kagami::tools
