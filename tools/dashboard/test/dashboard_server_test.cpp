// The dashboard's server over loopback: files, both names of the protocol, who may write, and
// clients that are hostile or slow.
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "models/base/errors.hpp"
#include "tools/dashboard/test/fake_side.hpp"
#include "tools/dashboard/test/ws_client.hpp"

namespace kagami::tools {
namespace {

using nlohmann::json;
using test::FakeSide;
using test::files;
using test::kCurves, test::kEvents, test::kStatus;
using test::kHandOver, test::kMotions, test::kPlay, test::kStop, test::kTake;
using test::kToken;
using test::WsClient;

class Dashboard : public ::testing::Test {
 protected:
  static ServerSettings settings() {
    ServerSettings s;
    s.guard.port = 0;
    s.guard.token = kToken;
    return s;
  }
  FakeSide side;
  DashboardServer server{settings(), side, files()};
  std::uint16_t port = server.port();
  const std::string writer = "/ws?token=" + kToken;
};

TEST_F(Dashboard, SupportsBothNamesOfTheProtocolAndNoOther) {
  for (const char* name : {"foxglove.sdk.v1", "foxglove.websocket.v1"}) {
    WsClient client(port, "/ws", name);
    EXPECT_EQ(client.header(test::http::field::sec_websocket_protocol), name);
    const json info = client.receive_op("serverInfo");
    EXPECT_EQ(info.at("name"), "test");
    EXPECT_EQ(client.receive_op("advertise").at("channels").size(), 3u);
    EXPECT_EQ(client.receive_op("advertiseServices").at("services").size(), 7u);
  }
  EXPECT_THROW(WsClient(port, "/ws", ""), test::beast::system_error);
  EXPECT_THROW(WsClient(port, "/ws", "chat"), test::beast::system_error);
  EXPECT_THROW(WsClient(port, "/elsewhere"), test::beast::system_error);
}

TEST_F(Dashboard, RefusesForeignPagesAndWrongTokens) {
  EXPECT_THROW(WsClient(port, writer, "foxglove.sdk.v1", "http://evil.example"),
               test::beast::system_error);
  EXPECT_THROW(WsClient(port, "/ws?token=guess"), test::beast::system_error);
  EXPECT_NO_THROW(
      WsClient(port, writer, "foxglove.sdk.v1", "http://localhost:" + std::to_string(port)));
  const auto foreign = test::ask(port, test::http::verb::get, "/", {{"Host", "evil.example"}});
  EXPECT_EQ(foreign.result_int(), 403u);
  EXPECT_EQ(foreign.body().find("evil"), std::string::npos);  // nothing is echoed
  EXPECT_EQ(server.counters().refused, 3u);
}

TEST_F(Dashboard, ClosesWithTheReasonAndWaitsForItsClients) {
  ServerSettings patient = settings();
  patient.goodbye_s = 20.0;  // never waited for: the client reads
  DashboardServer own(patient, side, files());
  { WsClient(own.port(), "/ws").say("{}"); }
  while (own.counters().clients > 0) std::this_thread::yield();
  WsClient client(own.port(), "/ws");
  EXPECT_EQ(client.receive_op("serverInfo").at("name"), "test");
  int left = -1;
  std::thread end([&] {
    own.say_goodbye("stopped; the servos hold" + std::string(200, '.'));
    left = own.counters().clients;
  });
  EXPECT_EQ(client.receive_close(), 1001);
  end.join();
  EXPECT_EQ(left, 0);
  EXPECT_EQ(client.goodbye().substr(0, 24), "stopped; the servos hold");
}

TEST_F(Dashboard, RefusesAFileToAWrongTokenSoThatThePageCanTellItFromALoss) {
  using test::http::verb;
  EXPECT_EQ(test::ask(port, verb::head, "/?token=guess", {}).result_int(), 403u);
  EXPECT_EQ(test::ask(port, verb::head, "/?token=" + kToken, {}).result_int(), 200u);
}

TEST_F(Dashboard, SendsItsFilesAndNothingElse) {
  using test::http::verb;
  const auto page = test::ask(port, verb::get, "/?token=" + kToken, {});
  EXPECT_EQ(page.result_int(), 200u);
  EXPECT_EQ(page.body(), "<p>page</p>");
  const std::string policy(page["Content-Security-Policy"]);
  EXPECT_NE(policy.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(policy.find("unsafe"), std::string::npos);
  EXPECT_EQ(page["X-Content-Type-Options"], "nosniff");
  const auto zipped = test::ask(port, verb::get, "/", {{"Accept-Encoding", "br, gzip"}});
  EXPECT_EQ(zipped["Content-Encoding"], "gzip");
  EXPECT_EQ(zipped.body(), "zipped");
  EXPECT_EQ(test::ask(port, verb::get, "/", {{"If-None-Match", "\"1\""}}).result_int(), 304u);
  const auto head = test::ask(port, verb::head, "/robot/robot.urdf", {});
  EXPECT_EQ(head.result_int(), 200u);
  EXPECT_EQ(head["Content-Length"], "8");
  EXPECT_NE(test::ask(port, verb::get, "/assets/app-1.js", {})["Cache-Control"].find("immutable"),
            std::string::npos);
  for (const char* path : {"/../etc/passwd", "/assets/../../etc/passwd", "/%2e%2e/etc/passwd",
                           "/assets/", "//", "/robot", "/robot/robot.urdf/", "/\\..\\x"}) {
    EXPECT_EQ(test::ask(port, verb::get, path, {}).result_int(), 404u) << path;
  }
  for (const verb other : {verb::post, verb::put, verb::delete_, verb::options}) {
    EXPECT_EQ(test::ask(port, other, "/", {}).result_int(), 405u);
  }
  const std::string huge(20000, 'x');
  EXPECT_EQ(test::ask(port, verb::get, "/", {{"X-Huge", huge}}).result_int(), 431u);
}

TEST_F(Dashboard, SendsTheNewestOfACurveAndEveryEvent) {
  WsClient client(port, "/ws?rate=60");
  client.say(
      R"({"op":"subscribe","subscriptions":[{"id":7,"channelId":1},{"id":8,"channelId":2}]})");
  client.say(R"({"op":"getParameters","parameterNames":[],"id":"in order"})");
  EXPECT_EQ(client.receive_op("parameterValues").at("id"),
            "in order");  // the subscription is there
  for (int k = 0; k < 5; ++k) server.publish(kEvents, 1, json{{"k", k}}.dump());
  for (int k = 0; k < 5; ++k) EXPECT_EQ(client.receive_message(8).at("k"), k);
  server.publish(kCurves, 1, R"({"joints":[1]})");
  EXPECT_EQ(client.receive_message(7).at("joints").at(0), 1);
  client.say(R"({"op":"unsubscribe","subscriptionIds":[7]})");
  client.say(
      R"({"op":"subscribe","subscriptions":[{"id":9,"channelId":99},{"id":8,"channelId":1}]})");
  EXPECT_EQ(client.receive_op("status").at("message"), "channel 99 does not exist");
  EXPECT_EQ(client.receive_op("status").at("message"), "subscription 8 exists already");
}

TEST_F(Dashboard, SendsTheTimeOfTheRun) {
  WsClient client(port, "/ws?rate=60");
  const json capabilities = client.receive_op("serverInfo").at("capabilities");
  EXPECT_NE(std::find(capabilities.begin(), capabilities.end(), "time"), capabilities.end());
  for (const std::uint64_t time : {std::uint64_t{1'000'000'007}, std::uint64_t{1'000'000'006}}) {
    server.publish_time(time);  // also back: it is the run's
    test::Received received = client.receive();
    while (received.is_text || received.bytes.at(0) != 2) received = client.receive();
    EXPECT_EQ(received.bytes, time_frame(time));
  }
}

TEST_F(Dashboard, LetsOneClientWriteAndHandsOverVisibly) {
  WsClient reader(port, "/ws");
  WsClient first(port, writer);
  WsClient second(port, writer);
  const std::string change =
      R"({"op":"setParameters","parameters":[{"name":"/pid/left_knee/kp","value":4.25}],"id":"a"})";
  reader.say(change);
  EXPECT_NE(reader.receive_op("status").at("message").get<std::string>().find("without the token"),
            std::string::npos);
  EXPECT_EQ(reader.receive_op("parameterValues").at("parameters").at(0).at("value"), 5.0);
  first.say(change);
  const json values = first.receive_op("parameterValues");
  EXPECT_EQ(values.at("id"), "a");
  EXPECT_EQ(values.at("parameters").at(0).at("value"), 4.25);
  second.say(change);
  EXPECT_NE(
      second.receive_op("status").at("message").get<std::string>().find("another client writes"),
      std::string::npos);
  EXPECT_FALSE(second.call(kPlay, "{}").at("ok"));
  EXPECT_TRUE(
      second.call(kStop, R"({"level":"slow"})").at("ok"));  // stopping is open to all of them
  EXPECT_FALSE(reader.call(kStop, "{}").at("ok"));
  EXPECT_TRUE(second.call(kTake, "").at("ok"));
  EXPECT_EQ(first.receive_op("status").at("message"), "another client took control");
  EXPECT_TRUE(second.call(kPlay, "{}").at("ok"));
  EXPECT_FALSE(first.call(kPlay, "{}").at("ok"));
  second.say(R"({"op":"subscribe","subscriptions":[{"id":1,"channelId":3}]})");
  EXPECT_TRUE(second.call(kMotions, "{}").at("ok"));
  server.publish(kStatus, 1, R"({"tick":3})");
  EXPECT_EQ(second.receive_message(1),
            json::parse(R"({"tick":3,"writer":{"you":true,"taken":true},"dropped":0})"));
  EXPECT_TRUE(second.call(kHandOver, "{}").at("ok"));
  EXPECT_TRUE(first.call(kPlay, "{}").at("ok"));
}

TEST_F(Dashboard, AnswersCallsThatAreNone) {
  WsClient client(port, writer);
  EXPECT_EQ(client.call(99, "{}").at("message"), "there is no such service");
  EXPECT_EQ(client.call(kMotions, "[1]").at("message"), "expected a JSON object");
  EXPECT_EQ(client.call(kMotions, "{").at("message"), "expected a JSON object");
  EXPECT_EQ(client.call(kMotions, R"({"a":1})").at("request").at("a"), 1);
  client.say(R"({"op":"setParameters","parameters":[{"name":"/pid/left_knee/kp","value":"x"}]})");
  EXPECT_EQ(client.receive_op("status").at("message"), "/pid/left_knee/kp: expected a number");
  client.say(R"({"op":"fetchAsset","uri":"package://robot/robot.urdf","requestId":1})");
  test::Received asset = client.receive();
  while (asset.is_text) asset = client.receive();
  EXPECT_EQ(asset.bytes.substr(10), "<robot/>");
}

TEST_F(Dashboard, EndsAFloodAndAnEndlessMessageAndKeepsTheOthers) {
  WsClient flood(port, "/ws");
  for (int k = 0; k < 400; ++k) {
    try {
      flood.say("{}");
    } catch (const test::beast::system_error&) {
      break;  // closed already
    }
  }
  EXPECT_EQ(flood.receive_close(), 1008);
  WsClient huge(port, "/ws");
  huge.say(std::string(70000, ' '));
  EXPECT_EQ(huge.receive_close(), 1009);
  WsClient many(port, "/ws");
  json list = json::array();
  for (int k = 0; k < 200; ++k) list.push_back({{"id", k}, {"channelId", 1}});
  many.say(json{{"op", "subscribe"}, {"subscriptions", list}}.dump());
  EXPECT_EQ(many.receive_op("status").at("message"),
            "more than 100 subscriptions, the rest is refused");
  for (int k = 0; k < 1000; ++k) list.push_back({{"id", k}, {"channelId", 1}});
  many.say(json{{"op", "subscribe"}, {"subscriptions", list}}.dump());
  EXPECT_NE(many.receive_op("status").at("message").get<std::string>().find("at most 1000"),
            std::string::npos);
  EXPECT_TRUE(many.call(kMotions, "{}").at("ok"));
  EXPECT_EQ(server.counters().flooded, 1u);
  EXPECT_GT(server.counters().malformed, 50u);
}

TEST_F(Dashboard, DropsOldFramesOfAClientThatDoesNotReadAndServesTheOthers) {
  WsClient lazy(port, "/ws?rate=60");
  WsClient quick(port, "/ws?rate=60");
  for (WsClient* client : {&lazy, &quick}) {
    client->say(R"({"op":"subscribe","subscriptions":[{"id":1,"channelId":1}]})");
    EXPECT_TRUE(client->call(kMotions, "{}").at("ok"));
  }
  const std::string padding(1024 * 1024, ' ');
  // each message that the fast client received the slow one has as many chances
  int k = 0;
  for (; k < 500 && server.counters().dropped < 5; ++k) {
    server.publish(kCurves, 1, json{{"k", k}, {"padding", padding}}.dump());
    EXPECT_EQ(quick.receive_message(1).at("k"), k);
  }
  EXPECT_GE(server.counters().dropped, 5u);
  EXPECT_LT(k, 500);
}

TEST_F(Dashboard, RefusesMoreClientsThanItMayHave) {
  std::vector<std::unique_ptr<WsClient>> clients;
  for (int k = 0; k < 16; ++k) clients.push_back(std::make_unique<WsClient>(port, "/ws"));
  EXPECT_THROW(WsClient(port, "/ws"), test::beast::system_error);
  EXPECT_EQ(clients.back()->receive_op("serverInfo").at("name"), "test");
}

TEST(DashboardServer, AnswersThatComeAfterItsEndDoNothing) {
  FakeSide side;
  {
    ServerSettings settings;
    settings.guard = {"127.0.0.1", 0, kToken, {}};
    DashboardServer server(settings, side, files());
    WsClient client(server.port(), "/ws");
    client.send_binary(std::string("\x02\x06\0\0\0\x01\0\0\0\x04\0\0\0json{}", 19));
    EXPECT_TRUE(client.call(kMotions, "{}").at("ok"));  // the one before has arrived
  }
  const std::lock_guard lock(side.mutex);
  ASSERT_TRUE(side.kept);
  side.kept({{"ok", true}});
}

TEST(DashboardServer, ReportsThatTheWriterIsGone) {
  FakeSide side;
  ServerSettings settings;
  settings.guard = {"127.0.0.1", 0, kToken, {}};
  settings.dead_man_s = 30.0;
  DashboardServer server(settings, side, files());
  WsClient other(server.port(), "/ws");
  {
    WsClient client(server.port(), "/ws?token=" + kToken);
    EXPECT_TRUE(client.call(kPlay, "{}").at("ok"));
  }
  EXPECT_EQ(other.receive_op("status").at("message"), "the controlling client disconnected");
  EXPECT_TRUE(other.call(kMotions, "{}").at("ok"));
  EXPECT_EQ(side.lost, 1);
}

/// Whether a silent writer is reported as lost while another client receives ten curves.
bool is_told_lost(double dead_man_s) {
  FakeSide side;
  ServerSettings settings;
  settings.guard = {"127.0.0.1", 0, kToken, {}};
  settings.dead_man_s = dead_man_s;
  DashboardServer server(settings, side, {});
  WsClient silent(server.port(), "/ws?rate=60&token=" + kToken);
  EXPECT_TRUE(silent.call(kPlay, "{}").at("ok"));
  WsClient other(server.port(), "/ws?rate=60");
  other.say(R"({"op":"subscribe","subscriptions":[{"id":1,"channelId":1}]})");
  EXPECT_TRUE(other.call(kMotions, "{}").at("ok"));
  for (int k = 0; k < 10; ++k) {  // as many ticks of every client
    server.publish(kCurves, 1, json{{"k", k}}.dump());
    EXPECT_EQ(other.receive_message(1).at("k"), k);
  }
  EXPECT_LE(side.lost, 1);  // reported once
  return side.lost == 1;
}

TEST(DashboardServer, ReportsThatTheWriterIsSilent) {
  EXPECT_TRUE(is_told_lost(0.001));
  EXPECT_FALSE(is_told_lost(60.0));
  EXPECT_FALSE(is_told_lost(0.0));  // off
}

TEST(DashboardServer, RefusesSettingsAndPortsThatItCannotHave) {
  FakeSide side;
  ServerSettings settings;
  settings.guard = {"127.0.0.1", 0, kToken, {}};
  DashboardServer server(settings, side, {});
  settings.guard.port = server.port();
  try {
    DashboardServer second(settings, side, {});
    ADD_FAILURE() << "the port was free";
  } catch (const AddressError& error) {
    const std::string pid = "by pid " + std::to_string(getpid());
    EXPECT_NE(std::string(error.what()).find(pid), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("--next-port"), std::string::npos) << error.what();
  }
  settings.more_ports = 1000;
  EXPECT_GT(DashboardServer(settings, side, {}).port(), server.port());
  settings.guard.address = "nowhere";
  EXPECT_THROW(DashboardServer(settings, side, {}), ConfigError);
  settings.guard = {"127.0.0.1", 0, kToken, {}};
  settings.rate_hz = 0.0;
  EXPECT_THROW(DashboardServer(settings, side, {}), ConfigError);
}

/// Its events are state: a new subscriber gets the newest one.
class SideWithState : public FakeSide {
 public:
  std::vector<OfferedChannel> channels() const override {
    std::vector<OfferedChannel> all = FakeSide::channels();
    all.at(kEvents - 1).is_state = true;
    return all;
  }
};

TEST_F(Dashboard, GivesTheNewestMessageOfAStateToThoseWhoSubscribeLater) {
  SideWithState with_state;
  DashboardServer own(settings(), with_state, files());
  const std::string subscribe = R"({"op":"subscribe","subscriptions":[{"id":1,"channelId":2}]})";
  WsClient first(own.port(), "/ws");
  first.say(subscribe);
  (void)first.call(kMotions, "{}");  // the subscription was read
  own.publish(kEvents, 1, R"({"n":1})");
  own.publish(kEvents, 2, R"({"n":2})");
  EXPECT_EQ(first.receive_message(1), (json{{"n", 1}}));
  EXPECT_EQ(first.receive_message(1), (json{{"n", 2}}));
  WsClient later(own.port(), "/ws");
  later.say(subscribe);
  EXPECT_EQ(later.receive_message(1), (json{{"n", 2}}));
}

}  // namespace
}  // namespace kagami::tools
