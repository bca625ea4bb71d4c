// Tickets of changes during a run: what completes them, and how often.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/app/live_control.hpp"
#include "runtime/test/support/live_case.hpp"
#include "runtime/test/support/run_case.hpp"

namespace kagami::runtime {
namespace {

using test::at;
using test::config_with;
using test::run_with;
using test::TempDir;

TEST(LiveTickets, AreCompletedOnceByTheRowThatAppliesThemByTheTimeOrByTheRunsEnd) {
  const TempDir dir;
  StopRequest stop;
  LiveControl live(stop);
  std::vector<TicketResult> applied, late, over;
  const auto into = [](std::vector<TicketResult>& results) {
    return [&results](const TicketResult& result) { results.push_back(result); };
  };
  std::uint64_t ticket = 0;
  run_with(config_with(dir), live, stop,
           {{at(0.2),
             [&](const CycleRecord&) {
               const control::TunableValue change{"pid/left_knee/kp", 0.4};
               ticket = live.gains().propose({&change, 1}).ticket;
               live.tickets().when_done(ticket, into(applied));
               live.tickets().when_done(ticket + 100, into(late));
               EXPECT_TRUE(applied.empty());
             }},
            {[&](const CycleRecord&) { return !applied.empty(); },
             [&](const CycleRecord&) {
               EXPECT_EQ(applied[0].end, TicketEnd::kApplied);
               EXPECT_EQ(applied[0].tick, live.tickets().acknowledged(ticket));
               live.tickets().when_done(ticket, into(applied));  // at once
               EXPECT_EQ(applied.size(), 2u);
             }},
            {[&](const CycleRecord&) { return !late.empty(); },
             [&](const CycleRecord&) { EXPECT_EQ(late[0].end, TicketEnd::kLate); }},
            {[](const CycleRecord& row) { return row.out.state == SupervisorState::kHold; },
             [&](const CycleRecord&) { live.tickets().when_done(ticket + 100, into(over)); }}});
  EXPECT_EQ(applied.size(), 2u);
  EXPECT_EQ(late.size(), 1u);
  ASSERT_EQ(over.size(), 1u);
  EXPECT_EQ(over[0].end, TicketEnd::kRunOver);
  live.tickets().when_done(ticket, into(applied));
  EXPECT_EQ(applied.size(), 3u);
}

// a controller on its way: its version is known when the cycle has taken it
TEST(LiveTickets, OneThatIsPostponedIsNotAppliedWithNewerVersions) {
  StopRequest stop;
  LiveShared shared(stop);
  LiveTickets tickets(shared);
  tickets.open();
  tickets.postpone(5);
  tickets.note_applied(6, 100);
  EXPECT_EQ(tickets.acknowledged(5), std::nullopt);
  tickets.resume(5, 8);
  EXPECT_EQ(tickets.acknowledged(5), std::nullopt);
  tickets.note_applied(8, 120);
  EXPECT_EQ(tickets.acknowledged(5), 120);
}

}  // namespace
}  // namespace kagami::runtime
