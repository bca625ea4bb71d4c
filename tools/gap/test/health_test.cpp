#include "tools/gap/health.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "models/base/angle.hpp"
#include "tools/gap/health_report.hpp"

namespace kagami::tools {
namespace {

/// A joint that was read, without a cause.
JointExplanation read_joint(const std::string& name) {
  JointExplanation joint;
  joint.joint = name;
  joint.readings = 1000;
  joint.mean_square = to_rad(0.3) * to_rad(0.3);
  return joint;
}

JointExplanation with_cause(JointExplanation joint, Cause cause, double amount) {
  joint.causes.push_back({.cause = cause, .amount = amount, .uncertainty = 0.01});
  apply_cause(cause, amount, joint.fitted);
  return joint;
}

HealthReading value_of(const JointExplanation& joint, HealthValue value) {
  return health_of(std::vector{joint})[0][static_cast<std::size_t>(value)];
}

/// One joint, and one value in each run; empty: the run does not show it.
HealthHistory history_of(HealthValue value, const std::vector<std::optional<double>>& values) {
  HealthHistory history;
  history.robot = "khr1";
  history.joints = {"left_knee"};
  for (std::size_t k = 0; k < values.size(); ++k) {
    JointHealth joint;
    joint[static_cast<std::size_t>(value)].value = values[k];
    history.runs.push_back({"run_" + std::to_string(k) + ".mcap",
                            static_cast<std::int64_t>(k + 1) * 1'000'000'000,
                            "walk",
                            to_rad(1.0),
                            {joint}});
  }
  return history;
}

TEST(Health, AValueIsTheModelsOwnWithItsCause) {
  JointExplanation joint = read_joint("left_knee");
  joint.fitted.trim = to_rad(0.5);
  joint = with_cause(joint, Cause::kTrim, to_rad(2.0));
  const HealthReading trim = value_of(joint, HealthValue::kTrim);
  EXPECT_NEAR(to_deg(trim.value.value()), 2.5, 1e-12);
  EXPECT_DOUBLE_EQ(trim.uncertainty.value(), 0.01);
  // no cause, but one would have been seen
  const HealthReading friction = value_of(joint, HealthValue::kFriction);
  EXPECT_DOUBLE_EQ(friction.value.value(), 0.0);
  EXPECT_FALSE(friction.uncertainty.has_value());
  EXPECT_NEAR(to_deg(value_of(joint, HealthValue::kGap).value.value()), 0.3, 1e-12);
}

TEST(Health, WhatARunDoesNotShowIsAbsentNotZero) {
  JointExplanation unread = read_joint("left_knee");
  unread.readings = 0;
  for (const HealthValue value : kHealthValues) EXPECT_FALSE(value_of(unread, value).value);

  JointExplanation joint = read_joint("left_knee");
  joint.not_identifiable = {Cause::kBacklash};
  EXPECT_FALSE(value_of(joint, HealthValue::kBacklash).value);
  EXPECT_TRUE(value_of(joint, HealthValue::kFriction).value);

  JointExplanation either = read_joint("left_knee");
  either.causes.push_back({.cause = Cause::kLoad, .amount = 0.5, .or_else = Cause::kFriction});
  EXPECT_FALSE(value_of(either, HealthValue::kFriction).value);
  EXPECT_TRUE(value_of(either, HealthValue::kTrim).value);

  for (const Cause cause : {Cause::kJammed, Cause::kSign, Cause::kSwapped}) {
    JointExplanation whole = read_joint("left_knee");
    whole.causes.push_back({.cause = cause});
    EXPECT_FALSE(value_of(whole, HealthValue::kTrim).value) << cause_name(cause);
    EXPECT_TRUE(value_of(whole, HealthValue::kGap).value);
  }
}

TEST(Health, PlayThatGrowsIsNotable) {
  const HealthHistory history = history_of(
      HealthValue::kBacklash, {to_rad(0.1), to_rad(0.62), to_rad(1.08), to_rad(1.61), to_rad(2.1)});
  const HealthTrend trend = health_trend(history, 0, HealthValue::kBacklash);
  EXPECT_TRUE(trend.is_notable);
  EXPECT_EQ(trend.runs, 5u);
  EXPECT_NEAR(to_deg(trend.per_run.value()), 0.5, 0.01);
  EXPECT_NEAR(to_deg(trend.change.value()), 2.0, 1e-9);
  EXPECT_LT(to_deg(trend.uncertainty.value()), 0.02);
  const std::vector<std::string> said = health_conclusion(history);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].rfind("left_knee: backlash 0.10 to 2.10 deg in 5 runs, +0.499", 0), 0u)
      << said[0];
}

