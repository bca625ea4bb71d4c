#include "tools/dashboard/ws_session.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace kagami::tools {
namespace {

namespace beast = boost::beast;
namespace websocket = beast::websocket;

constexpr double kMessagesPerSecond = 50.0;
constexpr double kMessageBurst = 100.0;
/// Beyond it a client that does not read is disconnected (docs/dashboard.md). The list of all
/// tunables of a run takes 20 KiB.
constexpr std::size_t kMaxAnswerBytes = 1024 * 1024;
constexpr std::size_t kMaxEvents = 256;
constexpr std::size_t kMaxReasonBytes = 123;  // of a close frame, RFC 6455 section 5.5.1

}  // namespace

WsSession::WsSession(ServerCore& core, boost::asio::ip::tcp::socket socket, Access access,
                     double rate_hz)
    : core_(core),
      ws_(std::move(socket)),
      timer_(ws_.get_executor()),
      access_(access),
      period_(static_cast<std::int64_t>(1e9 / rate_hz)),
      bucket_(kMessagesPerSecond, kMessageBurst) {}

void WsSession::run(const beast::http::request<beast::http::empty_body>& request,
                    std::string_view protocol) {
  websocket::stream_base::timeout patience{};
  const auto seconds = [](double s) {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(1e9 * s));
  };
  patience.handshake_timeout = seconds(core_.settings.handshake_s);
  patience.idle_timeout = seconds(core_.settings.idle_s);
  patience.keep_alive_pings = true;
  ws_.set_option(patience);
  ws_.read_message_max(kMaxMessageBytes);
  ws_.auto_fragment(false);
  const std::string name(protocol);
  ws_.set_option(websocket::stream_base::decorator([name](websocket::response_type& response) {
    response.set(beast::http::field::sec_websocket_protocol, name);
  }));
  ws_.control_callback([this](websocket::frame_type, beast::string_view) {
    alive_ = Clock::now();
    core_.renew_lease(*this);
  });
  core_.add(shared_from_this());
  ws_.async_accept(request, [self = shared_from_this()](beast::error_code error) {
    if (error) return self->end();
    self->greet();
  });
}

void WsSession::greet() {
  heard_ = alive_ = Clock::now();
  ServerInfo info{core_.side.name(),
                  {"time", "parameters", "parametersSubscribe", "services", "assets"},
                  core_.session_id};
  info.metadata.emplace_back("access", access_ == Access::kWriter ? "writer" : "reader");
  send(print(info));
  std::vector<Channel> channels;
  for (const OfferedChannel& offered : core_.channels) channels.push_back(offered.channel);
  send(print_advertise(channels));
  std::vector<Service> services;
  for (const OfferedService& offered : core_.services) services.push_back(offered.service);
  send(print_services(services));
  read();
  tick();
}

void WsSession::read() {
  ws_.async_read(buffer_, [self = shared_from_this()](beast::error_code error, std::size_t) {
    if (error) return self->end();
    self->handle();
    self->buffer_.consume(self->buffer_.size());
    if (!self->closing_) self->read();
  });
}

void WsSession::handle() {
  heard_ = alive_ = Clock::now();
  dead_man_told_ = false;
  core_.renew_lease(*this);
  if (!bucket_.take(heard_)) {
    ++core_.counters.refused;
    if (!warned_) {
      warned_ = true;
      return report("more than 50 messages a second; the next one too many ends the connection");
    }
    ++core_.counters.flooded;
    return close(websocket::close_code::policy_error, "too many messages");
  }
  const auto* data = static_cast<const char*>(buffer_.data().data());
  ClientMessage message =
      ws_.got_text() ? parse_text({data, buffer_.size()})
                     : parse_binary({reinterpret_cast<const std::byte*>(data), buffer_.size()});
  std::visit([this](auto& what) { take(std::move(what)); }, message);
}

void WsSession::take(const Malformed& message) {
  ++core_.counters.malformed;
  report(message.why, StatusLevel::kError);
}

void WsSession::take(const Unsupported& message) {
  report(message.op + " is not offered by this server");
}

void WsSession::take(const Subscribe& message) {
  constexpr std::size_t kMaxSubscriptions = 100;
  for (const Subscribe::Entry& entry : message.entries) {
    if (core_.find_channel(entry.channel) == nullptr) {
      report("channel " + std::to_string(entry.channel) + " does not exist", StatusLevel::kError);
    } else if (channel_of_.size() >= kMaxSubscriptions) {
      return report("more than 100 subscriptions, the rest is refused", StatusLevel::kError);
    } else if (!channel_of_.emplace(entry.subscription, entry.channel).second) {
      report("subscription " + std::to_string(entry.subscription) + " exists already");
    } else if (const FramePtr state = core_.newest_state(entry.channel); state) {
      events_.emplace_back(entry.subscription, state);
      pump();
    }
  }
}

