// Clients that mean no good, fall silent or are too many, against the dashboard's server:
// how the server ends them, and that the others are served. Rows 50-56 and 62 of the fault list.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <nlohmann/json.hpp>

#include "tools/dashboard/port_holder.hpp"
#include "tools/dashboard/test/fake_side.hpp"
#include "tools/dashboard/test/ws_client.hpp"
#include "tools/dashboard/writer_lease.hpp"

namespace kagami::tools {
namespace {

using nlohmann::json;
using test::FakeSide;
using test::files;
using test::kBig, test::kHandOver, test::kMotions, test::kPlay, test::kTake, test::kToken,
    test::kWriter;
using test::WsClient;
using tcp = boost::asio::ip::tcp;

ServerSettings settings() {
  ServerSettings s;
  s.guard = {"127.0.0.1", 0, kToken, {}};
  return s;
}

/// A TCP connection without a protocol.
class Raw {
 public:
  explicit Raw(std::uint16_t port) : socket_(io_) {
    socket_.connect({boost::asio::ip::make_address("127.0.0.1"), port});
  }
  void say(const std::string& bytes) {
    boost::system::error_code gone;
    boost::asio::write(socket_, boost::asio::buffer(bytes), gone);
  }
  /// All that comes until the other side ends it.
  std::string hear_all() {
    std::string bytes;
    boost::system::error_code end;
    boost::asio::read(socket_, boost::asio::dynamic_buffer(bytes), end);
    return bytes;
  }
  /// Of the answer's first line.
  int hear_code() {
    std::string bytes;
    boost::system::error_code end;
    boost::asio::read_until(socket_, boost::asio::dynamic_buffer(bytes), "\r\n\r\n", end);
    return bytes.size() > 12 ? std::stoi(bytes.substr(9, 3)) : 0;
  }

 private:
  boost::asio::io_context io_;
  tcp::socket socket_;
};

TEST(DashboardFaults, ThirtyTwoFloodsOfTenThousandMessagesEndThemselvesAlone) {
  FakeSide side;
  ServerSettings s = settings();
  s.max_clients = 33;
  DashboardServer server(s, side, files());
  WsClient good(server.port(), kWriter);
  std::vector<std::thread> floods;
  for (int k = 0; k < 32; ++k) {
    floods.emplace_back([&server] {
      WsClient flood(server.port(), "/ws");
      for (int n = 0; n < 10'000; ++n) {
        if (!flood.try_to_say(R"({"op":"getParameters","parameterNames":[]})")) break;
      }
      const int code = flood.receive_close();
      EXPECT_TRUE(code == 1008 || code == 0) << code;  // 0: what it still sent reset the line
    });
  }
  for (int k = 0; k < 20; ++k) EXPECT_TRUE(good.call(kPlay, "{}").at("ok"));
  for (std::thread& flood : floods) flood.join();
  EXPECT_EQ(server.counters().flooded, 32u);
  EXPECT_TRUE(good.call(kPlay, "{}").at("ok"));
}

TEST(DashboardFaults, AMessageInPiecesThatNeverEndsIsEnded) {
  FakeSide side;
  ServerSettings s = settings();
  s.idle_s = 0.1;
  s.handshake_s = 0.1;  // also to say good-bye
  DashboardServer server(s, side, files());
  WsClient large(server.port(), "/ws");
  while (large.say_part(std::string(1000, 'x'))) std::this_thread::yield();
  // bytes keep coming, but nothing whole, and pings are not answered
  WsClient empty(server.port(), "/ws");
  while (empty.say_part("")) std::this_thread::yield();
  EXPECT_TRUE(WsClient(server.port(), "/ws").call(kMotions, "{}").at("ok"));
}

TEST(DashboardFaults, SlowHandshakesAndSilentConnectionsEnd) {
  FakeSide side;
  ServerSettings s = settings();
  s.handshake_s = 0.05;
  DashboardServer server(s, side, files());
  std::vector<std::unique_ptr<Raw>> slow;
  for (const char* begin :
       {"", "G", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: 127.0", "\x16\x03\x01"}) {
    slow.push_back(std::make_unique<Raw>(server.port()));
    slow.back()->say(begin);
  }
  for (const auto& raw : slow) (void)raw->hear_all();  // returns: the server has left
  EXPECT_TRUE(WsClient(server.port(), "/ws").call(kMotions, "{}").at("ok"));
}

TEST(DashboardFaults, AThousandIdleConnectionsLockOutNoClient) {
  rlimit files_limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &files_limit), 0);
  files_limit.rlim_cur = std::min<rlim_t>(files_limit.rlim_max, 4096);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &files_limit), 0);
  if (files_limit.rlim_cur < 2100) GTEST_SKIP() << "this user may not open 2100 files";
  FakeSide side;
  DashboardServer server(settings(), side, files());
  std::vector<std::unique_ptr<Raw>> idle;
  for (int k = 0; k < 1000; ++k) idle.push_back(std::make_unique<Raw>(server.port()));
  EXPECT_EQ(test::ask(server.port(), test::http::verb::get, "/", {}).result_int(), 200u);
  EXPECT_TRUE(WsClient(server.port(), "/ws").call(kMotions, "{}").at("ok"));
  EXPECT_GE(server.counters().evicted, 1000u - 32u);
  EXPECT_EQ(server.counters().refused, 0u);
}

