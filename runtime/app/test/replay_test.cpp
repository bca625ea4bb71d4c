#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/base/errors.hpp"
#include "models/base/hash.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/robot/robot_folder.hpp"
#include "models/robot/state.hpp"
#include "runtime/app/run.hpp"
#include "runtime/record/mcap_writer.hpp"
#include "runtime/test/support/run_case.hpp"

namespace kagami::runtime {
namespace {

using test::frames_of;
using test::requests;
using test::rows_of;
using test::shipped_run;
using test::TempDir;

/// Copies a record; `change` may alter a message.
void copy_record(const std::string& from, const std::string& to,
                 const std::function<void(const MessageView&, std::vector<std::byte>&)>& change) {
  const McapReader reader(from);
  McapWriter writer(to);
  for (const AttachmentIndex& index : reader.attachments()) {
    const Attachment a = reader.attachment(index);
    writer.add_attachment(a.name, a.media_type, a.log_time_ns, a.data);
  }
  for (const MetadataIndex& index : reader.metadata()) {
    writer.add_metadata(index.name, reader.metadata(index));
  }
  std::map<ChannelId, ChannelId> channel;
  for (const auto& [id, c] : reader.channels()) {
    const Schema* schema = reader.schema_of(c);
    channel[id] = writer.add_channel(
        c.topic, writer.add_schema(schema->name, schema->encoding, schema->text()),
        c.message_encoding);
  }
  reader.for_each({}, [&](const MessageView& m) {
    std::vector<std::byte> data(m.data.begin(), m.data.end());
    change(m, data);
    writer.write(channel.at(m.channel->id), m.log_time_ns, m.publish_time_ns, data);
  });
  ASSERT_TRUE(writer.close());
}

std::vector<std::byte> all_messages(const std::filesystem::path& record) {
  std::vector<std::byte> bytes;
  McapReader(record.string()).for_each({}, [&](const MessageView& m) {
    bytes.insert(bytes.end(), m.data.begin(), m.data.end());
  });
  return bytes;
}

TEST(Replay, GivesTheSameBitsTwiceInVirtualTime) {
  const TempDir dir;
  const RunResult a = run(shipped_run("bow", dir.path() / "a"), {});
  const RunResult b = run(shipped_run("bow", dir.path() / "b"), {});
  EXPECT_EQ(a.end, RunEnd::kCompleted) << a.end_text;
  EXPECT_EQ(a.state_hash, b.state_hash);
  EXPECT_EQ(a.ticks, b.ticks);
  EXPECT_EQ(a.lost_records, 0u);
  const std::vector<std::byte> messages = all_messages(a.record);
  EXPECT_GT(messages.size(), std::size_t{1} << 20);
  EXPECT_EQ(messages, all_messages(b.record));
}

TEST(Replay, AnotherMotionGivesAnotherHash) {
  const TempDir dir;
  RunConfig slower = shipped_run("bow", dir.path() / "b");
  slower.speed = 1.01;
  EXPECT_NE(run(shipped_run("bow", dir.path() / "a"), {}).state_hash, run(slower, {}).state_hash);
}

TEST(Replay, RecordsEveryTickAndEveryFrameOnce) {
  const TempDir dir;
  const RunResult r = run(shipped_run("bow", dir.path()), {});
  const std::vector<CycleRecord> rows = rows_of(r.record);
  ASSERT_EQ(static_cast<std::int64_t>(rows.size()), r.ticks);
  const std::int64_t start_ns = rows[0].in.now_ns;  // after the first contact, on a whole period
  EXPECT_EQ(start_ns % 1'000'000, 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].in.tick, static_cast<std::int64_t>(i));
    ASSERT_EQ(rows[i].in.now_ns, start_ns + static_cast<std::int64_t>(i) * 1'000'000);
  }
  // conservation: bytes out on /line are those that the link counted, and bytes in likewise
  std::uint64_t out = 0;
  std::uint64_t in = 0;
  for (const test::Frame& f : frames_of(r.record)) (f.outgoing ? out : in) += f.bytes.size();
  EXPECT_EQ(out, r.line.counters.bytes_out);
  EXPECT_EQ(in, r.line.counters.bytes_in + r.line.counters.unexpected_bytes);
}

TEST(Replay, ReachesTheBytesLimitOfTheLineInVirtualTime) {
  const TempDir dir;
  RunConfig c = shipped_run("bow", dir.path());
  c.mode = RunMode::kStream;
  for (const double latency : {0.0, 0.001}) {
    c.answer_latency = latency;
    const RunResult r = run(c, {});
    EXPECT_GE(r.line.cycle_hz, 0.99 * r.line.limit_hz) << latency;  // no waking, no library
    EXPECT_NEAR(r.line.shares.bytes + r.line.shares.boards.value(), 1.0, 1e-3);
  }
}

