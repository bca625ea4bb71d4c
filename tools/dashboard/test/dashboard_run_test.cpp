// What the server offers of a run: channels from rows, status, robot files, sessions.
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "runtime/cycle/shadow.hpp"
#include "tools/dashboard/robot_files.hpp"
#include "tools/dashboard/row_stream.hpp"
#include "tools/dashboard/session_list.hpp"
#include "tools/dashboard/status_json.hpp"
#include "tools/dashboard/worker.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Points = std::vector<std::array<double, 2>>;

const fs::path kRobot = fs::path(KAGAMI_SOURCE_DIR) / "models/data/khr1";

TEST(ConvexHull, KeepsTheCornersOfASquareAndNothingElse) {
  EXPECT_EQ(convex_hull({{0, 0}, {1, 1}, {0.5, 0.5}, {0, 1}, {1, 0}, {0.5, 0}, {1, 0}}),
            (Points{{0, 0}, {1, 0}, {1, 1}, {0, 1}}));
  EXPECT_EQ(convex_hull({{2, 0}, {1, 0}, {2, 0}}), (Points{{1, 0}, {2, 0}}));
  EXPECT_TRUE(convex_hull({}).empty());
}

TEST(LiveTopics, AreNumberedFromOneAndTheirSchemasNameThem) {
  const std::vector<OfferedChannel> topics = live_topics();
  for (std::size_t i = 0; i < topics.size(); ++i) {
    EXPECT_EQ(topics[i].channel.id, i + 1);
    if (topics[i].channel.encoding == "cdr") {  // what PlotJuggler takes live
      EXPECT_EQ(topics[i].channel.schema_encoding, "ros2msg");
      EXPECT_EQ(topics[i].channel.topic, "/cycle");
      continue;
    }
    const json schema = json::parse(topics[i].channel.schema);
    EXPECT_EQ(schema.at("title"), topics[i].channel.schema_name);
    for (const json& name : schema.at("required")) {
      EXPECT_TRUE(schema.at("properties").contains(name.get<std::string>())) << name;
    }
  }
}

TEST(StatusJson, HasNullForUnknownValues) {
  runtime::Progress progress;
  progress.stop = runtime::StopLevel::kHoldNow;
  progress.stop_tick = 17;
  progress.confirmed = true;
  progress.rate_hz = 1000.0;
  progress.loop.step_p50_us = 50.0;
  runtime::LiveStatus live;
  live.motion = "bow";
  live.controllers = {"pid"};
  const StatusFacts facts{"run.mcap", {{"bow", 4.0, {0.0, 4.0}}}};
  progress.motion_time = 1.0;
  const json status = status_json(progress, live, facts, 3'000'000'007);
  EXPECT_EQ(status.at("timestamp"), (json{{"sec", 3}, {"nsec", 7}}));
  EXPECT_EQ(status.at("stop"), (json{{"level", "hold"}, {"confirmed", true}, {"tick", 17}}));
  EXPECT_TRUE(status.at("line").at("age_ms").is_null());
  EXPECT_TRUE(status.at("controller").is_null());
  EXPECT_TRUE(status.at("reason").is_null());
  EXPECT_EQ(status.at("motion").at("reverse"), false);
  live.reason = "Board 1 is silent.";
  live.reverse = true;
  const json later = status_json(progress, live, facts, 3'000'000'007);
  EXPECT_EQ(later.at("reason"), live.reason);
  EXPECT_EQ(later.at("motion").at("reverse"), true);
  EXPECT_TRUE(status.at("gains").at("set").is_null());
  EXPECT_EQ(status.at("motion").at("progress"), 0.25);
  EXPECT_EQ(status.at("motion").at("keyframes"), json::parse("[0.0, 4.0]"));
  // 50 us of each 1000 us
  EXPECT_NEAR(status.at("twin_realtime_factor").get<double>(), 20.0, 1e-9);
}

TEST(StatusJson, KeepsTheLastRollbackWithJointReasonAndTime) {
  StatusFacts facts;
  EXPECT_TRUE(status_json({}, {}, facts, 0).at("rollback").is_null());
  facts.rollback = RollbackView{"left_knee", "left_knee read 9.0 deg", 1234, 3'000'000'007};
  EXPECT_EQ(status_json({}, {}, facts, 0).at("rollback"),
            (json{{"joint", "left_knee"},
                  {"reason", "left_knee read 9.0 deg"},
                  {"tick", 1234},
                  {"timestamp", {{"sec", 3}, {"nsec", 7}}}}));
}

TEST(StatusJson, ConfirmsNoStopWithoutARequest) {
  runtime::Progress progress;
  progress.confirmed = true;  // of an ordinary command
  const json stop = status_json(progress, {}, {}, 0).at("stop");
  EXPECT_EQ(stop, (json{{"level", "none"}, {"confirmed", false}, {"tick", nullptr}}));
}

TEST(RobotFiles, ServesTheModelAndNoFileOutsideOfMeshes) {
  const test::TempFolder folder;
  fs::create_directories(folder.path() / "robot/meshes/parts");
  std::ofstream(folder.path() / "secret.stl") << "secret";
  std::ofstream(folder.path() / "robot/meshes/parts/foot.stl") << "solid";
  fs::create_symlink(folder.path() / "secret.stl", folder.path() / "robot/meshes/link.stl");
  const std::vector<ServedFile> files = robot_files(folder.path() / "robot", "<robot/>");
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].path, "/robot/robot.urdf");
  EXPECT_EQ(files[0].raw, "<robot/>");
  EXPECT_EQ(files[1].path, "/robot/meshes/parts/foot.stl");
  EXPECT_EQ(files[1].type, "model/stl");
  EXPECT_NE(files[0].etag, files[1].etag);
  EXPECT_TRUE(robot_files(folder.path() / "robot", "{}").size() == 1u) << "a model JSON is no URDF";
  EXPECT_TRUE(robot_files(folder.path() / "absent", "{}").empty());
}

TEST(SessionList, ShowsTheNewestFirst) {
  const test::TempFolder folder;
  for (const char* name : {"2026-11-27_23-31-27-bow", "2026-11-28_01-02-03-walk", "own", "empty"}) {
    fs::create_directories(folder.path() / name);
    if (std::string(name) != "empty") std::ofstream(folder.path() / name / "run.mcap") << "12345";
  }
  const json list = session_list(folder.path());
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].at("name"), "own");
  EXPECT_FALSE(list[0].contains("motion"));
  EXPECT_EQ(list[1].at("motion"), "walk");
  EXPECT_EQ(list[1].at("started"), "2026-11-28 01:02:03");
  EXPECT_EQ(list[1].at("bytes"), 5);
  EXPECT_EQ(list[1].at("report"), false);
  EXPECT_EQ(session_list(folder.path() / "absent"), json::array());
}

