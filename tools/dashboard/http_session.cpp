#include "tools/dashboard/http_session.hpp"

#include <algorithm>
#include <boost/beast/websocket/rfc6455.hpp>
#include <charconv>
#include <chrono>

#include "tools/dashboard/ws_session.hpp"

namespace kagami::tools {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;

constexpr std::size_t kMaxHeaderBytes = 8 * 1024;

std::string_view view(beast::string_view text) noexcept {
  return {text.data(), text.size()};
}

bool accepts_gzip(std::string_view encodings) noexcept {
  return encodings.find("gzip") != std::string_view::npos;
}

// what a client requested by /ws?rate=60, within the server's bounds; Hz
double rate_of(std::string_view target, const ServerSettings& settings) noexcept {
  const std::string_view text = query_value(target, "rate").value_or("");
  double rate = 0.0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), rate);
  const bool is_number = result.ec == std::errc() && result.ptr == text.data() + text.size();
  if (!is_number || !(rate > 0.0)) return settings.rate_hz;
  return std::clamp(rate, 1.0, settings.max_rate_hz);
}

void set_security_headers(http::fields& headers) {
  // scripts and styles are files of ours alone; styles that uPlot and Preact set are properties
  headers.set(
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
      "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
      "frame-ancestors 'none'");
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Referrer-Policy", "no-referrer");
  headers.set("Cross-Origin-Opener-Policy", "same-origin");
  headers.set("Cross-Origin-Resource-Policy", "same-origin");
}

}  // namespace

HttpSession::HttpSession(ServerCore& core, boost::asio::ip::tcp::socket socket)
    : core_(core),
      patience_(static_cast<std::int64_t>(1e9 * core.settings.handshake_s)),
      stream_(std::move(socket)) {
  boost::system::error_code ignored;  // a client that is gone already: the first read reports it
  stream_.socket().set_option(boost::asio::ip::tcp::no_delay(true), ignored);
}

void HttpSession::leave() {
  boost::system::error_code ignored;
  stream_.socket().close(ignored);
}

void HttpSession::run() {
  read();
}

void HttpSession::read() {
  parser_.emplace();
  parser_->header_limit(kMaxHeaderBytes);
  parser_->body_limit(0);
  waiting_ = true;
  stream_.expires_after(patience_);
  http::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this()](beast::error_code error, std::size_t) {
                     self->waiting_ = false;
                     if (error == http::error::header_limit) {
                       self->refuse(http::status::request_header_fields_too_large,
                                    "the request's header is longer than 8 KiB");
                     } else if (error == http::error::body_limit) {
                       self->refuse(http::status::payload_too_large, "no body is expected");
                     } else if (!error) {
                       self->handle();
                     }  // else: the other side is gone, too slow, or speaks no HTTP
                   });
}

void HttpSession::handle() {
  ++core_.counters.requests;
  const Request& request = parser_->get();
  const std::string_view target = view(request.target());
  const ServedFile* file = core_.find_file(path_of(target));
  kagami::tools::Request guarded{view(request[http::field::host]), std::nullopt, target,
                                 file != nullptr && file->is_public};
  if (request.find(http::field::origin) != request.end()) {
    guarded.origin = view(request[http::field::origin]);
  }
  const Access access = core_.guard->check(guarded);
  if (access == Access::kRefused) {
    ++core_.counters.refused;
    return refuse(http::status::forbidden,
                  "refused: Host, Origin or token is not accepted by this server");
  }
  if (beast::websocket::is_upgrade(request)) return upgrade(access);
  if (request.method() != http::verb::get && request.method() != http::verb::head) {
    return refuse(http::status::method_not_allowed, "expected GET or HEAD");
  }
  if (file == nullptr) return refuse(http::status::not_found, "there is no such file");
  send_file(*file);
}

void HttpSession::upgrade(Access access) {
  const Request& request = parser_->get();
  const std::string_view target = view(request.target());
  const std::string_view protocol =
      choose_subprotocol(view(request[http::field::sec_websocket_protocol]));
  if (path_of(target) != "/ws" && path_of(target) != "/") {
    return refuse(http::status::not_found, "expected the WebSocket at /ws");
  }
  if (protocol.empty()) {
    ++core_.counters.refused;
    return refuse(http::status::bad_request,
                  "expected the sub-protocol foxglove.sdk.v1 or foxglove.websocket.v1");
  }
  if (core_.counters.clients >= core_.settings.max_clients) {
    ++core_.counters.refused;
    return refuse(http::status::service_unavailable, "too many clients");
  }
  stream_.expires_never();  // the WebSocket has times of its own
  std::make_shared<WsSession>(core_, stream_.release_socket(), access,
                              rate_of(target, core_.settings))
      ->run(parser_->release(), protocol);
}

void HttpSession::send_file(const ServedFile& file) {
  const Request& request = parser_->get();
  const bool is_known = view(request[http::field::if_none_match]) == file.etag;
  Response response{is_known ? http::status::not_modified : http::status::ok, request.version()};
  response.set(http::field::content_type, file.type);
  response.set(http::field::etag, file.etag);
  response.set(http::field::vary, "Accept-Encoding");
  const bool for_ever = file.path.rfind("/assets/", 0) == 0;  // its name holds a hash
  response.set(http::field::cache_control,
               for_ever ? "public, max-age=31536000, immutable" : "no-cache");
  const bool compressed =
      !file.gzip.empty() && accepts_gzip(view(request[http::field::accept_encoding]));
  if (compressed) response.set(http::field::content_encoding, "gzip");
  const std::string& bytes = compressed ? file.gzip : file.raw;
  if (!is_known) response.body() = {bytes.data(), bytes.size()};
  response.keep_alive(request.keep_alive());
  if (!is_known) response.content_length(bytes.size());
  if (request.method() == http::verb::head) response.body() = {};
  send(std::move(response));
}

void HttpSession::refuse(http::status status, std::string_view why) {
  text_ = std::string(why) + "\n";
  Response response{status, 11};
  response.set(http::field::content_type, "text/plain; charset=utf-8");
  response.set(http::field::cache_control, "no-store");
  response.body() = {text_.data(), text_.size()};
  response.content_length(text_.size());
  if (status == http::status::method_not_allowed) response.set(http::field::allow, "GET, HEAD");
  response.keep_alive(false);
  send(std::move(response));
}

void HttpSession::send(Response response) {
  set_security_headers(response);
  response_.emplace(std::move(response));
  serializer_.emplace(*response_);
  stream_.expires_after(patience_);
  const auto done = [self = shared_from_this()](beast::error_code error, std::size_t) {
    if (error) return;
    if (self->response_->keep_alive()) return self->read();
    beast::error_code ignored;
    self->stream_.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
  };
  http::async_write(stream_, *serializer_, done);
}

}  // namespace kagami::tools