TEST(Replay, CarriesWhatVerifyAndPeopleNeedAsAttachmentsAndMetadata) {
  const TempDir dir;
  const RunResult r = run(shipped_run("home", dir.path()), {});
  const McapReader record(r.record.string());
  for (const char* name : {"robot.urdf", "robot.json", "twin.json", "plant.json", "config.json",
                           "motion.json", "result.json"}) {
    EXPECT_TRUE(record.attachment(name).has_value()) << name;
  }
  const auto metadata = record.metadata("kagami.run");
  ASSERT_TRUE(metadata.has_value());
  for (const char* key : {"program", "compiler", "build_flags", "kernel", "machine", "model_hash",
                          "config_hash", "realtime", "clock_epoch_monotonic_ns"}) {
    ASSERT_EQ(metadata->count(key), 1u) << key;
    EXPECT_FALSE(metadata->at(key).empty()) << key;
  }
  for (const char* topic :
       {"/cycle", "/line", "/events", "/residual", "/joint_states/measured",
        "/joint_states/simulated", "/joint_states/commanded", "/joint_states/reference", "/tf"}) {
    const Channel* channel = record.channel(topic);
    ASSERT_NE(channel, nullptr) << topic;
    EXPECT_GT(record.statistics().channel_message_counts.at(channel->id), 0u) << topic;
  }
}

TEST(Replay, ShowsViewersAtMostAHundredMessagesPerSecondAndChannel) {
  const TempDir dir;
  const RunResult r = run(shipped_run("bow", dir.path()), {});
  const McapReader record(r.record.string());
  for (const auto& [id, channel] : record.channels()) {
    if (channel.message_encoding != "json" || channel.topic == "/events") continue;
    const auto count = static_cast<double>(record.statistics().channel_message_counts.at(id));
    EXPECT_LE(count, 100.0 * r.duration_s + 2.0) << channel.topic;
    EXPECT_GE(count, 60.0 * r.duration_s) << channel.topic;
  }
}

TEST(Replay, ShowsViewersEveryLinkWhereTheSimulatedAnglesPutIt) {
  const TempDir dir;
  const RunResult r = run(shipped_run("bow", dir.path()), {});
  const McapReader record(r.record.string());
  const models::RobotDescription robot = models::read_robot_folder(
      shipped_run("bow", dir.path()).robot_folder, models::BaseKind::kFixed);
  nlohmann::json states;
  nlohmann::json tf;
  record.for_each({.topics = {"/joint_states/simulated", "/tf"}}, [&](const MessageView& m) {
    const char* text = reinterpret_cast<const char*>(m.data.data());
    (m.channel->topic == "/tf" ? tf : states) = nlohmann::json::parse(text, text + m.data.size());
  });
  // the last messages are of one tick: chain the frames and compare with forward kinematics
  ASSERT_EQ(tf.at("transforms").size(),
            static_cast<std::size_t>(robot.model.num_bodies()) + robot.model.frames().size());
  models::State s = models::neutral_state(robot.model);
  for (const nlohmann::json& joint : states.at("joints")) {
    const int body = robot.model.find_joint(joint.at("name").get<std::string>());
    s.q[robot.model.body(body).q_index] = joint.at("position");
  }
  models::Kinematics k(robot.model);
  forward_kinematics(robot.model, s.q, s.v, k);
  std::map<std::string, models::Pose> X_W{{"world", {}}};
  for (const nlohmann::json& f : tf.at("transforms")) {
    const nlohmann::json& p = f.at("translation");
    const nlohmann::json& q = f.at("rotation");
    const Eigen::Quaterniond turn(q.at("w").get<double>(), q.at("x").get<double>(),
                                  q.at("y").get<double>(), q.at("z").get<double>());
    X_W[f.at("child_frame_id")] =
        X_W.at(f.at("parent_frame_id")) *
        models::Pose{turn.toRotationMatrix(), Vec3(p.at("x"), p.at("y"), p.at("z"))};
  }
  for (int i = 0; i < robot.model.num_bodies(); ++i) {
    const models::Pose& want = k.X_WB[static_cast<std::size_t>(i)];
    const models::Pose& got = X_W.at(robot.model.body(i).name);
    EXPECT_LT((got.p - want.p).norm(), 1e-9) << robot.model.body(i).name;  // m
    EXPECT_LT((got.R - want.R).norm(), 1e-9) << robot.model.body(i).name;
  }
}