TEST(DashboardFaults, AnswersThatAreNotReadEndTheirConnection) {
  FakeSide side;
  DashboardServer server(settings(), side, files());
  WsClient lazy(server.port(), "/ws");
  for (int k = 0; k < 90; ++k) {  // 45 MB, more than the kernel keeps
    lazy.send_binary(std::string("\x02\x07\0\0\0\x01\0\0\0\x04\0\0\0json{}", 19));
  }
  WsClient good(server.port(), "/ws");
  while (server.counters().flooded == 0) std::this_thread::yield();
  EXPECT_TRUE(good.call(kMotions, "{}").at("ok"));
  EXPECT_EQ(lazy.receive_close(), 1013);
}

TEST(DashboardFaults, HandshakesAreJudgedByHostOriginTokenAndProtocolAlone) {
  FakeSide side;
  ServerSettings s = settings();
  s.guard.allowed_origins = {"https://viewer.example"};
  DashboardServer server(s, side, files());
  const std::string port = ":" + std::to_string(server.port());
  const std::vector<std::pair<std::string, bool>> hosts{{"127.0.0.1" + port, true},
                                                        {"localhost" + port, true},
                                                        {"[::1]" + port, true},
                                                        {"127.0.0.1", false},
                                                        {"evil.example" + port, false},
                                                        {"127.0.0.1:1", false},
                                                        {"", false},
                                                        {"localhost.evil" + port, false},
                                                        {"127.0.0.2" + port, false}};
  const std::vector<std::pair<std::string, bool>> origins{
      {"", true},      {"http://localhost" + port, true}, {"https://viewer.example", true},
      {"null", false}, {"http://evil.example", false},    {"https://localhost" + port, false}};
  const std::vector<std::pair<std::string, bool>> tokens{{"", true},
                                                         {"?token=" + kToken, true},
                                                         {"?token=", false},
                                                         {"?token=" + kToken + "0", false}};
  std::uint64_t refused = 0;
  int tried = 0;
  for (const auto& [host, host_fits] : hosts) {
    for (const auto& [origin, origin_fits] : origins) {
      for (const auto& [token, token_fits] : tokens) {
        for (const char* protocol : {"foxglove.sdk.v1", "chat"}) {
          Raw raw(server.port());
          raw.say("GET /ws" + token + " HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
                  (host.empty() ? "" : "Host: " + host + "\r\n") +
                  (origin.empty() ? "" : "Origin: " + origin + "\r\n") +
                  "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n" +
                  "Sec-WebSocket-Protocol: " + protocol + "\r\n\r\n");
          const bool may = host_fits && origin_fits && token_fits;
          const int expected = !may ? 403 : protocol == std::string("chat") ? 400 : 101;
          EXPECT_EQ(raw.hear_code(), expected) << host << " " << origin << " " << token << protocol;
          refused += expected != 101 ? 1 : 0;
          ++tried;
        }
      }
    }
  }
  EXPECT_GE(tried, 60);
  EXPECT_EQ(server.counters().refused, refused);
}

TEST(DashboardFaults, NothingOfARequestIsEchoedToABrowser) {
  FakeSide side;
  DashboardServer server(settings(), side, files());
  const std::string script = "<script>alert(1)</script>";
  for (const char* method : {"GET", "POST", "<script>"}) {
    for (const std::string& target : {"/" + script, "/?x=" + script, "/ws?token=" + script}) {
      Raw raw(server.port());
      raw.say(std::string(method) + " " + target + " HTTP/1.1\r\nHost: " + script +
              "\r\nOrigin: " + script + "\r\nX: " + script + "\r\nConnection: close\r\n\r\n");
      EXPECT_EQ(raw.hear_all().find("alert"), std::string::npos) << method << target;
    }
  }
}

