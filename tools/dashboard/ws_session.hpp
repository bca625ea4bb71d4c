/// One client of the Foxglove protocol.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <set>

#include "tools/dashboard/server_core.hpp"
#include "tools/dashboard/token_bucket.hpp"

namespace kagami::tools {

/// Lives as long as something is being read, written or waited for. Server's thread.
class WsSession : public std::enable_shared_from_this<WsSession> {
 public:
  WsSession(ServerCore& core, boost::asio::ip::tcp::socket socket, Access access, double rate_hz);
  void run(const boost::beast::http::request<boost::beast::http::empty_body>& request,
           std::string_view protocol);

  /// A message of a channel, if the client has subscribed to it.
  void offer(const FramePtr& frame, Delivery delivery);
  void tell_changed(const std::vector<Parameter>& parameters);
  /// A text of the protocol.
  void send(std::string text) { queue(std::move(text), false); }
  /// Asks whether the client is there; its answer renews the writer's lease.
  void ping();
  /// Ends the connection with a reason that the client is given.
  void close(boost::beast::websocket::close_code code, std::string_view text);

 private:
  using Clock = std::chrono::steady_clock;
  struct Message {
    std::string bytes;
    bool is_binary = false;
  };

  void greet();
  void read();
  void handle();
  void take(const Malformed& message);
  void take(const Unsupported& message);
  void take(const Subscribe& message);
  void take(const Unsubscribe& message);
  void take(const GetParameters& message);
  void take(SetParameters message);
  void take(const WatchParameters& message);
  void take(const FetchAsset& message);
  void take(CallService message);
  void call(const OfferedService& offered, const CallService& message);
  void answer(std::uint32_t service, std::uint32_t call, const nlohmann::json& response);
  void answer_about_writing(const OfferedService& offered, const CallService& message);
  /// Why it may not; empty: it may.
  [[nodiscard]] std::string why_not(Right right);
  void report(std::string_view why, StatusLevel level = StatusLevel::kWarning);

  void tick();
  void ask_whether_it_lives();
  void tell_the_time();
  void queue(std::string bytes, bool is_binary);
  void pump();
  [[nodiscard]] Message next();
  [[nodiscard]] std::string print_frame(std::uint32_t subscription, const Frame& frame) const;
  void end();

  ServerCore& core_;
  boost::beast::websocket::stream<boost::beast::tcp_stream> ws_;
  boost::asio::steady_timer timer_;
  const Access access_;
  const std::chrono::nanoseconds period_;
  boost::beast::flat_buffer buffer_;
  TokenBucket bucket_;
  bool warned_ = false;
  bool ended_ = false;
  bool closing_ = false;
  Clock::time_point heard_;  // the last message of the client
  Clock::time_point alive_;  // the last message, ping or pong
  bool dead_man_told_ = false;
  bool pinging_ = false;
  std::uint64_t told_ns_ = 0;

  std::map<std::uint32_t, std::uint32_t> channel_of_;  // subscription -> channel
  bool watches_all_ = false;
  std::set<std::string> watched_;
  int calls_ = 0;  // that have no answer yet

  // what waits to be written: answers first, then events, then curves
  std::deque<Message> answers_;
  std::size_t answer_bytes_ = 0;
  std::deque<std::pair<std::uint32_t, FramePtr>> events_;
  std::map<std::uint32_t, FramePtr> newest_;  // by subscription, until the next tick
  std::deque<std::pair<std::uint32_t, FramePtr>> due_;
  bool writing_ = false;
  bool slow_ = false;  // the frames of the last tick are not all written
  std::uint64_t dropped_ = 0;
  Message out_;
};

}  // namespace kagami::tools
