#include "tools/analysis/happenings.hpp"

#include <gtest/gtest.h>

namespace kagami::tools {
namespace {

using runtime::CycleRecord;
using runtime::EventCode;

/// A row at a time with events.
CycleRecord row(double at_s, const std::vector<std::pair<EventCode, int>>& events) {
  CycleRecord record;
  record.in.now_ns = static_cast<std::int64_t>(at_s * 1e9);
  for (const auto& [code, joint] : events) {
    runtime::Event& event = record.out.events[static_cast<std::size_t>(record.out.num_events++)];
    event.code = code;
    event.joint = static_cast<std::int16_t>(joint);
  }
  return record;
}

std::string sentence(const std::vector<CycleRecord>& rows) {
  HappeningCollector collector({"neck", "left_knee", "right_knee", "hip", "ankle"});
  for (const CycleRecord& one : rows) collector.add(one);
  return happenings_sentence(collector.take());
}

TEST(Happenings, ACalmRunIsSaidToBeCalm) {
  EXPECT_EQ(sentence({row(5.0, {{EventCode::kStarted, -1}}), row(6.0, {})}),
            "Happened: no fall, fault or clamped target.");
}

TEST(Happenings, NameKindPlacesAndTimes) {
  EXPECT_EQ(sentence({row(5.0, {}), row(7.0, {{EventCode::kRateClamped, 1}}),
                      row(7.5, {{EventCode::kRateClamped, 1}, {EventCode::kRateClamped, 2}}),
                      row(9.0, {{EventCode::kModelFell, -1}, {EventCode::kBoardFrozen, 1}})}),
            "Happened: rate clamped at left_knee, right_knee (3 times, first at 2.00 s); board "
            "frozen at board 1 (at 4.00 s); model fell (at 4.00 s).");
}

TEST(Happenings, ManyPlacesAreCounted) {
  std::vector<std::pair<EventCode, int>> all;
  for (int joint = 0; joint < 5; ++joint) all.emplace_back(EventCode::kLimitClamped, joint);
  EXPECT_EQ(sentence({row(0.0, all)}),
            "Happened: limit clamped at neck, left_knee, right_knee and 2 more (5 times, first at "
            "0.00 s).");
}

TEST(Happenings, AJointOutsideTheRobotIsANumber) {
  EXPECT_EQ(sentence({row(0.0, {{EventCode::kFrozen, 77}})}),
            "Happened: frozen at joint 77 (at 0.00 s).");
}

}  // namespace
}  // namespace kagami::tools
