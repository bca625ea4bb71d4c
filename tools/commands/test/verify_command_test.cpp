#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "runtime/cycle/cycle_cdr.hpp"
#include "runtime/record/mcap_reader.hpp"
#include "runtime/record/mcap_writer.hpp"
#include "tools/test/cli_case.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

using test::CliCase;
using test::TempFolder;

/// Copies a record's /cycle and attachments; the row of `tick` gets another simulated angle.
void copy_with_a_lie(const std::string& from, const std::string& to, std::int64_t tick) {
  const runtime::McapReader reader(from);
  runtime::McapWriter writer(to);
  for (const runtime::AttachmentIndex& index : reader.attachments()) {
    const runtime::Attachment a = reader.attachment(index);
    writer.add_attachment(a.name, a.media_type, a.log_time_ns, a.data);
  }
  const auto schema = writer.add_schema(runtime::kCycleSchemaName, runtime::kCycleSchemaEncoding,
                                        runtime::cycle_schema());
  const auto channel =
      writer.add_channel(runtime::kCycleTopic, schema, runtime::kCycleMessageEncoding);
  runtime::CycleRecord row;
  std::vector<std::byte> bytes;
  runtime::MessageFilter filter;
  filter.topics = {runtime::kCycleTopic};
  reader.for_each(filter, [&](const runtime::MessageView& message) {
    int joints = 0;
    ASSERT_EQ(runtime::read_cycle_cdr(message.data, row, joints), runtime::CdrStatus::kOk);
    if (row.in.tick == tick) row.out.q_simulated[3] += 1e-12;
    runtime::write_cycle_cdr(row, joints, bytes);
    writer.write(channel, message.log_time_ns, message.publish_time_ns, bytes);
  });
  ASSERT_TRUE(writer.close());
}

struct VerifyCase : CliCase {
  TempFolder folder;
  std::string record = folder.file("run/run.mcap");

  void replay() {
    ASSERT_EQ(run({"replay", "bow", "--on", "stand", "--clock", "virtual", "--no-report", "-q",
                   "--out", folder.file("run")}),
              0)
        << err;
  }
};

TEST(VerifyCommand, ReportsIdentical) {
  VerifyCase c;
  c.replay();
  EXPECT_EQ(c.run({"verify", c.record}), 0) << c.err;
  EXPECT_NE(c.out.find("identical"), std::string::npos) << c.out;
}

TEST(VerifyCommand, RunsOfEveryControllerAreIdentical) {
  VerifyCase c;
  for (const char* scenario : {"khr1_balance_hold", "khr1_hands", "khr1_pid_walk_stand"}) {
    SCOPED_TRACE(scenario);
    test::CommandCase<add_run> run;
    ASSERT_EQ(run.run({"run", scenario, "-q", "--out", c.folder.file(scenario)}), 0) << run.err;
    ASSERT_EQ(c.run({"verify", c.folder.file(scenario) + "/run.mcap", "--json"}), 0) << c.err;
    EXPECT_EQ(c.json()["identical"], true);
    EXPECT_GT(c.json()["ticks"], 1000);
  }
}

TEST(VerifyCommand, NamesTickAndFieldOfTheFirstDifference) {
  VerifyCase c;
  c.replay();
  copy_with_a_lie(c.record, c.folder.file("lie.mcap"), 1234);
  EXPECT_EQ(c.run({"verify", c.folder.file("lie.mcap"), "--json"}), 7);
  EXPECT_EQ(c.json()["identical"], false);
  EXPECT_EQ(c.json()["tick"], 1234);
  EXPECT_NE(c.json()["field"].get<std::string>().find("q_simulated"), std::string::npos) << c.out;
  EXPECT_EQ(c.run({"verify", c.folder.file("lie.mcap")}), 7);
  EXPECT_NE(c.out.find("differs at tick 1234 in "), std::string::npos) << c.out;
}

TEST(VerifyCommand, FileThatIsNoRecordIsABadInputFile) {
  VerifyCase c;
  std::ofstream(c.folder.file("x.mcap")) << "no record";
  EXPECT_EQ(c.run({"verify", c.folder.file("x.mcap")}), 2);
  EXPECT_NE(c.err.find("x.mcap"), std::string::npos) << c.err;
  EXPECT_EQ(c.run({"verify", c.folder.file("gone.mcap")}), 2);
}

}  // namespace
}  // namespace kagami::tools