TEST(Worker, RunsJobsInOrderAndRefusesTooMany) {
  std::mutex gate;
  std::vector<int> done;
  {
    Worker worker(2);
    std::unique_lock closed(gate);
    std::atomic<bool> begun{false};
    ASSERT_TRUE(worker.post([&] {
      begun = true;
      const std::lock_guard wait(gate);
      done.push_back(1);
    }));
    while (!begun) std::this_thread::yield();
    std::atomic<bool> last{false};
    EXPECT_TRUE(worker.post([&] { done.push_back(2); }));
    EXPECT_TRUE(worker.post([&] { done.push_back(3), last = true; }));
    EXPECT_FALSE(worker.post([&] { done.push_back(4); }));
    closed.unlock();
    while (!last) std::this_thread::yield();
  }
  EXPECT_EQ(done, (std::vector<int>{1, 2, 3}));
}

// --- the line

runtime::LineFrame line_frame(std::int64_t at_ns, bool out, std::initializer_list<int> bytes) {
  runtime::LineFrame frame;
  frame.at_ns = at_ns;
  frame.outgoing = out;
  for (const int byte : bytes) frame.bytes[frame.size++] = static_cast<std::uint8_t>(byte);
  return frame;
}

// Board 0 is queried for its switches and answers in two parts, board 1 is silent; twice.
TEST(BusView, ShowsTheLastWholeRoundAsTextAndMeasuresAnswersAndRounds) {
  namespace rcb1 = drivers::rcb1;
  BusView bus;
  rcb1::Request ask;
  ask.command = rcb1::Command::kGetSwitches;
  std::array<rcb1::Frame, 2> request;
  rcb1::Frame reply;
  for (std::uint8_t b = 0; b < 2; ++b) {
    ask.board = b;
    ASSERT_EQ(rcb1::encode_request(ask, request[b]), drivers::IoStatus::kOk);
  }
  ASSERT_EQ(rcb1::encode_reply(ask.command, {}, reply), drivers::IoStatus::kOk);
  const auto say = [&](std::int64_t at_ns, bool out, std::span<const std::uint8_t> bytes) {
    runtime::LineFrame frame = line_frame(at_ns, out, {});
    for (const std::uint8_t byte : bytes) frame.bytes[frame.size++] = byte;
    bus.frame(frame);
  };
  for (std::int64_t round = 0; round < 3; ++round) {
    const std::int64_t t = round * 20'000'000;
    say(t, true, request[0].view());
    say(t + 1'000'000, false, reply.view().first(1));
    say(t + 1'500'000, false, reply.view().subspan(1));
    say(t + 2'000'000, true, request[1].view());
  }
  drivers::LineCounters counters;
  counters.silent = 3;
  const json text = json::parse(bus.text(0, counters));
  const json& frames = text.at("frames");
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].at("text"), "board 0: read switches");
  EXPECT_EQ(frames[0].at("at_ms"), 0.0);
  EXPECT_EQ(frames[0].at("hex").get<std::string>().substr(0, 5), "f0 00");
  EXPECT_EQ(frames[1].at("text"), "board 0: answered");
  EXPECT_EQ(frames[1].at("out"), false);
  EXPECT_EQ(frames[2].at("text"), "board 1: read switches");
  EXPECT_EQ(text.at("latency_ms").at("counts")[6], 3);  // 1.5 ms in bins of 0.25 ms
  EXPECT_EQ(text.at("period_ms").at("counts")[10], 2);  // 20 ms in bins of 2 ms
  // of what was measured, not of the bins' centres, which are 1.625 ms and 21 ms
  EXPECT_DOUBLE_EQ(text.at("latency_ms").at("mean").get<double>(), 1.5);
  EXPECT_DOUBLE_EQ(text.at("period_ms").at("mean").get<double>(), 20.0);
  EXPECT_EQ(text.at("counters").at("silent"), 3);
}

