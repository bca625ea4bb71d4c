/// A run that is none, for tests of the dashboard's server.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tools/dashboard/server.hpp"

namespace kagami::test {

using namespace tools;  // NOLINT: a test's helper

inline const std::string kToken = "0123456789abcdef0123456789abcdef";
inline const std::string kWriter = "/ws?token=" + kToken;
inline constexpr std::uint32_t kCurves = 1, kEvents = 2, kStatus = 3;
inline constexpr std::uint32_t kMotions = 1, kStop = 2, kPlay = 3, kTake = 4, kHandOver = 5,
                               kLater = 6, kBig = 7;

/// A side with one parameter; states what it received.
class FakeSide : public DashboardBackend {
 public:
  std::string name() const override { return "test"; }
  std::vector<OfferedChannel> channels() const override {
    return {{{kCurves, "/joint_states/measured", "foxglove.JointStates", "{}"}, Delivery::kNewest},
            {{kEvents, "/events", "foxglove.Log", "{}"}, Delivery::kEvery},
            {{kStatus, "/status", "kagami.Status", "{}"}, Delivery::kPersonal}};
  }
  std::vector<OfferedService> services() const override {
    return {{{kMotions, "motions", "kagami/Motions"}, Right::kAnyone},
            {{kStop, "stop", "kagami/Stop"}, Right::kToken},
            {{kPlay, "play", "kagami/Play"}, Right::kWriter},
            {{kTake, "take_writer", "kagami/TakeWriter"}, Right::kToken},
            {{kHandOver, "hand_over", "kagami/HandOver"}, Right::kToken},
            {{kLater, "later", "kagami/Later"}, Right::kAnyone},
            {{kBig, "big", "kagami/Big"}, Right::kAnyone}};
  }
  std::vector<Parameter> parameters(std::span<const std::string>) const override {
    return {{"/pid/left_knee/kp", kp.load(), "float64"}};
  }
  void set_parameters(std::vector<SetParameters::Entry> entries,
                      std::function<void(std::string)> done) override {
    if (!entries.at(0).value.is_number()) {
      return done("/pid/left_knee/kp: expected a number");
    }
    kp = entries[0].value.get<double>();
    std::thread([done] { done(""); }).detach();  // as a cycle's acknowledgement would come
  }
  void call(const std::string& service, nlohmann::json request,
            std::function<void(nlohmann::json)> done) override {
    if (service == "later") {
      const std::lock_guard lock(mutex);
      kept = std::move(done);
      return;
    }
    if (service == "big") return done({{"ok", true}, {"text", std::string(512 * 1024, 'x')}});
    done({{"ok", true}, {"service", service}, {"request", request}});
  }
  void writer_lost() override { ++lost; }
  bool needs_hand() const override { return hand; }

  std::atomic<double> kp{5.0};
  std::atomic<int> lost{0};
  std::atomic<bool> hand{false};
  std::mutex mutex;
  std::function<void(nlohmann::json)> kept;
};

inline std::vector<ServedFile> files() {
  return {{"/", "text/html", "\"1\"", "<p>page</p>", "zipped", true},
          {"/assets/app-1.js", "text/javascript", "\"2\"", "js", "", true},
          {"/robot/robot.urdf", "application/xml", "\"3\"", "<robot/>", "", false}};
}

}  // namespace kagami::test
