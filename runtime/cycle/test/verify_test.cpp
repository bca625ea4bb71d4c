#include "runtime/cycle/verify.hpp"

#include <gtest/gtest.h>

#include "runtime/cycle/cycle_cdr.hpp"
#include "runtime/cycle/test/support/closed_loop.hpp"

namespace kagami::runtime {
namespace {

using test::ClosedLoop;
using test::khr1;
using test::small_motion;
using test::stream_config;

/// Rows of half a run, as they come out of a record: through CDR and back.
const std::vector<CycleRecord>& recorded_rows() {
  static const std::vector<CycleRecord> rows = [] {
    ClosedLoop loop(khr1(), small_motion(khr1()), stream_config());
    loop.run(1500);
    std::vector<CycleRecord> read;
    std::vector<std::byte> bytes;
    for (const CycleRecord& row : loop.rows()) {
      write_cycle_cdr(row, 17, bytes);
      int joints = 0;
      EXPECT_EQ(read_cycle_cdr(bytes, read.emplace_back(), joints), CdrStatus::kOk);
    }
    return read;
  }();
  return rows;
}

CycleRecordSource source_of(const std::vector<CycleRecord>& rows) {
  return [&rows, at = std::size_t{0}](CycleRecord& row) mutable {
    if (at == rows.size()) return false;
    row = rows[at++];
    return true;
  };
}

VerifyResult verify_rows(const std::vector<CycleRecord>& rows) {
  CycleCore core(khr1(), small_motion(khr1()), stream_config());
  return verify(source_of(rows), core);
}

TEST(Verify, ARecordedRunIsReproducedBitByBit) {
  const VerifyResult result = verify_rows(recorded_rows());
  EXPECT_TRUE(result.identical) << result.field;
  EXPECT_EQ(result.rows, 1500u);
  EXPECT_EQ(result.state_hash, recorded_rows().back().out.state_hash);
}

TEST(Verify, NamesTheFirstTickAndFieldThatDiffer) {
  std::vector<CycleRecord> rows = recorded_rows();
  rows[700].out.q_simulated[3] = std::nextafter(rows[700].out.q_simulated[3], 9.0);
  rows[900].out.phase = Phase::kHeld;
  const VerifyResult result = verify_rows(rows);
  EXPECT_FALSE(result.identical);
  EXPECT_EQ(result.tick, 700);
  EXPECT_EQ(result.field, "q_simulated[3]");
  EXPECT_NE(result.recorded, result.computed);
  EXPECT_TRUE(result.note.empty());
}

TEST(Verify, AChangedInputIsFound) {
  std::vector<CycleRecord> rows = recorded_rows();
  rows[800].in.now_ns += 1;
  const VerifyResult result = verify_rows(rows);
  EXPECT_FALSE(result.identical);
  EXPECT_GE(result.tick, 800);
  EXPECT_LT(result.tick, 802);
}

TEST(Verify, ReportsHowManyRowsAreMissing) {
  std::vector<CycleRecord> rows = recorded_rows();
  rows.erase(rows.begin() + 500, rows.begin() + 503);
  const VerifyResult result = verify_rows(rows);
  EXPECT_FALSE(result.identical);
  EXPECT_EQ(result.tick, 503);
  EXPECT_EQ(result.field, "steps");
  EXPECT_EQ(result.note, "3 rows are missing from the record before this tick");
}

TEST(Verify, AnotherConfigurationIsFound) {
  CycleConfig slower = stream_config();
  slower.play.speed = 0.5;
  CycleCore core(khr1(), small_motion(khr1()), slower);
  EXPECT_FALSE(verify(source_of(recorded_rows()), core).identical);
}

TEST(Verify, AnEmptyRecordProvesNothing) {
  const VerifyResult result = verify_rows({});
  EXPECT_FALSE(result.identical);
  EXPECT_EQ(result.note, "the record has no rows");
}

}  // namespace
}  // namespace kagami::runtime