void WsSession::take(const Unsubscribe& message) {
  for (const std::uint32_t subscription : message.subscriptions) {
    channel_of_.erase(subscription);
    newest_.erase(subscription);
  }
}

void WsSession::take(const GetParameters& message) {
  send(print_parameters(core_.side.parameters(message.names), message.id));
}

void WsSession::take(SetParameters message) {
  std::vector<std::string> names;
  for (const auto& entry : message.entries) names.push_back(entry.name);
  const auto answer = [this, names, id = message.id](const std::string& refusal) {
    if (!refusal.empty()) report(refusal, StatusLevel::kError);
    send(print_parameters(core_.side.parameters(names), id));  // what is in force now
  };
  if (const std::string why = why_not(Right::kWriter); !why.empty()) return answer(why);
  core_.side.set_parameters(
      std::move(message.entries),
      [weak = weak_from_this(), mailbox = core_.mailbox(), answer](std::string refusal) {
        mailbox->post([weak, answer, refusal = std::move(refusal)] {
          if (const auto self = weak.lock()) answer(refusal);
        });
      });
}

void WsSession::take(const WatchParameters& message) {
  constexpr std::size_t kMaxWatched = 2000;
  if (message.names.empty()) watches_all_ = message.on;
  for (const std::string& name : message.names) {
    if (!message.on) {
      watched_.erase(name);
    } else if (watched_.size() < kMaxWatched) {
      watched_.insert(name);
    } else {
      return report("more than 2000 parameters watched, the rest is refused");
    }
  }
}

void WsSession::take(const FetchAsset& message) {
  constexpr std::string_view kScheme = "package://";
  std::string_view path = message.uri;
  if (path.substr(0, kScheme.size()) == kScheme) path.remove_prefix(kScheme.size());
  const std::string full = (path.empty() || path[0] != '/' ? "/" : "") + std::string(path);
  const ServedFile* file = core_.find_file(full);
  queue(file != nullptr ? asset_frame(message.request, file->raw)
                        : asset_failure_frame(message.request, "there is no such file"),
        true);
}

void WsSession::take(CallService message) {
  constexpr int kMaxCalls = 16;
  const OfferedService* offered = core_.find_service(message.service);
  const auto fail = [&](std::string_view why) {
    send(print_call_failure(message.service, message.call, why));
  };
  if (offered == nullptr) return fail("there is no such service");
  if (message.encoding != "json") return fail("expected the encoding json");
  if (calls_ >= kMaxCalls) return fail("16 calls are pending; wait for their answers");
  if (const std::string why = why_not(offered->right); !why.empty()) {
    return answer(message.service, message.call, {{"ok", false}, {"error", why}});
  }
  call(*offered, message);
}

void WsSession::call(const OfferedService& offered, const CallService& message) {
  if (offered.service.name == "take_writer" || offered.service.name == "hand_over") {
    return answer_about_writing(offered, message);
  }
  nlohmann::json request = message.payload.empty()
                               ? nlohmann::json::object()
                               : nlohmann::json::parse(message.payload, nullptr, false);
  if (!request.is_object()) {
    return send(print_call_failure(message.service, message.call, "expected a JSON object"));
  }
  ++calls_;
  core_.side.call(offered.service.name, std::move(request),
                  [weak = weak_from_this(), mailbox = core_.mailbox(), service = message.service,
                   call = message.call](const nlohmann::json& response) {
                    mailbox->post([weak, service, call, response] {
                      const auto self = weak.lock();
                      if (!self) return;
                      --self->calls_;
                      self->answer(service, call, response);
                    });
                  });
}

void WsSession::answer(std::uint32_t service, std::uint32_t call, const nlohmann::json& response) {
  queue(call_frame(service, call, "json",
                   response.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)),
        true);
}

void WsSession::answer_about_writing(const OfferedService& offered, const CallService& message) {
  if (offered.service.name == "take_writer") {
    core_.take_writer(shared_from_this());
  } else {
    core_.give_up_writing(*this);
  }
  answer(message.service, message.call, {{"ok", true}});
}

std::string WsSession::why_not(Right right) {
  if (right == Right::kAnyone) return {};
  if (access_ != Access::kWriter)
    return "this connection is read-only: it was opened without the token";
  if (right == Right::kToken || core_.try_to_write(shared_from_this())) return {};
  return "another client writes; take_writer takes over";
}

void WsSession::report(std::string_view why, StatusLevel level) {
  send(print_status(level, why));
}

void WsSession::tell_changed(const std::vector<Parameter>& parameters) {
  std::vector<Parameter> wanted;
  for (const Parameter& parameter : parameters) {
    if (watches_all_ || watched_.count(parameter.name) > 0) wanted.push_back(parameter);
  }
  if (!wanted.empty()) send(print_parameters(wanted, std::nullopt));
}

