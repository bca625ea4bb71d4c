#include "tools/dashboard/server_core.hpp"

#include <pthread.h>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <cmath>

#include "models/base/errors.hpp"
#include "tools/dashboard/http_session.hpp"
#include "tools/dashboard/ws_session.hpp"

namespace kagami::tools {
namespace {

namespace net = boost::asio;
using tcp = net::ip::tcp;

/// Messages of channels of which every one counts that may wait for the server's thread.
constexpr std::size_t kEveryCapacity = 1024;

void check_range(double value, double min, double max, const char* name) {
  if (value >= min && value <= max) return;
  throw ConfigError(std::string("dashboard: ") + name + " " + std::to_string(value) +
                    ", expected " + std::to_string(min) + ".." + std::to_string(max));
}

}  // namespace

ServerCore::ServerCore(const ServerSettings& server_settings, LiveSide& live,
                       std::vector<ServedFile> served)
    : settings(server_settings),
      side(live),
      channels(live.channels()),
      services(live.services()),
      session_id(new_token()),
      files_(std::move(served)) {
  check_range(settings.dead_man_s, 0.0, 60.0, "dead man's time (s)");
  check_range(settings.max_rate_hz, 1.0, 1000.0, "highest rate (Hz)");
  check_range(settings.rate_hz, 1.0, settings.max_rate_hz, "rate (Hz)");
  check_range(settings.max_clients, 1.0, 1000.0, "clients");
}

void ServerCore::start() {
  const GuardSettings& wanted = settings.guard;
  boost::system::error_code error;
  const std::string plain = wanted.address == "localhost" ? "127.0.0.1" : wanted.address;
  const net::ip::address address = net::ip::make_address(plain, error);
  if (error) {
    throw ConfigError("dashboard: '" + wanted.address +
                      "' is no address, expected 127.0.0.1 or that of one of this machine's ports");
  }
  const tcp::endpoint endpoint(address, wanted.port);
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(net::socket_base::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(net::socket_base::max_listen_connections, error);
  if (error) {
    throw PortError("dashboard: " + wanted.address + ":" + std::to_string(wanted.port) + ": " +
                    error.message() + "; expected a free port, another one by --port");
  }
  port = acceptor_.local_endpoint().port();
  GuardSettings known = wanted;
  known.port = port;
  guard.emplace(std::move(known));
  accept();
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), "dashboard");
    io_.run();
  });
}

void ServerCore::stop() {
  mailbox_->close();
  io_.stop();
  if (thread_.joinable()) thread_.join();
}

void ServerCore::accept() {
  acceptor_.async_accept(io_, [this](boost::system::error_code error, tcp::socket socket) {
    if (error == net::error::operation_aborted) return;
    if (!error) {
      // as many again as there may be clients: a browser asks for files over several
      if (http_sessions < 2 * settings.max_clients) {
        std::make_shared<HttpSession>(*this, std::move(socket))->run();
      } else {
        ++counters.refused;
      }
    }
    accept();
  });
}

void Mailbox::post(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  if (io_ != nullptr) net::post(*io_, std::move(work));
}

void Mailbox::close() {
  const std::lock_guard lock(mutex_);
  io_ = nullptr;
}

void ServerCore::publish(FramePtr frame) {
  const OfferedChannel* channel = find_channel(frame->channel);
  if (channel == nullptr) return;
  const std::lock_guard lock(mutex_);
  if (channel->delivery == Delivery::kEvery) {
    if (every_.size() >= kEveryCapacity) {
      every_.pop_front();
      ++counters.dropped;
    }
    every_.push_back(std::move(frame));
  } else {
    newest_[frame->channel] = std::move(frame);
  }
  if (delivering_) return;
  delivering_ = true;
  mailbox_->post([this] { deliver(); });
}

void ServerCore::deliver() {
  std::map<std::uint32_t, FramePtr> newest;
  std::deque<FramePtr> every;
  {
    const std::lock_guard lock(mutex_);
    newest.swap(newest_);
    every.swap(every_);
    delivering_ = false;
  }
  for (const auto& weak : sessions_) {
    const auto session = weak.lock();
    if (!session) continue;
    for (const FramePtr& frame : every) session->offer(frame, Delivery::kEvery);
    for (const auto& [id, frame] : newest) session->offer(frame, find_channel(id)->delivery);
  }
}

void ServerCore::publish_parameters(std::vector<Parameter> parameters) {
  mailbox_->post([this, parameters = std::move(parameters)] {
    for (const auto& weak : sessions_) {
      if (const auto session = weak.lock()) session->tell_changed(parameters);
    }
  });
}

bool ServerCore::is_writer(const WsSession& session) const {
  return writer_.lock().get() == &session;
}

bool ServerCore::try_to_write(const std::shared_ptr<WsSession>& session) {
  if (!has_writer()) writer_ = session;
  return is_writer(*session);
}

void ServerCore::take_writer(const std::shared_ptr<WsSession>& session) {
  const auto before = writer_.lock();
  writer_ = session;
  if (before && before != session) {
    before->send(print_status(StatusLevel::kWarning, "another client took over the writing"));
  }
}

void ServerCore::give_up_writing(const WsSession& session) {
  if (!is_writer(session)) return;
  writer_.reset();
  tell_everyone(print_status(StatusLevel::kInfo, "nobody writes now"));
}

void ServerCore::tell_everyone(const std::string& message) {
  for (const auto& weak : sessions_) {
    if (const auto session = weak.lock()) session->send(message);
  }
}

void ServerCore::add(const std::shared_ptr<WsSession>& session) {
  sessions_.push_back(session);
  ++counters.clients;
}

void ServerCore::remove(WsSession& session) {
  const bool wrote = is_writer(session);
  sessions_.erase(std::remove_if(sessions_.begin(), sessions_.end(),
                                 [&](const std::weak_ptr<WsSession>& weak) {
                                   const auto other = weak.lock();
                                   return !other || other.get() == &session;
                                 }),
                  sessions_.end());
  counters.clients = static_cast<int>(sessions_.size());
  if (!wrote) return;
  writer_.reset();
  tell_everyone(print_status(StatusLevel::kInfo, "the client that wrote is gone"));
  if (settings.dead_man_s > 0.0) side.writer_lost();
}

const ServedFile* ServerCore::find_file(std::string_view path) const {
  const auto found = std::find_if(files_.begin(), files_.end(),
                                  [&](const ServedFile& file) { return file.path == path; });
  return found == files_.end() ? nullptr : &*found;
}

const OfferedChannel* ServerCore::find_channel(std::uint32_t id) const {
  const auto found =
      std::find_if(channels.begin(), channels.end(),
                   [&](const OfferedChannel& offered) { return offered.channel.id == id; });
  return found == channels.end() ? nullptr : &*found;
}

const OfferedService* ServerCore::find_service(std::uint32_t id) const {
  const auto found =
      std::find_if(services.begin(), services.end(),
                   [&](const OfferedService& offered) { return offered.service.id == id; });
  return found == services.end() ? nullptr : &*found;
}

}  // namespace kagami::tools
