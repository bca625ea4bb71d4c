#include "tools/dashboard/test/ws_client.hpp"

#include <cstring>
#include <nlohmann/json.hpp>

namespace kagami::test {
namespace {

using tcp = boost::asio::ip::tcp;

tcp::endpoint loopback(std::uint16_t port) {
  return {boost::asio::ip::make_address("127.0.0.1"), port};
}

std::uint32_t u32_at(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::string le(std::uint32_t value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

}  // namespace

WsClient::WsClient(std::uint16_t port, const std::string& target, const std::string& protocol,
                   const std::string& origin)
    : ws_(io_) {
  beast::get_lowest_layer(ws_).connect(loopback(port));
  beast::get_lowest_layer(ws_).socket().set_option(tcp::no_delay(true));
  ws_.set_option(websocket::stream_base::decorator([&](websocket::request_type& request) {
    if (!protocol.empty()) request.set(http::field::sec_websocket_protocol, protocol);
    if (!origin.empty()) request.set(http::field::origin, origin);
  }));
  ws_.control_callback([this](websocket::frame_type kind, beast::string_view) {
    if (kind == websocket::frame_type::ping) ++pings;
  });
  ws_.read_message_max(16 * 1024 * 1024);
  websocket::response_type response;
  beast::error_code error;
  ws_.handshake(response, "127.0.0.1:" + std::to_string(port), target, error);
  answer = response;
  if (error) throw beast::system_error(error);
}

WsClient::~WsClient() {
  beast::error_code ignored;
  beast::get_lowest_layer(ws_).socket().close(ignored);
}

void WsClient::say(const std::string& text) {
  ws_.text(true);
  ws_.write(boost::asio::buffer(text));
}

bool WsClient::say_part(const std::string& text) {
  beast::error_code error;
  ws_.text(true);
  ws_.write_some(false, boost::asio::buffer(text), error);
  return !error;
}

bool WsClient::try_to_say(const std::string& text) {
  beast::error_code error;
  ws_.text(true);
  ws_.write(boost::asio::buffer(text), error);
  return !error;
}

void WsClient::send_binary(const std::string& bytes) {
  ws_.text(false);
  ws_.write(boost::asio::buffer(bytes));
}

Received WsClient::receive() {
  beast::flat_buffer buffer;
  ws_.read(buffer);
  return {ws_.got_text(), beast::buffers_to_string(buffer.data())};
}

nlohmann::json WsClient::receive_op(const std::string& op) {
  for (;;) {
    const Received received = receive();
    if (!received.is_text) continue;
    const nlohmann::json json = received.json();
    if (json.at("op") == op) return json;
  }
}

nlohmann::json WsClient::receive_message(std::uint32_t subscription) {
  for (;;) {
    const Received received = receive();
    if (received.is_text || received.bytes.at(0) != 1 || u32_at(received.bytes, 1) != subscription)
      continue;
    return nlohmann::json::parse(received.bytes.substr(13));
  }
}

nlohmann::json WsClient::call(std::uint32_t service, const std::string& request) {
  const std::uint32_t id = next_call_++;
  send_binary("\x02" + le(service) + le(id) + le(4) + "json" + request);
  for (;;) {
    const Received received = receive();
    if (received.is_text) {
      const nlohmann::json json = received.json();
      if (json.at("op") == "serviceCallFailure" && json.at("callId") == id) return json;
      continue;
    }
    if (received.bytes.at(0) == 3 && u32_at(received.bytes, 5) == id) {
      return nlohmann::json::parse(received.bytes.substr(13 + u32_at(received.bytes, 9)));
    }
  }
}

int WsClient::receive_close() {
  for (;;) {
    beast::flat_buffer buffer;
    beast::error_code error;
    ws_.read(buffer, error);
    if (error) return static_cast<int>(ws_.reason().code);
  }
}

std::string WsClient::goodbye() const {
  return std::string(ws_.reason().reason.c_str());
}

std::string WsClient::header(http::field field) const {
  return std::string(answer[field]);
}

http::response<http::string_body> ask(
    std::uint16_t port, http::verb verb, const std::string& target,
    const std::vector<std::pair<std::string, std::string>>& headers) {
  boost::asio::io_context io;
  beast::tcp_stream stream(io);
  stream.connect(loopback(port));
  http::request<http::string_body> request{verb, target, 11};
  request.set(http::field::host, "127.0.0.1:" + std::to_string(port));
  for (const auto& [name, value] : headers) request.set(name, value);
  request.prepare_payload();
  http::write(stream, request);
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.skip(verb == http::verb::head);
  http::read(stream, buffer, parser);
  return parser.release();
}

}  // namespace kagami::test
