// The messages for viewers: each topic has the values of its row, by joint.
#include "runtime/threads/row_messages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/robot/robot_folder.hpp"
#include "runtime/threads/pace.hpp"

namespace kagami::runtime {
namespace {

using nlohmann::json;

constexpr std::uint64_t kStamp = 7'000'000'123;  // ns

/// The KHR-1 and its messages. Each joint has numbers of its own in every field.
class Messages : public ::testing::Test {
 protected:
  Messages() {
    for (std::size_t j = 0; j < robot_.joint_names.size(); ++j) {
      const double n = static_cast<double>(j + 1);
      out_.q_ref[j] = 1.0 / n;
      out_.qd_ref[j] = 2.0 / n;
      out_.q_simulated[j] = 3.0 / n;
      out_.qd_simulated[j] = 4.0 / n;
      out_.torque_simulated[j] = 5.0 / n;
      out_.targets.angle[j] = 6.0 / n;
      out_.residual[j] = 7.0 / n;
      out_.residual_naive[j] = 8.0 / n;
      angle_[j] = 9.0 / n;
    }
  }

  static std::uint64_t stamp_of(const json& message) {
    return message.at("timestamp").at("sec").get<std::uint64_t>() * 1'000'000'000 +
           message.at("timestamp").at("nsec").get<std::uint64_t>();
  }
  /// The only message of a topic; its rows have `key` times n = `value` for joint n of the robot.
  void expect_column(RowTopic topic, const char* key, double value) {
    ASSERT_EQ(sent_.count(topic), 1u);
    const json& message = sent_.find(topic)->second;
    EXPECT_EQ(stamp_of(message), kStamp);
    for (const json& joint : message.at("joints")) {
      const auto found = std::find(robot_.joint_names.begin(), robot_.joint_names.end(),
                                   joint.at("name").get<std::string>());
      ASSERT_NE(found, robot_.joint_names.end());
      const auto n = static_cast<double>(found - robot_.joint_names.begin() + 1);
      ASSERT_TRUE(joint.contains(key)) << key << " of " << joint.at("name");
      EXPECT_DOUBLE_EQ(joint.at(key).get<double>(), value / n) << joint.at("name");
    }
  }
  std::size_t joints_of(RowTopic topic) { return sent_.find(topic)->second.at("joints").size(); }

  const models::RobotDescription robot_ =
      models::read_robot_folder(KAGAMI_SOURCE_DIR "/models/data/khr1", models::BaseKind::kFixed);
  std::multimap<RowTopic, json> sent_;
  RowMessages messages_{robot_,
                        [this](RowTopic topic, std::uint64_t time_ns, std::string_view text) {
                          EXPECT_EQ(time_ns, kStamp);
                          sent_.emplace(topic, json::parse(text));
                        }};
  CycleOutput out_;
  JointArray<double> angle_{};
};

TEST_F(Messages, CurvesHaveReferenceSimulatedAndCommandedValues) {
  out_.targets.mode = drivers::TargetMode::kPositions;
  messages_.curves(out_, kStamp);
  expect_column(RowTopic::kReference, "position", 1.0);
  expect_column(RowTopic::kReference, "velocity", 2.0);
  expect_column(RowTopic::kSimulated, "position", 3.0);
  expect_column(RowTopic::kSimulated, "velocity", 4.0);
  expect_column(RowTopic::kSimulated, "effort", 5.0);
  expect_column(RowTopic::kCommanded, "position", 6.0);
  EXPECT_FALSE(sent_.find(RowTopic::kCommanded)->second.at("joints")[0].contains("velocity"));
  EXPECT_EQ(joints_of(RowTopic::kSimulated), robot_.joint_names.size());
  EXPECT_GE(sent_.find(RowTopic::kTransforms)->second.at("transforms").size(), 17u);
}

TEST_F(Messages, NoTargetsAreShownWhereNoPositionsAreCommanded) {
  out_.targets.mode = drivers::TargetMode::kNone;
  messages_.curves(out_, kStamp);
  EXPECT_EQ(sent_.count(RowTopic::kCommanded), 0u);
}

TEST_F(Messages, AReadingAndItsResidualHaveTheJointsOfTheirBoard) {
  std::size_t joints = 0;
  for (std::size_t board = 0; board < kMaxBoards; ++board) {
    sent_.clear();
    messages_.measured(angle_, board, kStamp);
    messages_.residual(out_, board, kStamp);
    expect_column(RowTopic::kMeasured, "position", 9.0);
    expect_column(RowTopic::kResidual, "residual", 7.0);
    expect_column(RowTopic::kResidual, "residual_naive", 8.0);
    EXPECT_EQ(joints_of(RowTopic::kMeasured), joints_of(RowTopic::kResidual));
    joints += joints_of(RowTopic::kMeasured);
  }
  EXPECT_EQ(joints, robot_.joint_names.size());
  sent_.clear();
  messages_.residual(out_, kStamp);
  expect_column(RowTopic::kResidual, "residual", 7.0);
  expect_column(RowTopic::kResidual, "residual_naive", 8.0);
  EXPECT_EQ(joints_of(RowTopic::kResidual), robot_.joint_names.size());
}

TEST_F(Messages, AnEventIsItsSentenceWithNameAndLevel) {
  Event event;
  event.code = EventCode::kPortGone;
  messages_.event(event, {}, kStamp);
  const json& message = sent_.find(RowTopic::kEvents)->second;
  EXPECT_EQ(stamp_of(message), kStamp);
  EXPECT_EQ(message.at("message"), event_sentence(event, robot_.joint_names));
  EXPECT_EQ(message.at("name"), event_name(event.code));
  EXPECT_EQ(message.at("level"), static_cast<int>(LogLevel::kError));
}

TEST(Pace, SendsAtMostOnceInAPeriodOnAverage) {
  Pace pace;
  int due = 0;
  for (std::int64_t now = 0; now < 1000; ++now) due += pace.due(now, 10) ? 1 : 0;
  EXPECT_EQ(due, 100);
  EXPECT_TRUE(pace.due(5000, 10));   // after a gap at once,
  EXPECT_FALSE(pace.due(5004, 10));  // and not two in a row
  EXPECT_TRUE(pace.due(5005, 10));
}

}  // namespace
}  // namespace kagami::runtime
