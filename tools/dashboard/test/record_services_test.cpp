// Finished sessions and motions, as the dashboard's services answer about them.
#include <gtest/gtest.h>

#include <fstream>
#include <future>
#include <nlohmann/json.hpp>

#include "runtime/app/run.hpp"
#include "runtime/record/mcap_reader.hpp"
#include "tools/analysis/record_answers.hpp"
#include "tools/dashboard/record_services.hpp"
#include "tools/test/source_folder.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::kSource;

/// One finished session of `bow`, "done", and one in progress, "present".
class RecordServicesOfARun : public ::testing::Test {
 protected:
  static runtime::RunConfig config(const fs::path& out) {
    runtime::RunConfig config;
    config.robot_folder = kSource / "models/data/khr1";
    config.motion_file = kSource / "motions/data/bow.json";
    config.clock = runtime::ClockKind::kVirtual;
    config.out_dir = out;
    return config;
  }
  static void SetUpTestSuite() {
    home = std::make_unique<test::TempFolder>();
    runtime::StopRequest stop;
    runtime::RunHooks hooks;
    hooks.stop = &stop;
    (void)runtime::run(config(home->path() / "done"), hooks);
    fs::create_directories(home->path() / "present");
    fs::copy(home->path() / "done/run.mcap", home->path() / "present/run.mcap");
    // a whole record, but outside
    fs::copy(home->path() / "done/run.mcap", outside().path() / "run.mcap");
    fs::create_directory_symlink(outside().path(), home->path() / "link");
  }
  static void TearDownTestSuite() { home.reset(); }
  static const test::TempFolder& outside() {
    static const test::TempFolder folder;
    return folder;
  }

  json call(const std::string& service, const json& request) {
    std::promise<json> answer;
    side.call(service, request, [&](json a) { answer.set_value(std::move(a)); });
    return answer.get_future().get();
  }

  static std::unique_ptr<test::TempFolder> home;
  runtime::StopRequest stop;
  runtime::LiveControl live{stop};
  const RunSideSettings settings{"test", home->path() / "gains", home->path(),
                                 kSource / "motions/data"};
  const runtime::RunSetup setup = runtime::read_setup(config(home->path() / "present"));
  std::optional<JointArray<double>> present;
  RunSide side{live, settings};
  RecordServices services{side, setup, settings, [this] { return present; }};
};
std::unique_ptr<test::TempFolder> RecordServicesOfARun::home;

TEST_F(RecordServicesOfARun, CompareReportsTheSameAsTheCommand) {
  const json answer = call("compare", {{"record", "done"}, {"baseline", "present"}});
  ASSERT_EQ(answer.at("ok"), true) << answer;
  const Comparison comparison = compare(RunRecord(home->path() / "done/run.mcap").series());
  json expected = comparison_json({"done", comparison}, NamedComparison{"present", comparison});
  expected["ok"] = true;
  EXPECT_EQ(answer, expected);
  EXPECT_EQ(answer.at("joints").size(), 17u);
  EXPECT_EQ(answer.at("changes").at(0).at("rms_deg"), 0.0);  // it is a copy
  const json part = call("compare", {{"record", "done"}, {"from", 1.0}, {"to", 1.5}});
  EXPECT_LT(part.at("samples"), answer.at("samples"));
  EXPECT_GT(part.at("samples"), 0);
}

TEST_F(RecordServicesOfARun, VerifiesReportsAndExports) {
  const json verified = call("session", {{"name", "done"}, {"action", "verify"}});
  EXPECT_EQ(verified.at("identical"), true) << verified;
  EXPECT_GT(verified.at("ticks"), 1000);
  const json report = call("session", {{"name", "done"}, {"action", "report"}});
  EXPECT_EQ(report.at("path"), (home->path() / "done/report.html").string()) << report;
  EXPECT_EQ(report.at("made"), true);
  EXPECT_EQ(call("session", {{"name", "done"}, {"action", "report"}}).at("made"), false);
  const json csv = call("session", {{"name", "done"}, {"action", "export"}, {"format", "csv"}});
  EXPECT_EQ(csv.at("path"), (home->path() / "done/export.csv").string()) << csv;
  EXPECT_EQ(csv.at("lines"), verified.at("ticks"));
  EXPECT_EQ(csv.at("bytes"), fs::file_size(home->path() / "done/export.csv"));
  const json mcap = call("session", {{"name", "done"}, {"action", "export"}});
  const runtime::McapReader copy(mcap.at("path").get<std::string>());
  EXPECT_EQ(copy.statistics().message_count, mcap.at("messages"));
  EXPECT_EQ(RunRecord(copy.path()).num_rows(), verified.at("ticks"));
  for (const auto& entry : fs::directory_iterator(home->path() / "done")) {
    EXPECT_NE(entry.path().extension(), ".part");
  }
}

