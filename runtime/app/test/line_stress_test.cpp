// Random stalls of this computer, late, damaged and missing answers, and stops, in virtual time:
// what goes over the line is judged from the record. KAGAMI_STRESS_RUNS sets how many runs,
// KAGAMI_STRESS_SEED the first seed; `./kagami test --long` makes 1000.
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "control/safety/safety_gate.hpp"
#include "models/base/errors.hpp"
#include "runtime/app/assemble.hpp"
#include "runtime/test/support/line_audit.hpp"
#include "runtime/test/support/line_disturbances.hpp"

namespace kagami::runtime {
namespace {

using test::AuditedRun;
using test::AuditLimits;
using test::LineDisturbances;
using test::TempDir;

constexpr double kLengthS = 3.4;  // bow with its lead-in

unsigned number(const char* variable, unsigned otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

RunConfig config_for(const LineDisturbances& d, const std::filesystem::path& out) {
  RunConfig c = test::shipped_run("bow", out);
  c.mode = RunMode::kStream;
  c.speed = d.speed;
  c.board = d.board;
  c.board_faults = d.faults;
  c.on_stop = d.on_stop;
  return c;
}

/// Nothing: the boards were not usable at first contact.
std::optional<RunResult> disturbed_run(const LineDisturbances& d,
                                       const std::filesystem::path& out) {
  SimulatedClock clock;
  for (const test::DrawnStall& stall : d.stalls) {
    clock.stall(stall.what, stall.from_ns, stall.until_ns);
  }
  StopRequest stop;
  test::Presses presses(stop, d.presses_ns);
  if (!d.presses_ns.empty()) clock.add(presses, d.presses_ns.front());
  RunHooks hooks;
  hooks.stop = &stop;
  hooks.simulated = &clock;
  try {
    return run(config_for(d, out), hooks);
  } catch (const LinkError&) {
    return std::nullopt;
  }
}

/// What is true of virtual time alone: the cause is known exactly.
void check_undisturbed(const AuditedRun& run, const LineDisturbances& d, test::Findings& findings) {
  if (!d.is_clean()) return;
  const double longest_s = d.board == "fast" ? 0.03 : 0.12;
  if (run.result.line.longest_command_gap_s > longest_s) {
    findings.push_back("an undisturbed run has a command gap of " +
                       std::to_string(run.result.line.longest_command_gap_s) + " s");
  }
  if (run.rows.back().in.stop != StopLevel::kNone && run.result.stop_confirmed.has_value() &&
      !*run.result.stop_confirmed) {
    findings.push_back("an undisturbed stop is not confirmed");
  }
}

TEST(LineStress, CommandsAndStopsGetThroughWhateverIsLate) {
  const TempDir dir;
  const unsigned runs = number("KAGAMI_STRESS_RUNS", 20);
  const unsigned first = number("KAGAMI_STRESS_SEED", 1);
  const RunSetup setup = read_setup(test::shipped_run("bow", dir.path()));
  const JointArray<double> rates =
      control::safety_limits(setup.robot.wiring, setup.robot.servos).rate_max;
  int no_contact = 0;
  int stopped = 0;
  double longest_gap_s = 0.0;
  for (unsigned seed = first; seed < first + runs; ++seed) {
    const LineDisturbances d = test::draw_disturbances(seed, kLengthS);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + d.text());
    const std::filesystem::path out = dir.path() / std::to_string(seed);
    const std::optional<RunResult> result = disturbed_run(d, out);
    if (!result) {
      ++no_contact;
      EXPECT_FALSE(d.is_clean());
      continue;
    }
    const AuditedRun run(*result, setup.robot.wiring, rates);
    const AuditLimits limits{.slack_ns = d.board == "fast" ? 40'000'000 : 120'000'000,
                             .stalled_ns = d.stalled_ns(),
                             .stopped_at_ns = d.stopped_at_ns()};
    test::Findings findings = test::audit(run, limits);
    check_undisturbed(run, d, findings);
    for (const std::string& finding : findings) ADD_FAILURE() << finding;
    if (seed % 10 == 0) {
      EXPECT_TRUE(verify_record(result->record).identical);
    }
    stopped += result->end == RunEnd::kInterrupted ? 1 : 0;
    longest_gap_s = std::max(longest_gap_s, result->line.longest_command_gap_s);
    std::filesystem::remove_all(out);
  }
  std::printf("seeds %u..%u: %d stopped, %d without contact, longest command gap %.0f ms\n", first,
              first + runs - 1, stopped, no_contact, longest_gap_s * 1e3);
}

}  // namespace
}  // namespace kagami::runtime
