// The text of a gain file with the values of a running controller.
#include "control/pid/gain_writer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "control/factory/factory.hpp"
#include "control/test/support/controllers.hpp"
#include "models/base/config.hpp"
#include "models/base/text_file.hpp"

namespace kagami::control {
namespace {

using test::expect_refused;
using test::kGains;
using test::khr1;
using test::place_of;

TEST(GainText, HasEveryChangedValueToTheLastBitInTheFilesOwnFormWhereItCan) {
  const std::string text = read_text_file(kGains + "awa_2009.json");  // kp, ti, td
  const auto built = [](const std::string& gains) {
    return ControllerFactory().make(ConfigDocument::parse(gains, "t"),
                                    place_of(khr1(models::BaseKind::kFixed)));
  };
  const auto controller = built(text);
  std::vector<double> values;
  for (int i = 0; i < 6 * 17; ++i) values.push_back(controller->tunable(i));
  values[0] = 4.0;        // head_yaw/kp; ki stays: another ti
  values[5] = 1.0 / 3.0;  // left_shoulder_pitch/ki
  values[11] = 0.05;      // left_shoulder_roll/lead_time
  values[12] = 0.0;       // kp = 0 beside ki: no standard form can express that
  values[4 * 17 + 3] = 0.7;
  values[5 * 17 + 3] = 0.03;
  const std::string turned =
      gain_text(text, controller->tunables(), values, {"t", "n", "2026-11-28"});
  const auto again = built(turned);
  for (int i = 0; i < 6 * 17; ++i) {
    EXPECT_EQ(again->tunable(i), values[static_cast<std::size_t>(i)])
        << controller->tunables()[static_cast<std::size_t>(i)].name;
  }
  EXPECT_NE(turned.find("\"form\": \"parallel\""), std::string::npos);
  EXPECT_NE(turned.find("\"note\": \"n\""), std::string::npos);
  expect_refused([&] { (void)gain_text(text, controller->tunables(), {}, {}); }, "expected 102");
}

}  // namespace
}  // namespace kagami::control