// --- the one that writes

TEST(WriterLease, CountsPollsAndPingsAndReportsALostWriterOnce) {
  WriterLease lease;
  int pings = 0;
  for (int k = 1; k < WriterLease::kPolls; ++k) {
    const WriterLease::Poll seen = lease.poll(false);
    EXPECT_FALSE(seen.lost || seen.hand_lost) << k;
    pings += seen.ping ? 1 : 0;
  }
  EXPECT_GE(pings, 3);
  EXPECT_TRUE(lease.poll(false).lost);
  lease.renew();
  int reported = 0;
  for (int k = 1; k <= WriterLease::kPolls; ++k) {
    const WriterLease::Poll seen = lease.poll(true);
    EXPECT_TRUE(seen.ping);
    EXPECT_EQ(seen.hand_lost, k == WriterLease::kHandPolls) << k;
    reported += seen.hand_lost ? 1 : 0;
  }
  EXPECT_EQ(reported, 1);
  // begun again, and lost again
  lease.renew();
  for (int k = 1; k <= WriterLease::kHandPolls; ++k) reported += lease.poll(true).hand_lost ? 1 : 0;
  EXPECT_EQ(reported, 2);
}

TEST(DashboardFaults, ASilentWriterWritesNoLongerAndAllAreNotified) {
  FakeSide side;
  ServerSettings s = settings();
  s.lease_s = 0.1;
  DashboardServer server(s, side, files());
  WsClient other(server.port(), kWriter);
  WsClient silent(server.port(), kWriter);
  EXPECT_TRUE(silent.call(kPlay, "{}").at("ok"));  // from here on it reads nothing
  EXPECT_EQ(other.receive_op("status").at("message"),
            "the controlling client stopped responding; no client has control");
  EXPECT_TRUE(other.call(kTake, "").at("ok"));
  EXPECT_EQ(silent.receive_op("status").at("message"),
            "you lost control: no message arrived from you in time");
  EXPECT_EQ(side.lost, 0);  // it moved nothing, and no dead-man switch was requested
}

TEST(DashboardFaults, AWriterThatAnswersPingsKeepsItsLease) {
  FakeSide side;
  ServerSettings s = settings();
  s.lease_s = 0.4;
  DashboardServer server(s, side, files());
  WsClient writer(server.port(), kWriter + "&rate=60");
  WsClient other(server.port(), kWriter);
  writer.say(R"({"op":"subscribe","subscriptions":[{"id":1,"channelId":1}]})");
  EXPECT_TRUE(writer.call(kPlay, "{}").at("ok"));
  while (writer.pings < 12) {  // one each eighth of a lease
    server.publish(test::kCurves, 1, R"({"k":1})");
    (void)writer.receive_message(1);
  }
  EXPECT_FALSE(other.call(kPlay, "{}").at("ok"));
}

TEST(DashboardFaults, WhatMovesByAHandStopsWhenTheHandIsGone) {
  for (const bool is_silent : {true, false}) {
    FakeSide side;
    ServerSettings s = settings();
    s.lease_s = 2.0;
    DashboardServer server(s, side, files());
    auto writer = std::make_unique<WsClient>(server.port(), kWriter);
    EXPECT_TRUE(writer->call(kPlay, "{}").at("ok"));
    side.hand = true;
    if (!is_silent) {
      EXPECT_TRUE(writer->call(kHandOver, "{}").at("ok"));
    }
    while (side.lost == 0) std::this_thread::yield();  // no ping is answered
    EXPECT_EQ(side.lost, 1);
    if (is_silent) {  // it is still the writer: a lease is ten times as long
      WsClient other(server.port(), kWriter);
      EXPECT_FALSE(other.call(kPlay, "{}").at("ok"));
    }
  }
  FakeSide side;
  DashboardServer server(settings(), side, files());
  auto writer = std::make_unique<WsClient>(server.port(), kWriter);
  EXPECT_TRUE(writer->call(kPlay, "{}").at("ok"));
  side.hand = true;
  writer.reset();
  while (side.lost == 0) std::this_thread::yield();
}

TEST(PortHolder, FindsThisProcessOnly) {
  FakeSide side;
  std::uint16_t port = 0;
  {
    DashboardServer server(settings(), side, {});
    port = server.port();
    const auto holder = find_port_holder(port);
    ASSERT_TRUE(holder);
    EXPECT_EQ(holder->pid, getpid());
    EXPECT_FALSE(holder->name.empty());
  }
  EXPECT_FALSE(find_port_holder(port));
}

}  // namespace
}  // namespace kagami::tools
