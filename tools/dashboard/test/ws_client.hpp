/// A blocking client of the dashboard's server, for tests; loopback alone.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace kagami::test {

namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;

/// One message: a text, or the bytes of a binary one.
struct Received {
  bool is_text = false;
  std::string bytes;
  [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(bytes); }
};

/// Every read ends after 20 s with an exception; tests never wait that long.
class WsClient {
 public:
  /// Throws beast::system_error where the server refuses; `answer` then holds its response.
  WsClient(std::uint16_t port, const std::string& target,
           const std::string& protocol = "foxglove.sdk.v1", const std::string& origin = "");
  ~WsClient();

  void say(const std::string& text);
  void send_binary(const std::string& bytes);
  [[nodiscard]] Received receive();
  /// The next text with that op; others are discarded.
  [[nodiscard]] nlohmann::json receive_op(const std::string& op);
  /// The payload of the next message of that subscription.
  [[nodiscard]] nlohmann::json receive_message(std::uint32_t subscription);
  /// Calls a service (by its id) and waits for its answer.
  [[nodiscard]] nlohmann::json call(std::uint32_t service, const std::string& request);
  /// Reads until the server closes; the close code, 0 where it just left.
  [[nodiscard]] int receive_close();
  /// The reason that the server gave when it closed.
  [[nodiscard]] std::string goodbye() const;
  /// Sent with the handshake's answer.
  [[nodiscard]] std::string header(http::field field) const;

  http::response<http::string_body> answer;
  int pings = 0;  ///< of the server, answered while something was read
  /// A part of a message that does not end it. False when the server has closed.
  [[nodiscard]] bool say_part(const std::string& text);
  /// Like say; false when the server has closed.
  [[nodiscard]] bool try_to_say(const std::string& text);

 private:
  boost::asio::io_context io_;
  websocket::stream<beast::tcp_stream> ws_;
  std::uint32_t next_call_ = 1;
};

/// One request, its answer.
http::response<http::string_body> ask(
    std::uint16_t port, http::verb verb, const std::string& target,
    const std::vector<std::pair<std::string, std::string>>& headers);

}  // namespace kagami::test