TEST(BusView, HasNoMeanBeforeTheFirstRound) {
  EXPECT_TRUE(json::parse(BusView().text(0, {})).at("period_ms").at("mean").is_null());
}

TEST(BusView, KeepsBytesThatItDoesNotUnderstand) {
  BusView bus;
  bus.frame(line_frame(0, false, {1, 2}));  // an answer without a request
  for (int i = 0; i < 40; ++i) bus.frame(line_frame(i, true, {0x7f, i}));
  const json frames = json::parse(bus.text(0, {})).at("frames");
  EXPECT_LE(frames.size(), 32u);
  for (const json& frame : frames) EXPECT_EQ(frame.at("text"), "not understood");
}

// --- rows

struct Received {
  std::vector<std::pair<Topic, json>> messages;
  [[nodiscard]] std::vector<json> of(Topic topic) const {
    std::vector<json> found;
    for (const auto& [t, m] : messages) {
      if (t == topic) found.push_back(m);
    }
    return found;
  }
};

struct Stream {
  explicit Stream(models::BaseKind base) : robot(models::read_robot_folder(kRobot, base)) {}

  runtime::CycleRecord row(std::int64_t now_ns) const {
    runtime::CycleRecord r;
    r.in.tick = now_ns / 1'000'000;
    r.in.now_ns = now_ns;
    r.out.phase = runtime::Phase::kPlaying;
    r.out.targets.mode = drivers::TargetMode::kPositions;
    r.out.base.z = 0.25;
    return r;
  }

  models::RobotDescription robot;
  Received received;
  runtime::StopRequest stop;
  runtime::LiveControl live{stop};
  RowStream stream{robot, live.gains(),
                   [this](Topic topic, std::uint64_t, const std::string& payload) {
                     received.messages.emplace_back(
                         topic, topic == Topic::kCycle ? json() : json::parse(payload));
                   },
                   [](const runtime::AppliedGains&) {}};
};

TEST(RowStream, ThinsOutCurvesAndReportsEveryEvent) {
  Stream s(models::BaseKind::kFixed);
  for (std::int64_t ms = 0; ms < 300; ++ms) {
    runtime::CycleRecord row = s.row(ms * 1'000'000);
    row.out.num_events = 1;
    row.out.events[0] = {ms, runtime::EventCode::kMotionBegan, -1, 0.0};
    s.stream.row(row);
  }
  EXPECT_EQ(s.received.of(Topic::kEvents).size(), 300u);
  EXPECT_EQ(s.received.of(Topic::kSimulated).size(), 20u);  // one per 15 ms
  EXPECT_EQ(s.received.of(Topic::kSimulated)[0].at("joints").size(), 17u);
  EXPECT_EQ(s.received.of(Topic::kCommanded).size(), 20u);
  EXPECT_TRUE(s.received.of(Topic::kLoop).empty()) << "no controller leads";
  EXPECT_TRUE(s.received.of(Topic::kBalance).empty()) << "on the stand";
}

