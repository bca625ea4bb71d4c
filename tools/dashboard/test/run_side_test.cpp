// A run in simulated time, called through the interface of the server.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>

#include "models/robot/robot_folder.hpp"
#include "runtime/app/run.hpp"
#include "tools/dashboard/promotion.hpp"
#include "tools/dashboard/run_side.hpp"
#include "tools/test/source_folder.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::kSource;

/// Asks and waits for the answer.
struct Asking {
  explicit Asking(RunSide& side_of_run) : side(side_of_run) {}

  json call(const std::string& service, const json& request = json::object()) {
    std::promise<json> answer;
    side.call(service, request, [&](json a) { answer.set_value(std::move(a)); });
    return answer.get_future().get();
  }
  /// Why it was refused; "" when it is in force.
  std::string set(const std::string& name, const json& value) {
    std::promise<std::string> answer;
    side.set_parameters({{name, value}}, [&](const std::string& why) { answer.set_value(why); });
    return answer.get_future().get();
  }
  double value(const std::string& name) {
    const std::vector<std::string> names{name};
    const std::vector<Parameter> found = side.parameters(names);
    return found.size() == 1 ? found[0].value.get<double>() : -1.0;
  }

  RunSide& side;
};

class RunSideOfARun : public ::testing::Test {
 protected:
  /// The run continues while `ask` sends requests on a separate thread.
  void run_while(const std::function<void(Asking)>& ask) {
    runtime::RunConfig config;
    config.robot_folder = kSource / "models/data/khr1";
    config.motion_file = kSource / "motions/data/bow.json";
    config.gains_file = kSource / "control/data/gains/awa_2009.json";
    config.clock = runtime::ClockKind::kVirtual;
    config.out_dir = folder_.path() / "session";
    runtime::RunHooks hooks;
    hooks.stop = &stop_;
    hooks.live = &live_;
    std::thread talk;
    std::atomic<bool> began{false};
    hooks.row = [&](const runtime::CycleRecord& row) {
      if (also_) also_(row);
      if (row.out.phase == runtime::Phase::kPlaying) began = true;
    };
    talk = std::thread([&] {
      while (!began) std::this_thread::yield();
      ask(Asking(side_));
      live_.finish();
      live_.stop(runtime::StopLevel::kHoldNow);
    });
    result_ = runtime::run(config, hooks);
    talk.join();
  }

  std::function<void(const runtime::CycleRecord&)> also_;  // on the recorder's thread
  test::TempFolder folder_;
  runtime::StopRequest stop_;
  runtime::LiveControl live_{stop_};
  RunSide side_{live_, {"test", folder_.path() / "gains", folder_.path()}};
  runtime::RunResult result_;
};

TEST_F(RunSideOfARun, TurnsGainsAndTakesThemBack) {
  run_while([](Asking run) {
    const std::string name = "/pid/left_knee/kp";
    const double before = run.value(name);
    ASSERT_GT(before, 0.0);
    EXPECT_EQ(run.set(name, before + 1.0), "");
    EXPECT_EQ(run.value(name), before + 1.0);
    const json undone = run.call("undo");
    EXPECT_EQ(undone.at("ok"), true) << undone;
    EXPECT_GT(undone.at("tick").get<std::int64_t>(), 0);
    EXPECT_EQ(run.value(name), before);
    EXPECT_EQ(run.call("redo").at("ok"), true);
    EXPECT_EQ(run.call("store", {{"set", "B"}}).at("ok"), true);
    const json difference = run.call("difference").at("difference");
    ASSERT_EQ(difference.size(), 1u);
    EXPECT_EQ(difference[0], (json{{"name", name.substr(1)}, {"a", before}, {"b", before + 1.0}}));
    EXPECT_EQ(run.call("select", {{"set", "A"}}).at("ok"), true);
    EXPECT_EQ(run.value(name), before);
  });
}