TEST_F(RecordServicesOfARun, RefusesWhatIsNoSession) {
  std::ofstream(home->path() / "run.mcap") << "outside";
  for (const json& name :
       json::parse(R"(["../done", "..", ".", "", "/etc", "done/..", "done/../done",
        "link", "absent", "gains", "done\u0000", "d\u00f6ne", "a b", null, 7, ["done"], {}])")) {
    for (const char* action : {"verify", "report", "export"}) {
      const json answer = call("session", {{"name", name}, {"action", action}});
      EXPECT_EQ(answer.at("ok"), false) << name;
      EXPECT_GT(answer.at("error").get<std::string>().size(), 20u) << answer;
    }
    EXPECT_EQ(call("compare", {{"record", name}}).at("ok"), false) << name;
    if (name.is_null() || name == "") continue;  // no baseline
    EXPECT_EQ(call("compare", {{"record", "done"}, {"baseline", name}}).at("ok"), false) << name;
  }
  EXPECT_EQ(call("compare", {{"record", std::string(5000, 'x')}}).at("ok"), false);
  for (const auto& [key, value] : std::vector<std::pair<std::string, json>>{
           {"from", -1.0}, {"from", "x"}, {"to", 0.0}, {"to", json::array()}, {"from", 1e300}}) {
    const json request = {{"record", "done"}, {key, value}, {key == "from" ? "to" : "x", 1.0}};
    EXPECT_EQ(call("compare", request).at("ok"), false) << request;
  }
  for (const json& request : {json{{"name", "done"}}, json{{"name", "done"}, {"action", "delete"}},
                              json{{"name", "done"}, {"action", "export"}, {"format", "exe"}},
                              json{{"name", "done"}, {"action", 7}}}) {
    EXPECT_EQ(call("session", request).at("ok"), false) << request;
  }
  const json present_one = call("session", {{"name", "present"}, {"action", "verify"}});
  EXPECT_NE(present_one.at("error").get<std::string>().find("is still running"), std::string::npos);
  EXPECT_EQ(call("compare", {{"record", "present"}}).at("ok"), true);  // looking is allowed
}

TEST_F(RecordServicesOfARun, ReportsAFileThatIsNoRecord) {
  fs::create_directories(home->path() / "broken");
  std::ofstream(home->path() / "broken/run.mcap") << "not a record";
  for (const char* action : {"verify", "report", "export"}) {
    const json answer = call("session", {{"name", "broken"}, {"action", action}});
    EXPECT_EQ(answer.at("ok"), false) << answer;
  }
  EXPECT_EQ(call("compare", {{"record", "broken"}}).at("ok"), false);
  EXPECT_FALSE(fs::exists(home->path() / "broken/export.mcap"));
  EXPECT_FALSE(fs::exists(home->path() / "broken/report.html"));
}

TEST_F(RecordServicesOfARun, ChecksAMotionOnTheVirtualRobot) {
  const json bow = call("check", {{"motion", "bow"}});
  ASSERT_EQ(bow.at("ok"), true) << bow;
  EXPECT_EQ(bow.at("verdict"), "green") << bow;
  EXPECT_EQ(bow.at("twin").at("fell_robot"), false);
  EXPECT_GT(bow.at("twin").at("rms_deg"), 0.0);
  ASSERT_EQ(bow.at("joints").size(), 17u);
  for (const json& joint : bow.at("joints")) {
    EXPECT_LE(joint.at("top_speed_deg_s"), bow.at("speed_limit_deg_s")) << joint;
    EXPECT_GE(joint.at("min_deg"), joint.at("soft_min_deg")) << joint;
  }
  present = JointArray<double>{};
  for (double& angle : *present) angle = 0.1;  // 5.7 deg
  const json away = call("check", {{"motion", "bow"}});
  EXPECT_EQ(away.at("verdict"), "amber");
  EXPECT_EQ(away.at("findings").at(0).at("kind"), "start");
  EXPECT_EQ(call("check", {{"motion", "no_such_motion"}}).at("ok"), false);
  EXPECT_EQ(call("check", {{"motion", "../motions/bow"}}).at("ok"), false);
  EXPECT_EQ(call("check", json::object()).at("ok"), false);
}

}  // namespace
}  // namespace kagami::tools