TEST(Replay, ReportsProgressThatOnlyGrowsAndTheEventsOfTheMotion) {
  const TempDir dir;
  std::vector<double> fractions;
  std::string log;
  RunHooks hooks;
  hooks.progress = [&](const Progress& p) { fractions.push_back(p.fraction); };
  hooks.log = [&](std::string_view text) { log += std::string(text) + "\n"; };
  const RunResult r = run(shipped_run("bow", dir.path()), hooks);
  EXPECT_GE(static_cast<double>(fractions.size()), 9.0 * r.duration_s);
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_NE(log.find("The motion has ended"), std::string::npos) << log;
}

TEST(Replay, ReadsOnceBeforeTheStartAndNeverAgainWhenReadingIsOff) {
  const TempDir dir;
  RunConfig c = shipped_run("bow", dir.path());
  c.read_every = 0;
  const RunResult r = run(c, {});
  EXPECT_EQ(r.end, RunEnd::kCompleted) << r.end_text;
  const std::vector<test::Frame> frames = frames_of(r.record);
  const std::vector<test::Frame> sets = requests(frames, 0xFD);
  ASSERT_FALSE(sets.empty());
  // the first contact reads too; the cycle's own readings come after its last question
  const std::int64_t contact_ns = requests(frames, 0xF1).back().at_ns;
  std::size_t reads = 0;
  for (const test::Frame& f : requests(frames, 0xFC)) {
    reads += f.at_ns > contact_ns ? 1u : 0u;
    EXPECT_LT(f.at_ns, sets.front().at_ns);
  }
  EXPECT_GE(reads, 2u);
  EXPECT_LE(reads, 4u);  // one more round may have begun before the cycle saw the first
}

TEST(Replay, LoopsUntilItIsStopped) {
  const TempDir dir;
  StopRequest stop;
  RunHooks hooks;
  hooks.stop = &stop;
  RunConfig c = shipped_run("bow", dir.path());
  c.loop = true;
  hooks.progress = [&](const Progress& p) {
    if (p.time_s > 20.0) stop.raise_to(StopLevel::kSlowDown);
  };
  const RunResult r = run(c, hooks);
  EXPECT_EQ(r.end, RunEnd::kInterrupted);
  EXPECT_GT(r.duration_s, 20.0);
  EXPECT_LT(r.duration_s, 21.0);
}

TEST(Verify, FindsARecordOfARunIdenticalInBothModes) {
  const TempDir dir;
  for (const RunMode mode : {RunMode::kKeyframe, RunMode::kStream}) {
    RunConfig c = shipped_run("bow", dir.path());
    c.mode = mode;
    const RunResult r = run(c, {});
    const VerifyResult v = verify_record(r.record);
    EXPECT_TRUE(v.identical) << v.tick << " " << v.field << " " << v.note;
    EXPECT_EQ(static_cast<std::int64_t>(v.rows), r.ticks);
    EXPECT_EQ(r.state_hash, hex_text(v.state_hash));
  }
}

TEST(Verify, NamesTickAndFieldOfAPlantedBit) {
  const TempDir dir;
  const RunResult r = run(shipped_run("home", dir.path()), {});
  const std::string changed = (dir.path() / "changed.mcap").string();
  constexpr std::uint32_t kTick = 700;
  copy_record(r.record.string(), changed, [&](const MessageView& m, std::vector<std::byte>& data) {
    if (m.channel->topic != kCycleTopic || m.sequence != kTick) return;
    CycleRecord row;
    int joints = 0;
    ASSERT_EQ(read_cycle_cdr(data, row, joints), CdrStatus::kOk);
    auto& q = row.out.q_simulated[3];
    q = std::nextafter(q, 10.0);
    write_cycle_cdr(row, joints, data);
  });
  const VerifyResult v = verify_record(changed);
  EXPECT_FALSE(v.identical);
  EXPECT_EQ(v.tick, kTick);
  EXPECT_EQ(v.field, "q_simulated[3]");
  EXPECT_NE(v.recorded, v.computed);
}

TEST(Verify, FindsAChangedInputThatNoOutputDependsOn) {
  const TempDir dir;
  const RunResult r = run(shipped_run("bow", dir.path()), {});
  const std::string changed = (dir.path() / "changed.mcap").string();
  copy_record(r.record.string(), changed, [](const MessageView& m, std::vector<std::byte>& data) {
    if (m.channel->topic != kCycleTopic || m.sequence != 500) return;
    CycleRecord row;
    int joints = 0;
    ASSERT_EQ(read_cycle_cdr(data, row, joints), CdrStatus::kOk);
    row.in.sample.counters.bytes_refused += 1;
    write_cycle_cdr(row, joints, data);
  });
  const VerifyResult result = verify_record(changed);
  EXPECT_FALSE(result.identical);
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.field, "sample_hash");
  EXPECT_NE(result.recorded, result.computed);
}

