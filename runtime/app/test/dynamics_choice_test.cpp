// `--dynamics`: a whole run by each algorithm of forward dynamics against the one by articulated
// bodies, and its record executed again.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "models/base/errors.hpp"
#include "runtime/app/assemble.hpp"
#include "runtime/app/run.hpp"
#include "runtime/test/support/run_case.hpp"

namespace kagami::runtime {
namespace {

namespace fs = std::filesystem;
using models::Algorithm;
using test::TempDir;

constexpr double kSame = 1e-9;  // rad: rounding, grown over the run
// rad: contact lets rounding grow; aba itself, started 1e-14 rad away, ends 6e-5 rad away
constexpr double kAfterContact = 1e-3;

struct Recorded {
  RunResult result;
  std::vector<CycleRecord> rows;
};

Recorded run_by(Algorithm algorithm, RunConfig config) {
  config.dynamics = algorithm;
  Recorded recorded{.result = run(config, {}), .rows = {}};
  EXPECT_EQ(recorded.result.end, RunEnd::kCompleted) << recorded.result.end_text;
  EXPECT_EQ(recorded.result.dynamics, models::name(algorithm));
  recorded.rows = test::rows_of(recorded.result.record);
  return recorded;
}

// rad: angles of the shadow, and of the loop twin or the reference model
double largest_difference(const std::vector<CycleRecord>& a, const std::vector<CycleRecord>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0.0;
  const auto compare = [&](const JointArray<double>& x, const JointArray<double>& y) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      EXPECT_EQ(std::isnan(x[j]), std::isnan(y[j]));
      if (!std::isnan(x[j])) largest = std::max(largest, std::abs(x[j] - y[j]));
    }
  };
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    compare(a[k].out.q_simulated, b[k].out.q_simulated);
    compare(a[k].out.q_loop, b[k].out.q_loop);
  }
  return largest;
}

bool has_same_loop(const CycleRecord& a, const CycleRecord& b) {
  return std::equal(a.out.q_loop.begin(), a.out.q_loop.end(), b.out.q_loop.begin(),
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

// all against aba's; every record is executed again. On the floor ada has the bits of aba.
void expect_one_run(const RunConfig& config, double tolerance) {
  const Recorded reference = run_by(Algorithm::kAba, config);
  for (const Algorithm algorithm : models::kAlgorithms) {
    SCOPED_TRACE(models::name(algorithm));
    const Recorded recorded = run_by(algorithm, config);
    const double difference = largest_difference(recorded.rows, reference.rows);
    EXPECT_LT(difference, tolerance);
    const bool is_reference = algorithm == Algorithm::kAba;
    const bool same_bits = recorded.result.state_hash == reference.result.state_hash;
    if (is_reference || config.on == Scene::kStand) {
      EXPECT_EQ(same_bits, is_reference);
    }
    const VerifyResult again = verify_record(recorded.result.record);
    EXPECT_TRUE(again.identical) << again.field << ": " << again.note;
    EXPECT_EQ(again.rows, static_cast<std::uint64_t>(recorded.result.ticks));
    ::testing::Test::RecordProperty(std::string(models::name(algorithm)) + "_1e-12",
                                    std::to_string(difference * 1e12));
  }
}

TEST(DynamicsChoice, AllAlgorithmsGiveOneWalkOnTheStand) {
  const TempDir dir;
  expect_one_run(test::shipped_run("walk_forward", dir.path()), kSame);
}

TEST(DynamicsChoice, AllAlgorithmsGiveOneBowOnTheFloor) {
  const TempDir dir;
  RunConfig config = test::shipped_run("bow", dir.path());
  config.on = Scene::kFloor;
  expect_one_run(config, kAfterContact);
}

// the loop twin has the algorithm, too
TEST(DynamicsChoice, AllAlgorithmsGiveOneRunWithALoopTwin) {
  const TempDir dir;
  RunConfig config = test::shipped_run("bow", dir.path());
  config.gains_file = fs::path(KAGAMI_SOURCE_DIR) / "control/data/gains/khr1_walk.json";
  expect_one_run(config, kSame);
}

TEST(DynamicsChoice, ReferenceModelHasIt) {
  const TempDir dir;
  RunConfig config = test::shipped_run("squat", dir.path());
  config.gains_file = fs::path(KAGAMI_SOURCE_DIR) / "control/data/gains/khr1_hands.json";
  expect_one_run(config, kSame);
  // the readings are those of the virtual robot, so only the reference model's algorithm tells
  const Recorded a = run_by(Algorithm::kAba, config);
  const Recorded b = run_by(Algorithm::kCrba, config);
  ASSERT_EQ(a.rows.size(), b.rows.size());
  EXPECT_FALSE(std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), has_same_loop))
      << "the choice had no effect";
}

TEST(DynamicsChoice, RecordNamesItAndTheDefaultIsLeftOut) {
  const TempDir dir;
  for (const Algorithm algorithm : {Algorithm::kAba, Algorithm::kAda}) {
    RunConfig config = test::shipped_run("home", dir.path());
    config.dynamics = algorithm;
    const RunResult result = run(config, {});
    const McapReader record(result.record.string());
    const std::string text = record.attachment(kConfigAttachment)->text();
    EXPECT_EQ(text.find("dynamics") != std::string::npos, algorithm == Algorithm::kAda);
    EXPECT_EQ(read_setup(record).cycle.dynamics.algorithm, algorithm);
  }
}

}  // namespace
}  // namespace kagami::runtime