TEST_F(RunSideOfARun, RefusesAWriteThatHasNotSeenTheNewestOne) {
  run_while([this](Asking run) {
    const std::string name = "pid/left_knee/kp";
    const std::uint64_t start = live_.status().requested;
    const json first = run.call("set", {{"base", start}, {"changes", {{name, 3.5}}}});
    ASSERT_EQ(first.at("ok"), true) << first;
    const json& version = first.at("version");
    EXPECT_GT(version, start);
    const json late = run.call("set", {{"base", start}, {"changes", {{name, 4.5}}}});
    EXPECT_EQ(late,
              (json{{"ok", false},
                    {"version", version},
                    {"error", "base " + std::to_string(start) + ": refused, expected version " +
                                  version.dump() + ", that of the last change of a gain"}}));
    EXPECT_EQ(run.value("/" + name), 3.5);
    // neither the speed nor a pause changes a gain, and a change by another client counts as well
    EXPECT_EQ(run.call("speed", {{"factor", 0.9}}).at("ok"), true);
    EXPECT_EQ(run.call("pause").at("ok"), true);
    EXPECT_EQ(run.call("set", {{"base", version}, {"changes", {{"/" + name, 4.5}}}}).at("ok"),
              true);
    EXPECT_EQ(run.call("undo").at("ok"), true);
    const json news = live_.status().written;
    EXPECT_GT(news, version);
    EXPECT_EQ(run.call("set", {{"base", version}, {"changes", {{name, 5.0}}}}).at("version"), news);
    const json version_to_come = live_.status().requested + 1;
    EXPECT_EQ(run.call("set", {{"base", version_to_come}, {"changes", {{name, 5.0}}}}).at("ok"),
              false);
    EXPECT_EQ(run.value("/" + name), 3.5);
    EXPECT_EQ(run.call("play").at("ok"), true);
  });
}

// Each write adds one to the value that it has seen, so a write that got in between unseen would
// be lost from the sum.
TEST_F(RunSideOfARun, TenThousandWritesOfTwoClientsAreASerialOrder) {
  constexpr int kWrites = 5000;            // of each of the two
  constexpr double kRaise = 1.0 / 1024.0;  // sums without rounding
  const std::string name = "pid/left_knee/kp";
  std::atomic<int> accepted{0}, refused{0};
  run_while([&](Asking run) {
    const auto begin =
        run.call("set", {{"base", live_.status().requested}, {"changes", {{name, 1.0}}}});
    ASSERT_EQ(begin.at("ok"), true) << begin;
    const auto write = [&] {
      for (int k = 0; k < kWrites; ++k) {
        const std::uint64_t base = live_.status().written;
        const control::TunableValue more{name, run.value("/" + name) + kRaise};
        // the service's checks; if each waited for the cycle it would take too long
        (live_.gains().propose({&more, 1}, "set", base).ok() ? accepted : refused)++;
      }
    };
    std::thread other(write);
    write();
    other.join();
    EXPECT_EQ(run.value("/" + name), 1.0 + kRaise * accepted);
  });
  EXPECT_EQ(accepted + refused, 2 * kWrites);
  EXPECT_GE(accepted, kWrites);  // one of the two always gets through
}

TEST_F(RunSideOfARun, RefusesWhatCannotBeWithTheReason) {
  run_while([this](Asking run) {
    const double before = run.value("/pid/left_knee/kp");
    for (const auto& [name, value, expected] :
         std::vector<std::tuple<std::string, json, std::string>>{
             {"/pid/left_knee/kp", 1e9, "pid/left_knee/kp"},
             {"/pid/left_knee/kp", "5", "a number"},
             {"/pid/left_knee/kp", nullptr, "a number"},
             {"/pid/no_such_joint/kp", 1.0, "no_such_joint"},
             {"pid/left_knee/kp", 1.0, "begins with '/'"},
             {"/tunables", "x", "read only"}}) {
      EXPECT_NE(run.set(name, value).find(expected), std::string::npos) << name << " " << value;
    }
    EXPECT_EQ(run.value("/pid/left_knee/kp"), before);
    for (const auto& [service, request] : std::vector<std::pair<std::string, json>>{
             {"step", {{"ms", 0}}},
             {"step", json::object()},
             {"speed", {{"factor", 9.0}}},
             {"speed", {{"factor", "fast"}}},
             {"set", {{"base", 0}}},
             {"set", {{"changes", {{"pid/left_knee/kp", 1}}}}},
             {"set", {{"base", -1}, {"changes", {{"a", 1}}}}},
             {"set", {{"base", 0}, {"changes", {{"a", 1}}}}},
             {"set", {{"base", 0}, {"changes", {{"", 1}}}}},
             {"set", {{"base", 0}, {"changes", {{"a", "b"}}}}},
             {"reverse", {{"on", 7}}},
             {"reverse", json::object()},
             {"select", {{"set", "C"}}},
             {"stop", {{"level", "somehow"}}},
             {"play", {{"loop", 7}}},
             {"play", {{"motion", "no such motion"}}},
             {"save", {{"name", "../outside"}}},
             {"save", {{"name", ".hidden"}}},
             {"no such service", json::object()}}) {
      const json answer = run.call(service, request);
      EXPECT_EQ(answer.at("ok"), false) << service;
      EXPECT_GT(answer.at("error").get<std::string>().size(), 5u);
    }
    EXPECT_FALSE(fs::exists(folder_.path() / "outside.json"));
  });
}