TEST(Verify, ReportsHowManySamplesARecordLacks) {
  const TempDir dir;
  const RunResult r = run(shipped_run("bow", dir.path()), {});
  EXPECT_TRUE(r.record_complete);
  EXPECT_TRUE(verify_record(r.record).complete);
  const McapReader whole(r.record.string());
  const std::string cut = (dir.path() / "cut.mcap").string();
  McapWriter writer(cut);
  for (const AttachmentIndex& index : whole.attachments()) {
    const Attachment a = whole.attachment(index);
    writer.add_attachment(a.name, a.media_type, a.log_time_ns, a.data);
  }
  for (const MetadataIndex& index : whole.metadata()) {
    writer.add_metadata(index.name, whole.metadata(index));
  }
  const ChannelId cycle = writer.add_channel(
      kCycleTopic, writer.add_schema(kCycleSchemaName, kCycleSchemaEncoding, cycle_schema()),
      kCycleMessageEncoding);
  whole.for_each({.topics = {kCycleTopic}}, [&](const MessageView& m) {
    if (m.sequence < 100) writer.write(cycle, m.log_time_ns, m.publish_time_ns, m.data);
  });
  ASSERT_TRUE(writer.close());
  const VerifyResult result = verify_record(cut);
  EXPECT_TRUE(result.identical);  // what is there
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.incomplete, "100 of " + std::to_string(r.ticks) + " samples are in the record");
}

TEST(Replay, RefusesARecordThatExistsAndLeavesNoneOfARunThatDoesNotBegin) {
  const TempDir dir;
  RunConfig c = shipped_run("bow", dir.path());
  c.replace_record = false;
  const RunResult r = run(c, {});
  EXPECT_THROW((void)run(c, {}), ConfigError);
  EXPECT_EQ(verify_record(r.record).rows, static_cast<std::uint64_t>(r.ticks));
  c.out_dir = dir.path() / "other";
  c.live = true;
  c.timeline = {{.at_s = 1.0, .request = "play=no_such_motion"}};
  EXPECT_THROW((void)run(c, {}), ConfigError);
  EXPECT_FALSE(std::filesystem::exists(record_file(c)));
}

TEST(Verify, RefusesWhatIsNoRecordOfARun) {
  const TempDir dir;
  const std::string empty = (dir.path() / "empty.mcap").string();
  {
    McapWriter writer(empty);
    ASSERT_TRUE(writer.close());
  }
  EXPECT_THROW(verify_record(empty), RecordError);
  EXPECT_THROW(verify_record(dir.path() / "absent.mcap"), RecordError);

  // a record without its motion
  const RunResult r = run(shipped_run("home", dir.path()), {});
  const McapReader reader(r.record.string());
  const std::string bare = (dir.path() / "bare.mcap").string();
  {
    McapWriter writer(bare);
    const ChannelId cycle = writer.add_channel(
        kCycleTopic, writer.add_schema(kCycleSchemaName, kCycleSchemaEncoding, cycle_schema()),
        kCycleMessageEncoding);
    MessageFilter filter;
    filter.topics = {kCycleTopic};
    reader.for_each(filter, [&](const MessageView& m) {
      writer.write(cycle, m.log_time_ns, m.publish_time_ns, m.data);
    });
    ASSERT_TRUE(writer.close());
  }
  try {
    verify_record(bare);
    FAIL() << "expected RecordError";
  } catch (const RecordError& e) {
    EXPECT_NE(std::string(e.what()).find("config.json"), std::string::npos) << e.what();
  }
}

TEST(Replay, RefusesBeforeAnythingIsSentWhatCannotBeRun) {
  const TempDir dir;
  RunConfig c = shipped_run("bow", dir.path());
  c.motion_file = dir.path() / "absent.json";
  EXPECT_THROW(run(c, {}), ConfigError);
  c = shipped_run("bow", dir.path());
  c.robot = "/dev/null";
  EXPECT_THROW(run(c, {}), ConfigError);
  c = shipped_run("bow", dir.path());
  c.board = "quick";
  EXPECT_THROW(run(c, {}), ConfigError);
  c = shipped_run("bow", "/proc/kagami");
  EXPECT_THROW(run(c, {}), RecordError);
}

}  // namespace
}  // namespace kagami::runtime