void WsSession::offer(const FramePtr& frame, Delivery delivery) {
  for (const auto& [subscription, channel] : channel_of_) {
    if (channel != frame->channel) continue;
    if (delivery == Delivery::kEvery) {
      if (events_.size() >= kMaxEvents) {
        events_.pop_front();
        ++dropped_;
        ++core_.counters.dropped;
      }
      events_.emplace_back(subscription, frame);
    } else {
      FramePtr& place = newest_[subscription];
      if (place && slow_) {  // else it was only faster than this client's rate
        ++dropped_;
        ++core_.counters.dropped;
      }
      place = frame;
    }
  }
  pump();
}

void WsSession::tell_the_time() {
  const std::uint64_t now = core_.time_ns;
  if (now == told_ns_) return;
  told_ns_ = now;
  queue(time_frame(now), true);
}

// Bytes alone are no sign of life: those of a message that never ends, or of one that is too large
// to be read.
void WsSession::ask_whether_it_lives() {
  const double silent = std::chrono::duration<double>(Clock::now() - alive_).count();
  if (silent > core_.settings.idle_s) {
    return close(websocket::close_code::policy_error,
                 "no complete message was received for too long");
  }
  if (silent > 0.5 * core_.settings.idle_s) ping();
}

// The rate of the curves, and the dead-man switch.
void WsSession::tick() {
  if (ended_) return;
  ask_whether_it_lives();
  slow_ = !due_.empty();
  if (!slow_) {
    for (auto& [subscription, frame] : newest_) {
      if (frame) due_.emplace_back(subscription, std::move(frame));
    }
    newest_.clear();
    tell_the_time();
    pump();
  }
  const double limit = core_.settings.dead_man_s;
  if (limit > 0.0 && !dead_man_told_ && core_.is_writer(*this) &&
      Clock::now() - heard_ > std::chrono::duration<double>(limit)) {
    dead_man_told_ = true;
    core_.side.writer_lost();
  }
  timer_.expires_after(period_);
  timer_.async_wait([self = shared_from_this()](beast::error_code error) {
    if (!error) self->tick();
  });
}

void WsSession::ping() {
  if (pinging_ || ended_ || closing_ || !ws_.is_open()) return;
  pinging_ = true;
  ws_.async_ping({}, [self = shared_from_this()](beast::error_code) { self->pinging_ = false; });
}

void WsSession::queue(std::string bytes, bool is_binary) {
  if (ended_ || closing_) return;
  if (answer_bytes_ + bytes.size() > kMaxAnswerBytes && answer_bytes_ > 0) {
    ++core_.counters.flooded;
    return close(websocket::close_code::try_again_later, "answers are not read");
  }
  answer_bytes_ += bytes.size();
  answers_.push_back({std::move(bytes), is_binary});
  pump();
}

WsSession::Message WsSession::next() {
  if (!answers_.empty()) {
    Message message = std::move(answers_.front());
    answers_.pop_front();
    answer_bytes_ -= message.bytes.size();
    return message;
  }
  auto& frames = events_.empty() ? due_ : events_;
  const auto [subscription, frame] = frames.front();
  frames.pop_front();
  return {print_frame(subscription, *frame), true};
}

std::string WsSession::print_frame(std::uint32_t subscription, const Frame& frame) const {
  const OfferedChannel* channel = core_.find_channel(frame.channel);
  const bool is_object = frame.payload.size() > 2 && frame.payload.back() == '}';
  if (channel->delivery != Delivery::kPersonal || !is_object) {
    return message_frame(subscription, frame.time_ns, frame.payload);
  }
  const auto truth = [](bool value) { return value ? "true" : "false"; };
  std::string payload = frame.payload;
  payload.pop_back();
  payload += std::string(R"(,"writer":{"you":)") + truth(core_.is_writer(*this)) + R"(,"taken":)" +
             truth(core_.has_writer()) + R"(},"dropped":)" + std::to_string(dropped_) + "}";
  return message_frame(subscription, frame.time_ns, payload);
}

void WsSession::pump() {
  if (writing_ || ended_ || closing_ || !ws_.is_open()) return;
  if (answers_.empty() && events_.empty() && due_.empty()) return;
  writing_ = true;
  out_ = next();
  ws_.text(!out_.is_binary);
  ws_.async_write(boost::asio::buffer(out_.bytes),
                  [self = shared_from_this()](beast::error_code error, std::size_t) {
                    self->writing_ = false;
                    if (error) return self->end();
                    ++self->core_.counters.sent;
                    self->pump();
                  });
}

void WsSession::close(websocket::close_code code, std::string_view text) {
  if (closing_ || ended_) return;
  closing_ = true;
  const auto say_goodbye = [self = shared_from_this(), code,
                            why = std::string(text.substr(0, kMaxReasonBytes))] {
    self->ws_.async_close(websocket::close_reason(code, why),
                          [self](beast::error_code) { self->end(); });
  };
  boost::asio::post(ws_.get_executor(), say_goodbye);
}

void WsSession::end() {
  if (ended_) return;
  ended_ = true;
  timer_.cancel();
  core_.remove(*this);
}

}  // namespace kagami::tools