TEST_F(RunSideOfARun, SavesIntoItsFolder) {
  run_while([this](Asking run) {
    const json saved = run.call("save", {{"name", "mine"}, {"note", "of a test"}});
    EXPECT_EQ(saved.at("ok"), true) << saved;
    EXPECT_TRUE(fs::exists(folder_.path() / "gains/mine.json"));
  });
}

TEST_F(RunSideOfARun, SlowsDownWhenTheWriterIsLost) {
  run_while([this](Asking) { side_.writer_lost(); });
  EXPECT_EQ(result_.end, runtime::RunEnd::kInterrupted);
}

/// A prediction of 0.5 s in which every joint may be anywhere but the left knee.
Forecast anywhere_but_the_knee(int knee, double low, double high) {
  Forecast run;
  run.ok = true;
  for (int k = 0; k <= 50; ++k) run.t.push_back(0.01 * k);
  run.joints.resize(17);
  for (std::size_t j = 0; j < run.joints.size(); ++j) {
    const bool is_knee = static_cast<int>(j) == knee;
    run.joints[j].low.assign(run.t.size(), is_knee ? low : -10.0);
    run.joints[j].mean.assign(run.t.size(), 0.0);
    run.joints[j].high.assign(run.t.size(), is_knee ? high : 10.0);
  }
  return run;
}

class PromotionInARun : public RunSideOfARun {
 protected:
  /// Promotes kp 1 higher under that prediction of the knee; the watch's report, no sentence for
  /// nothing.
  PromotionNews promote(double low, double high) {
    const models::RobotDescription robot =
        models::read_robot_folder(kSource / "models/data/khr1", models::BaseKind::kFixed);
    const auto& names = robot.joint_names;
    const auto knee =
        static_cast<int>(std::find(names.begin(), names.end(), "left_knee") - names.begin());
    Promotion promotion(live_, robot.wiring);
    std::promise<PromotionNews> report;
    bool is_told = false;
    std::int64_t applied = 0;
    also_ = [&](const runtime::CycleRecord& row) {
      std::optional<PromotionNews> news = promotion.row(row, names);
      if (applied == 0 && row.out.tuning_version > 0) applied = row.in.tick;
      const bool is_over =
          applied > 0 && row.in.tick > applied + 1000;  // 1 s, twice the prediction
      if (is_told || !(news || is_over)) return;
      is_told = true;
      report.set_value(news.value_or(PromotionNews{}));
    };
    PromotionNews answer;
    run_while([&](Asking run) {
      before_ = run.value("/pid/left_knee/kp");
      ASSERT_TRUE(promotion.arm({{"pid/left_knee/kp", before_ + 1.0}}, std::nullopt,
                                anywhere_but_the_knee(knee, low, high),
                                [](const runtime::LiveAnswer& a) { EXPECT_TRUE(a.ok()); }));
      answer = report.get_future().get();
      after_ = run.value("/pid/left_knee/kp");
    });
    return answer;
  }
  double before_ = 0.0;
  double after_ = 0.0;
};

TEST_F(PromotionInARun, IsRevertedAutomaticallyWhenTheRobotLeavesItsBand) {
  const PromotionNews report = promote(2.0, 2.1);  // rad; the knee never is there
  EXPECT_NE(report.sentence.find("reverted: left_knee read"), std::string::npos) << report.sentence;
  EXPECT_TRUE(report.is_rollback);
  EXPECT_EQ(report.joint, "left_knee");
  EXPECT_GT(report.tick, 0);
  EXPECT_GT(report.ticket, 0u);
  EXPECT_EQ(after_, before_);
  EXPECT_EQ(live_.gains().applied().why, "rollback");
}

TEST_F(PromotionInARun, StaysWhereTheRobotKeepsItsBand) {
  EXPECT_EQ(promote(-10.0, 10.0).sentence, "");
  EXPECT_EQ(after_, before_ + 1.0);
}

