/// The run's state machine: every transition of its table, and the table of the page.
#include "runtime/cycle/run_machine.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "models/base/text_file.hpp"

namespace kagami::runtime {
namespace {

/// A machine in that state, by the shortest way of the table.
std::optional<RunMachine> machine_in(RunState state) {
  std::map<RunState, RunMachine> reached{{RunState::kWaiting, RunMachine{}}};
  for (std::size_t before = 0; before != reached.size();) {
    before = reached.size();
    for (const RunTransition& t : run_transitions()) {
      const auto from = reached.find(t.from);
      if (from == reached.end() || reached.count(t.to) != 0) continue;
      RunMachine next = from->second;
      (void)next.take(t.signal);
      reached.emplace(t.to, next);
    }
  }
  const auto found = reached.find(state);
  return found == reached.end() ? std::nullopt : std::optional(found->second);
}

TEST(RunMachine, TakesEveryRowOfItsTableAndNothingElse) {
  std::map<std::pair<RunState, RunSignal>, RunTransition> rows;
  for (const RunTransition& t : run_transitions()) {
    EXPECT_TRUE(rows.emplace(std::pair(t.from, t.signal), t).second)
        << name(t.from) << ", " << name(t.signal) << " has two rows";
  }
  for (int k = 0; k < kNumRunStates; ++k) {
    const auto state = static_cast<RunState>(k);
    const auto start = machine_in(state);
    ASSERT_TRUE(start) << name(state) << " is never reached";
    for (int e = 0; e < kNumRunSignals; ++e) {
      const auto signal = static_cast<RunSignal>(e);
      const auto row = rows.find({state, signal});
      RunMachine machine = *start;
      const std::optional<RunAction> action = machine.take(signal);
      ASSERT_EQ(action.has_value(), row != rows.end()) << name(state) << ", " << name(signal);
      EXPECT_EQ(machine.state(), action ? row->second.to : state);
      if (action) {
        EXPECT_EQ(*action, row->second.action);
      }
    }
  }
}

TEST(RunMachine, EveryStateIsLeftAndAReleaseIsAlwaysOneStepAway) {
  for (int k = 0; k < kNumRunStates; ++k) {
    const auto state = static_cast<RunState>(k);
    if (group_of(state) == SupervisorState::kReleased) continue;
    RunMachine machine = machine_in(state).value();
    EXPECT_EQ(machine.take(RunSignal::kRelease), RunAction::kRelease) << name(state);
    EXPECT_EQ(machine.state(), RunState::kReleasing) << name(state);
    // every state that moves comes to rest by each kind of stop
    if (!follows_reference(state) || is_hold(state)) continue;
    for (const RunSignal stop : {RunSignal::kSlowDown, RunSignal::kHoldNow, RunSignal::kFault}) {
      machine = machine_in(state).value();
      (void)machine.take(stop);
      (void)machine.take(RunSignal::kStill);
      EXPECT_TRUE(has_stopped(machine.state()) || state == RunState::kSitting)
          << name(state) << ", " << name(stop) << ": " << name(machine.state());
    }
  }
}

TEST(RunMachine, OnlyAReleaseLeavesAFaultAndNothingLeavesARelease) {
  for (const RunTransition& t : run_transitions()) {
    if (group_of(t.from) == SupervisorState::kReleased) {
      EXPECT_EQ(group_of(t.to), SupervisorState::kReleased) << name(t.signal);
    } else if (group_of(t.from) == SupervisorState::kFault) {
      EXPECT_EQ(group_of(t.to), t.signal == RunSignal::kRelease ? SupervisorState::kReleased
                                                                : SupervisorState::kFault)
          << name(t.from) << ", " << name(t.signal);
    }
  }
}

// where it fails it prints the tables that the page must have
TEST(RunMachine, IsTheTableOfTheDocuments) {
  const std::string page = read_text_file(std::string(KAGAMI_SOURCE_DIR) + "/docs/supervision.md");
  std::string table;
  for (const RunTransition& t : run_transitions()) {
    table += std::string("| ") + name(t.from) + " | " + name(t.signal) + " | " + name(t.to) +
             " | " + name(t.action) + " |\n";
  }
  EXPECT_NE(page.find("| --- | --- | --- | --- |\n" + table + "\n"), std::string::npos) << table;
  for (int k = 0; k < kNumRunStates; ++k) {
    const auto state = static_cast<RunState>(k);
    const std::string row = std::string("| ") + name(state) + " | " + name(group_of(state)) + " |";
    EXPECT_NE(page.find("\n" + row), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace kagami::runtime