TEST(RowStream, ReadingsBearTheirOwnBoardsTime) {
  Stream s(models::BaseKind::kFixed);
  runtime::CycleRecord row = s.row(100'000'000);
  row.in.sample.reading[0].sampled_ns = 80'000'000;
  row.in.sample.reading[1].sampled_ns = 95'000'000;
  s.stream.row(row);
  row.in.now_ns = 101'000'000;
  s.stream.row(row);  // the same readings again
  const std::vector<json> measured = s.received.of(Topic::kMeasured);
  ASSERT_EQ(measured.size(), 2u);
  EXPECT_EQ(measured[0].at("joints").size() + measured[1].at("joints").size(), 17u);
  const auto ns = [](const json& m) {
    return m.at("timestamp").at("sec").get<std::int64_t>() * 1'000'000'000 +
           m.at("timestamp").at("nsec").get<std::int64_t>();
  };
  EXPECT_EQ(ns(measured[1]) - ns(measured[0]), 15'000'000);
}

// The values of the page are those of the cycle: no viewer has to interpolate.
TEST(RowStream, SendsTheResidualOfEachReadingAtItsOwnTime) {
  Stream s(models::BaseKind::kFixed);
  runtime::CycleRecord row = s.row(100'000'000);
  row.in.sample.reading[0].sampled_ns = 90'000'000;
  row.in.sample.reading[1].sampled_ns = -1;
  row.out.residual.fill(0.25);
  s.stream.row(row);
  const json measured = s.received.of(Topic::kMeasured).at(0);
  const std::vector<json> residuals = s.received.of(Topic::kResidual);
  ASSERT_EQ(residuals.size(), 1u) << "one per reading, not one per row";
  const json& residual = residuals[0];
  EXPECT_EQ(residual.at("timestamp"), measured.at("timestamp"));
  ASSERT_EQ(residual.at("joints").size(), measured.at("joints").size());
  for (std::size_t i = 0; i < residual.at("joints").size(); ++i) {
    EXPECT_EQ(residual.at("joints")[i].at("name"), measured.at("joints")[i].at("name"));
    EXPECT_EQ(residual.at("joints")[i].at("residual"), 0.25);  // simulated minus measured
  }
}

TEST(RowStream, MeasuredFramesStandBesideTheTwins) {
  Stream s(models::BaseKind::kFixed);
  s.stream.row(s.row(0));
  const json twin = s.received.of(Topic::kTf).at(0).at("transforms");
  const json measured = s.received.of(Topic::kTfMeasured).at(0).at("transforms");
  ASSERT_EQ(twin.size(), measured.size());
  for (std::size_t i = 0; i < twin.size(); ++i) {
    EXPECT_EQ(measured[i].at("child_frame_id"),
              "measured/" + twin[i].at("child_frame_id").get<std::string>());
    const std::string parent = twin[i].at("parent_frame_id");
    EXPECT_EQ(measured[i].at("parent_frame_id"), parent == "world" ? parent : "measured/" + parent);
  }
}

TEST(RowStream, NothingIsShownBeforeTheFirstReading) {
  Stream s(models::BaseKind::kFixed);
  runtime::CycleRecord row = s.row(0);
  row.out.phase = runtime::Phase::kWaiting;
  s.stream.row(row);
  for (const auto& [topic, message] : s.received.messages) {
    EXPECT_TRUE(topic == Topic::kBus || topic == Topic::kGains) << message;
  }
}

// The mass centre at rest is above the zero-moment point; lifted, nothing supports.
TEST(RowStream, BalanceHasMassCentreZeroMomentPointAndSupport) {
  Stream s(models::BaseKind::kFloating);
  runtime::CycleRecord row = s.row(0);
  const double high = 0.25;
  for (std::int64_t ms = 0; ms < 200; ms += 10) {
    row.in.now_ns = ms * 1'000'000;
    row.out.base.z = high;
    s.stream.row(row);
  }
  const json balance = s.received.of(Topic::kBalance).back();
  ASSERT_TRUE(balance.at("com").is_array());
  ASSERT_TRUE(balance.at("zmp").is_array()) << balance.dump();
  // m; at rest the two are the same but for rounding of second differences over 33 ms
  EXPECT_NEAR(balance.at("zmp")[0].get<double>(), balance.at("com")[0].get<double>(), 1e-9);
  EXPECT_NEAR(balance.at("zmp")[1].get<double>(), balance.at("com")[1].get<double>(), 1e-9);
  EXPECT_TRUE(balance.at("reactions").is_array());
  row.in.now_ns = 400'000'000;
  row.out.base.z = 5.0;
  row.out.q_simulated[3] = std::numeric_limits<double>::quiet_NaN();
  s.stream.row(row);
  EXPECT_TRUE(s.received.of(Topic::kBalance).back().at("com").is_null());
}

}  // namespace
}  // namespace kagami::tools
