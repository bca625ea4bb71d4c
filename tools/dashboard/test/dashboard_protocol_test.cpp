// The Foxglove protocol without a network: bytes as specified in foxglove/ws-protocol,
// and what hostile clients send.
#include "tools/dashboard/protocol.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

namespace kagami::tools {
namespace {

using nlohmann::json;

std::vector<std::byte> bytes_of(const std::string& text) {
  std::vector<std::byte> bytes;
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

template <class Message>
Message expect(const std::string& text) {
  const ClientMessage message = parse_text(text);
  if (const auto* bad = std::get_if<Malformed>(&message)) ADD_FAILURE() << bad->why;
  const auto* wanted = std::get_if<Message>(&message);
  EXPECT_NE(wanted, nullptr) << text;
  return wanted ? *wanted : Message{};
}

void expect_malformed(const ClientMessage& message, const std::string& expected) {
  const auto* bad = std::get_if<Malformed>(&message);
  ASSERT_NE(bad, nullptr) << expected;
  EXPECT_NE(bad->why.find(expected), std::string::npos) << bad->why;
  EXPECT_LT(bad->why.size(), 400u);  // nothing long of the client's is repeated
}

TEST(Protocol, AnswersTheSubprotocolThatIsOffered) {
  EXPECT_EQ(choose_subprotocol("foxglove.sdk.v1"), "foxglove.sdk.v1");
  EXPECT_EQ(choose_subprotocol("foxglove.websocket.v1"), "foxglove.websocket.v1");
  EXPECT_EQ(choose_subprotocol("chat , foxglove.websocket.v1,foxglove.sdk.v1"),
            "foxglove.websocket.v1");
  EXPECT_EQ(choose_subprotocol("foxglove.websocket.v2"), "");
  EXPECT_EQ(choose_subprotocol(",,"), "");
  EXPECT_EQ(choose_subprotocol(""), "");
}

TEST(Protocol, ReadsWhatClientsSay) {
  const auto subscribe = expect<Subscribe>(
      R"({"op":"subscribe","subscriptions":[{"id":7,"channelId":3},{"id":8,"channelId":4294967295}]})");
  ASSERT_EQ(subscribe.entries.size(), 2u);
  EXPECT_EQ(subscribe.entries[0].subscription, 7u);
  EXPECT_EQ(subscribe.entries[1].channel, 4294967295u);
  EXPECT_EQ(expect<Unsubscribe>(R"({"op":"unsubscribe","subscriptionIds":[7]})").subscriptions,
            std::vector<std::uint32_t>{7});
  const auto get =
      expect<GetParameters>(R"({"op":"getParameters","parameterNames":["/a"],"id":"x"})");
  EXPECT_EQ(get.names, std::vector<std::string>{"/a"});
  EXPECT_EQ(get.id, "x");
  EXPECT_FALSE(expect<GetParameters>(R"({"op":"getParameters","parameterNames":[]})").id);
  const auto set = expect<SetParameters>(
      R"({"op":"setParameters","parameters":[{"name":"/a","value":4.2,"type":"float64"},{"name":"/b"}]})");
  ASSERT_EQ(set.entries.size(), 2u);
  EXPECT_EQ(set.entries[0].value, 4.2);
  EXPECT_TRUE(set.entries[1].value.is_null());
  EXPECT_TRUE(
      expect<WatchParameters>(R"({"op":"subscribeParameterUpdates","parameterNames":["/a"]})").on);
  EXPECT_FALSE(
      expect<WatchParameters>(R"({"op":"unsubscribeParameterUpdates","parameterNames":[]})").on);
  const auto asset =
      expect<FetchAsset>(R"({"op":"fetchAsset","uri":"package://robot.urdf","requestId":9})");
  EXPECT_EQ(asset.uri, "package://robot.urdf");
  EXPECT_EQ(asset.request, 9u);
  EXPECT_EQ(expect<Unsupported>(R"({"op":"advertise","channels":[]})").op, "advertise");
}

TEST(Protocol, ReadsAServiceCall) {
  const std::string call("\x02\x05\0\0\0\x01\x02\x03\x04\x04\0\0\0json{\"level\":\"slow\"}", 33);
  const ClientMessage message = parse_binary(bytes_of(call));
  const auto* read = std::get_if<CallService>(&message);
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->service, 5u);
  EXPECT_EQ(read->call, 0x04030201u);
  EXPECT_EQ(read->encoding, "json");
  EXPECT_EQ(read->payload, "{\"level\":\"slow\"}");
}

TEST(Protocol, ReportsTheProblemWithAMessage) {
  expect_malformed(parse_text("{"), "no JSON object");
  expect_malformed(parse_text("[1]"), "no JSON object");
  expect_malformed(parse_text("\xff"), "no JSON object");
  expect_malformed(parse_text(R"({"op":1e999})"), "no JSON object");
  expect_malformed(parse_text(std::string(60000, '[')), "no JSON object");
  expect_malformed(parse_text(R"({"id":1})"), "message/op: expected a text");
  expect_malformed(parse_text(R"({"op":"dance"})"), "'dance' is not known");
  expect_malformed(parse_text(R"({"op":")" + std::string(200, 'x') + R"("})"), "…");
  expect_malformed(parse_text(R"({"op":")" + std::string(300, 'x') + R"("})"), "at most 256");
  expect_malformed(parse_text(R"({"op":"subscribe"})"), "subscribe/subscriptions: expected a list");
  expect_malformed(parse_text(R"({"op":"subscribe","subscriptions":[7]})"), "expected objects");
  expect_malformed(parse_text(R"({"op":"subscribe","subscriptions":[{"id":-1,"channelId":1}]})"),
                   "subscriptions/id: expected a whole number");
  expect_malformed(parse_text(R"({"op":"subscribe","subscriptions":[{"id":1}]})"),
                   "subscriptions/channelId");
  expect_malformed(parse_text(R"({"op":"unsubscribe","subscriptionIds":[4294967296]})"), "32 bits");
  expect_malformed(parse_text(R"({"op":"getParameters","parameterNames":[1]})"), "parameterNames");
  expect_malformed(parse_text(R"({"op":"setParameters","parameters":[{"value":1}]})"),
                   "parameters/name");
  expect_malformed(parse_text(R"({"op":"setParameters","parameters":["a"]})"), "expected objects");
  expect_malformed(parse_text(R"({"op":"setParameters","parameters":[],"id":7})"),
                   "setParameters/id");
  expect_malformed(parse_text(R"({"op":"fetchAsset","requestId":1})"), "fetchAsset/uri");
}

TEST(Protocol, BoundsWhatAMessageMayHold) {
  json many = {{"op", "unsubscribe"}, {"subscriptionIds", std::vector<int>(10000, 1)}};
  expect_malformed(parse_text(many.dump()), "10000 entries, expected at most 1000");
  expect_malformed(parse_text(std::string(kMaxMessageBytes + 1, ' ')), "65537 bytes");
  expect_malformed(parse_binary(std::vector<std::byte>(kMaxMessageBytes + 1)), "65537 bytes");
  expect_malformed(parse_binary({}), "empty");
  expect_malformed(parse_binary(bytes_of("\x09")), "binary message 9");
  expect_malformed(parse_binary(bytes_of(std::string("\x02\x01\0", 3))), "at least 13");
  expect_malformed(parse_binary(bytes_of(std::string("\x02\0\0\0\0\0\0\0\0\xff\xff\xff\xff", 13))),
                   "longer than the message");
  const ClientMessage published = parse_binary(bytes_of(std::string("\x01\0\0\0\0", 5)));
  EXPECT_TRUE(std::holds_alternative<Unsupported>(published));
}

// every answer is a variant, whatever comes; the sanitizers watch
TEST(Protocol, SurvivesMutations) {
  const std::vector<std::string> seeds{
      R"({"op":"subscribe","subscriptions":[{"id":7,"channelId":3}]})",
      R"({"op":"setParameters","parameters":[{"name":"/a","value":4.2}],"id":"x"})",
      std::string("\x02\x05\0\0\0\x01\0\0\0\x04\0\0\0json{}", 19)};
  std::mt19937 random(6);
  int malformed = 0;
  for (int k = 0; k < 20000; ++k) {
    std::string text = seeds[random() % seeds.size()];
    for (auto n = 1 + random() % 3; n > 0; --n) {
      text[random() % text.size()] = static_cast<char>(random() % 256);
    }
    if (random() % 4 == 0) text.resize(random() % text.size());
    malformed += std::holds_alternative<Malformed>(parse_text(text)) ? 1 : 0;
    malformed += std::holds_alternative<Malformed>(parse_binary(bytes_of(text))) ? 1 : 0;
  }
  EXPECT_GT(malformed, 20000);
  EXPECT_LT(malformed, 40000);
}

TEST(Protocol, PrintsWhatTheSpecificationRequires) {
  EXPECT_EQ(message_frame(5, 0x0102030405060708, "{}"),
            std::string("\x01\x05\0\0\0\x08\x07\x06\x05\x04\x03\x02\x01{}", 15));
  EXPECT_EQ(time_frame(1), std::string("\x02\x01\0\0\0\0\0\0\0", 9));
  EXPECT_EQ(call_frame(2, 3, "json", "{}"),
            std::string("\x03\x02\0\0\0\x03\0\0\0\x04\0\0\0json{}", 19));
  EXPECT_EQ(asset_frame(1, "ab"), std::string("\x04\x01\0\0\0\0\0\0\0\0ab", 12));
  EXPECT_EQ(asset_failure_frame(1, "no"), std::string("\x04\x01\0\0\0\x01\x02\0\0\0no", 12));

  const json info = json::parse(print(ServerInfo{"kagami", {"parameters"}, "s1", {{"run", "w"}}}));
  EXPECT_EQ(info, json::parse(R"({"op":"serverInfo","name":"kagami","capabilities":["parameters"],
    "supportedEncodings":["json"],"metadata":{"run":"w"},"sessionId":"s1"})"));
  const std::vector<Channel> channels{{1, "/events", "foxglove.Log", "{}"}};
  EXPECT_EQ(json::parse(print_advertise(channels)),
            json::parse(R"({"op":"advertise","channels":[{"id":1,"topic":"/events",
    "encoding":"json","schemaName":"foxglove.Log","schema":"{}","schemaEncoding":"jsonschema"}]})"));
  const std::vector<Parameter> parameters{{"/a", 4.2, "float64"}, {"/t", "x"}};
  EXPECT_EQ(json::parse(print_parameters(parameters, "7")),
            json::parse(R"({"op":"parameterValues","id":"7","parameters":[
    {"name":"/a","value":4.2,"type":"float64"},{"name":"/t","value":"x"}]})"));
  EXPECT_FALSE(json::parse(print_parameters(parameters, std::nullopt)).contains("id"));
  EXPECT_EQ(json::parse(print_status(StatusLevel::kError, "no")),
            json::parse(R"({"op":"status","level":2,"message":"no"})"));
  EXPECT_EQ(json::parse(print_call_failure(1, 2, "no")),
            json::parse(R"({"op":"serviceCallFailure","serviceId":1,"callId":2,"message":"no"})"));
  const std::vector<Service> services{{4, "stop", "kagami/Stop"}};
  const json service = json::parse(print_services(services)).at("services").at(0);
  EXPECT_EQ(service.at("request").at("encoding"), "json");
  EXPECT_EQ(service.at("name"), "stop");
}

TEST(Protocol, PrintsBytesThatAreNoTextAsReplacements) {
  const std::string text = print_status(StatusLevel::kError, "name \xff\xfe");
  EXPECT_FALSE(json::parse(text, nullptr, false).is_discarded());
}

}  // namespace
}  // namespace kagami::tools