TEST(Health, AStraightLineOverTheRunsOfTheValueAlone) {
  const HealthHistory history =
      history_of(HealthValue::kFriction, {0.1, std::nullopt, 0.3, std::nullopt, 0.5});
  const HealthTrend trend = health_trend(history, 0, HealthValue::kFriction);
  EXPECT_EQ(trend.runs, 3u);
  EXPECT_NEAR(trend.per_run.value(), 0.1, 1e-12);  // N m; places 0, 2, 4
  EXPECT_NEAR(trend.uncertainty.value(), 0.0, 1e-9);
  EXPECT_TRUE(trend.is_notable);
}

TEST(Health, TwoRunsHaveAChangeAndNoJudgement) {
  const HealthHistory history = history_of(HealthValue::kTrim, {0.0, to_rad(5.0)});
  const HealthTrend trend = health_trend(history, 0, HealthValue::kTrim);
  EXPECT_NEAR(to_deg(trend.change.value()), 5.0, 1e-9);
  EXPECT_FALSE(trend.uncertainty.has_value());
  EXPECT_FALSE(trend.is_notable);
  EXPECT_EQ(health_trend(history, 0, HealthValue::kGap).runs, 0u);
}

TEST(Health, ChanceIsRarelyTakenForAChange) {
  constexpr unsigned kSeed = 20260106;
  RecordProperty("seed", static_cast<int>(kSeed));
  std::mt19937 random(kSeed);
  std::normal_distribution<double> noise(0.0, to_rad(1.0));
  int notable = 0;
  constexpr int kTries = 400;
  for (int i = 0; i < kTries; ++i) {
    std::vector<std::optional<double>> values;
    for (int k = 0; k < 4; ++k) values.emplace_back(noise(random));
    notable +=
        health_trend(history_of(HealthValue::kTrim, values), 0, HealthValue::kTrim).is_notable ? 1
                                                                                               : 0;
  }
  EXPECT_LT(notable, kTries * 8 / 100);  // 5 % are expected, with a deviation of 1.1 %
  EXPECT_GT(notable, kTries * 2 / 100);
}

TEST(Health, AbsentValuesAreNullAndEmptyCells) {
  HealthHistory history = history_of(HealthValue::kTrim, {to_rad(1.0), std::nullopt});
  history.joints = {"left,knee"};
  history.left_out.push_back({"x.mcap", "cut"});
  const nlohmann::json json = health_json(history);
  const nlohmann::json& trim = json["joints"][0]["values"][0];
  EXPECT_NEAR(trim["readings"][0]["value"].get<double>(), 1.0, 1e-9);
  EXPECT_TRUE(trim["readings"][1]["value"].is_null());
  EXPECT_TRUE(trim["change"].is_null());
  EXPECT_EQ(json["left_out"][0]["why"], "cut");
  const std::string csv = health_csv(history);
  EXPECT_NE(csv.find("\n1,1000000000,run_0.mcap,walk,\"left,knee\",1,,,,,,,\n"), std::string::npos)
      << csv;
  EXPECT_NE(csv.find("\n2,2000000000,run_1.mcap,walk,\"left,knee\",,,,,,,,\n"), std::string::npos)
      << csv;
  const std::string text = health_text(history, 0);
  EXPECT_NE(text.find("x.mcap"), std::string::npos) << text;
}

}  // namespace
}  // namespace kagami::tools
