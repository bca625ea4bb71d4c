/// One connection that requests files, until it becomes a WebSocket.
#pragma once

#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <memory>
#include <optional>

#include "tools/dashboard/server_core.hpp"

namespace kagami::tools {

class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  HttpSession(ServerCore& core, boost::asio::ip::tcp::socket socket);
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;
  void run();
  /// No whole request has come yet, or no further one.
  [[nodiscard]] bool is_waiting() const noexcept { return waiting_; }
  /// Ends it at once.
  void leave();

 private:
  using Request = boost::beast::http::request<boost::beast::http::empty_body>;
  using Response = boost::beast::http::response<boost::beast::http::span_body<const char>>;

  void read();
  void handle();
  void upgrade(Access access);
  /// A sentence of ours; no part of the request is repeated.
  void refuse(boost::beast::http::status status, std::string_view why);
  void send_file(const ServedFile& file);
  void send(Response response);

  ServerCore& core_;
  bool waiting_ = true;
  const std::chrono::nanoseconds patience_;  // for a whole request, and to take an answer
  boost::beast::tcp_stream stream_;
  boost::beast::flat_buffer buffer_;
  // a new one for each request
  std::optional<boost::beast::http::request_parser<boost::beast::http::empty_body>> parser_;
  std::optional<Response> response_;
  std::optional<boost::beast::http::response_serializer<boost::beast::http::span_body<const char>>>
      serializer_;
  std::string text_;  // of a refusal
};

}  // namespace kagami::tools