TEST(RunSideWithoutARun, ListsNothingAndRefuses) {
  runtime::StopRequest stop;
  runtime::LiveControl live(stop);
  RunSide side(live, {});
  Asking run(side);
  EXPECT_EQ(run.call("motions").at("motions"), json::array());
  EXPECT_EQ(run.call("undo").at("ok"), false);
  EXPECT_NE(run.set("/pid/left_knee/kp", 1.0), "");
}

TEST(ChangedParameters, AreThoseThatDifferFromTheLastReport) {
  std::map<std::string, double> before;
  runtime::AppliedGains gains;
  gains.values = {{"pid/a/kp", 1.0}, {"pid/b/kp", 2.0}};
  EXPECT_EQ(changed_parameters(gains, before).size(), 2u);
  gains.values[1].value = 3.0;
  const std::vector<Parameter> changed = changed_parameters(gains, before);
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed[0].name, "/pid/b/kp");
  EXPECT_EQ(changed[0].value, 3.0);
  EXPECT_TRUE(changed_parameters(gains, before).empty());
}

// --- the layout for other viewers

/// Of "/topic.field[:]{name==\"x\"}.other": the topic, then the fields.
std::vector<std::string> fields_of(const std::string& path) {
  std::vector<std::string> fields(1);
  int depth = 0;  // of brackets and braces: what is in them chooses, it names nothing
  for (const char c : path) {
    if (c == '[' || c == '{') ++depth;
    if (depth == 0 && c == '.') {
      fields.emplace_back();
    } else if (depth == 0) {
      fields.back() += c;
    }
    if (c == ']' || c == '}') --depth;
  }
  return fields;
}

void panels_of(const json& node, std::vector<std::string>& panels) {
  if (node.is_string()) return panels.push_back(node.get<std::string>());
  ASSERT_TRUE(node.at("direction") == "row" || node.at("direction") == "column");
  panels_of(node.at("first"), panels);
  panels_of(node.at("second"), panels);
}

TEST(FoxgloveLayout, NamesOnlyTopicsFieldsServicesAndPanelsThatExist) {
  const fs::path file = kSource / "tools/dashboard/viewers/foxglove_layout.json";
  const json layout = json::parse(std::ifstream(file));
  runtime::StopRequest stop;
  runtime::LiveControl live(stop);
  const RunSide side(live, {"test", "", ""});
  const auto check_path = [&](const std::string& path) {
    const std::vector<std::string> fields = fields_of(path);
    json schema;
    for (const OfferedChannel& offered : side.channels()) {
      if (offered.channel.topic == fields[0]) schema = json::parse(offered.channel.schema);
    }
    ASSERT_FALSE(schema.is_null()) << path;
    for (std::size_t i = 1; i < fields.size(); ++i) {
      if (schema.at("type") == "array") schema = json(schema.at("items"));
      ASSERT_TRUE(schema.at("properties").contains(fields[i])) << path;
      schema = json(schema.at("properties").at(fields[i]));
    }
  };
  int paths = 0;
  std::vector<std::string> configured;
  const json& panels = layout.at("configById");
  for (const auto& [id, config] : panels.items()) {
    configured.push_back(id);
    for (const json& path : config.value("paths", json::array())) {
      check_path(path.at("value").get<std::string>());
      ++paths;
    }
    for (const char* key : {"topicPath", "topicToRender"}) {
      if (config.contains(key)) check_path(config.at(key).get<std::string>());
    }
    if (config.contains("serviceName")) {
      const auto services = side.services();
      const std::string wanted = config.at("serviceName");
      EXPECT_TRUE(std::any_of(services.begin(), services.end(), [&](const OfferedService& s) {
        return s.service.name == wanted;
      })) << id;
      EXPECT_TRUE(json::accept(config.at("requestPayload").get<std::string>())) << id;
    }
    const json layers = config.value("layers", json::object());
    for (const auto& [key, layer] : layers.items()) {
      EXPECT_EQ(layer.at("instanceId"), key);
      const std::string url = layer.value("url", "/robot/robot.urdf");
      EXPECT_EQ(url.substr(url.find("/robot")), "/robot/robot.urdf") << key;
    }
  }
  EXPECT_GE(paths, 3);
  std::vector<std::string> shown;
  panels_of(layout.at("layout"), shown);
  std::sort(shown.begin(), shown.end());
  std::sort(configured.begin(), configured.end());
  EXPECT_EQ(shown, configured);
}

}  // namespace
}  // namespace kagami::tools
