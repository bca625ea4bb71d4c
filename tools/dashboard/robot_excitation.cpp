#include "tools/dashboard/robot_excitation.hpp"

#include <utility>

#include "models/base/errors.hpp"

namespace kagami::tools {
namespace {

using runtime::CycleRecord;
using runtime::EventCode;
using runtime::JointTestStage;

constexpr std::int64_t kWaitForRowsNs = 2'000'000'000;  // for the rows of a test that was not taken

bool ends_a_test(EventCode code) {
  return code == EventCode::kJointTestBroken || code == EventCode::kJointTestRefused;
}

}  // namespace

RobotExcitation::RobotExcitation(runtime::LiveControl& live, const models::RobotDescription& robot,
                                 double period)
    : live_(live), robot_(robot), period_(period) {}

RobotExcitation::~RobotExcitation() {
  give_up("the test was not finished: the run has ended");
}

void RobotExcitation::row(const CycleRecord& row) {
  std::optional<Test> ended;
  {
    const std::lock_guard lock(mutex_);
    if (test_ && is_last(*test_, row)) ended = std::exchange(test_, std::nullopt);
  }
  if (ended) ended->done(ended->end);
}

bool RobotExcitation::is_last(Test& test, const CycleRecord& row) const {
  for (std::int32_t i = 0; i < row.out.num_events; ++i) {
    const runtime::Event& event = row.out.events[static_cast<std::size_t>(i)];
    if (ends_a_test(event.code)) test.end.why_not = event_sentence(event, robot_.joint_names);
  }
  if (!test.end.why_not.empty()) return true;
  if (row.out.test == JointTestStage::kRunning) {
    // rows come by two hooks: every one of a test, and those that all viewers get
    test.end.rows.add(row);
    return false;
  }
  if (!test.end.rows.empty()) return true;
  if (test.was_taken) return false;
  if (test.end_ns < 0) test.end_ns = row.in.now_ns + kWaitForRowsNs;
  if (row.in.now_ns < test.end_ns) return false;
  test.end.why_not = "the cycle did not accept the test";
  return true;
}

void RobotExcitation::begin(const JointSignal& signal, Done done) {
  runtime::LiveAnswer answer;
  {
    const std::lock_guard lock(mutex_);  // no row of the test passes before it is known here
    if (test_) throw ConfigError("another test of a joint is under way");
    answer = live_.excitation().begin(signal);
    if (!answer.ok()) throw ConfigError(answer.sentence());
    test_.emplace(Test{.end = {.rows = JointTestRows(robot_.wiring, signal.joint, period_)},
                       .done = std::move(done)});
  }
  live_.tickets().when_done(answer.ticket,
                            [this](const runtime::TicketResult& result) { see_ticket(result); });
}

// a refused one ends with the row that holds the reason, which follows on the recorder's thread
void RobotExcitation::see_ticket(const runtime::TicketResult& result) {
  if (result.end == runtime::TicketEnd::kRunOver) {
    return give_up("the test was not finished: the run has ended");
  }
  const std::lock_guard lock(mutex_);
  if (test_) test_->was_taken = result.end == runtime::TicketEnd::kApplied;
}

void RobotExcitation::give_up(const std::string& why_not) {
  std::optional<Test> ended;
  {
    const std::lock_guard lock(mutex_);
    ended = std::exchange(test_, std::nullopt);
  }
  if (!ended) return;
  ended->end.why_not = why_not;
  ended->done(ended->end);
}

}  // namespace kagami::tools
