// A joint tested on the robot of a run in simulated time, requested through the service.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <nlohmann/json.hpp>
#include <thread>

#include "runtime/app/run.hpp"
#include "tools/dashboard/tune_services.hpp"
#include "tools/test/source_folder.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using runtime::SupervisorState;
using test::kSource;

class RobotExcitationInARun : public ::testing::Test {
 protected:
  RobotExcitationInARun() {
    config_.robot_folder = kSource / "models/data/khr1";
    config_.motion_file = kSource / "motions/data/bow.json";
    config_.gains_file = kSource / "control/data/gains/khr1_walk.json";
    config_.mode = runtime::RunMode::kStream;
    config_.clock = runtime::ClockKind::kVirtual;
    config_.out_dir = folder_.path() / "session";
    setup_ = runtime::read_setup(config_);
    side_ =
        std::make_unique<RunSide>(live_, RunSideSettings{"test", folder_.path(), folder_.path()});
    tuning_ = std::make_unique<TuneServices>(*side_, live_, setup_, [](const PromotionNews&) {});
  }

  std::future<json> ask(const json& request) {
    auto answer = std::make_shared<std::promise<json>>();
    side_->call("experiment", request, [answer](json a) { answer->set_value(std::move(a)); });
    return answer->get_future();
  }
  void wait_for(SupervisorState state) {
    while (live_.status().state != state) std::this_thread::yield();
  }
  /// The run continues while `talk` sends requests, and ends with it.
  void run_while(const std::function<void()>& talk) {
    runtime::RunHooks hooks;
    hooks.stop = &stop_;
    hooks.live = &live_;
    hooks.row = [&](const runtime::CycleRecord& row) { tuning_->row(row); };
    hooks.test = [&](const runtime::CycleRecord& row) { tuning_->test_row(row); };
    std::thread talker([&] {
      while (!live_.is_open()) std::this_thread::yield();
      talk();
      live_.finish();
      live_.stop(runtime::StopLevel::kHoldNow);
    });
    result_ = runtime::run(config_, hooks);
    talker.join();
  }

  test::TempFolder folder_;
  runtime::RunConfig config_;
  runtime::RunSetup setup_;
  runtime::StopRequest stop_;
  runtime::LiveControl live_{stop_};
  std::unique_ptr<RunSide> side_;
  std::unique_ptr<TuneServices> tuning_;
  runtime::RunResult result_;
};

const json kStep = {{"kind", "step"},
                    {"joint", "left_elbow"},
                    {"size_deg", 10.0},
                    {"seconds", 1.0},
                    {"where", "robot"}};

TEST_F(RobotExcitationInARun, AnswersLikeTheTwinFromWhatTheBoardsRead) {
  run_while([&] {
    wait_for(SupervisorState::kHold);
    const json answer = ask(kStep).get();
    ASSERT_EQ(answer.at("ok"), true) << answer;
    EXPECT_EQ(answer.at("on"), "the robot");
    EXPECT_NEAR(answer.at("tick_to").get<double>() - answer.at("tick_from").get<double>(), 1000.0,
                2.0);
    const json& step = answer.at("metrics");
    EXPECT_GT(step.at("rms_deg"), 0.0);
    EXPECT_TRUE(step.at("saturation").is_null());  // rows do not say which joint
    const json curve = answer.at("curves").at("angle_deg");
    ASSERT_GT(curve.size(), 100u);
    json on_the_twin = kStep;
    on_the_twin["where"] = "twin";
    const json twin = ask(on_the_twin).get();
    ASSERT_EQ(twin.at("ok"), true) << twin;
    for (const auto& [key, value] : twin.items()) EXPECT_TRUE(answer.contains(key)) << key;
    // one controller on two plants: its targets go as far, the joint to a degree of reading
    const auto way = [](const json& of, const char* what) {
      const json values = of.at("curves").at(what);
      return values.back().get<double>() - values.front().get<double>();
    };
    EXPECT_GT(way(answer, "target_deg"), 1.0);
    EXPECT_NEAR(way(answer, "target_deg"), way(twin, "target_deg"), 0.5);
    EXPECT_NEAR(way(answer, "angle_deg"), way(twin, "angle_deg"), 1.5);
    EXPECT_NEAR(way(answer, "reference_deg"), way(twin, "reference_deg"), 1e-9);
  });
  EXPECT_TRUE(runtime::verify_record(result_.record).identical);
}

TEST_F(RobotExcitationInARun, IsRefusedWithASentenceWhereItCannotBe) {
  run_while([&] {
    wait_for(SupervisorState::kRunning);
    EXPECT_EQ(ask(kStep).get().at("ok"), false);
    wait_for(SupervisorState::kHold);
    for (const auto& [key, value] : std::vector<std::pair<std::string, json>>{{"joint", "nose"},
                                                                              {"size_deg", 500.0},
                                                                              {"size_deg", "x"},
                                                                              {"seconds", 1000.0},
                                                                              {"kind", "dance"},
                                                                              {"where", "moon"}}) {
      json wrong = kStep;
      wrong[key] = value;
      const json answer = ask(wrong).get();
      EXPECT_EQ(answer.at("ok"), false) << key << value;
      EXPECT_GT(answer.at("error").get<std::string>().size(), 10u);
    }
  });
}

TEST_F(RobotExcitationInARun, StopsWhenTheHandThatHoldsItIsGone) {
  run_while([&] {
    wait_for(SupervisorState::kHold);
    EXPECT_FALSE(side_->needs_hand());
    json longer = kStep;
    longer["seconds"] = 60.0;
    std::future<json> answer = ask(longer);
    while (!side_->needs_hand()) std::this_thread::yield();
    side_->writer_lost();
    const json broken = answer.get();
    EXPECT_EQ(broken.at("ok"), false) << broken;
    EXPECT_NE(broken.at("error").get<std::string>().find("stop"), std::string::npos) << broken;
    while (side_->needs_hand()) std::this_thread::yield();
  });
}

}  // namespace
}  // namespace kagami::tools
