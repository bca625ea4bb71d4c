#include "tools/dashboard/server_core.hpp"

#include <fcntl.h>
#include <pthread.h>

#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <cmath>

#include "models/base/errors.hpp"
#include "tools/dashboard/http_session.hpp"
#include "tools/dashboard/port_holder.hpp"
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

/// Programs that this one starts do not inherit it: they would hold the port.
void keep_from_children(int socket) {
  static_cast<void>(::fcntl(socket, F_SETFD, FD_CLOEXEC));  // NOLINT(*-vararg): fcntl's interface
}

boost::system::error_code listen_on(tcp::acceptor& acceptor, const tcp::endpoint& endpoint) {
  boost::system::error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) keep_from_children(acceptor.native_handle());
  if (!error) acceptor.set_option(net::socket_base::reuse_address(true), error);
  // else :: would take the IPv4 addresses too, and hold them against other programs
  if (!error && endpoint.address().is_v6()) acceptor.set_option(net::ip::v6_only(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(net::socket_base::max_listen_connections, error);
  boost::system::error_code ignored;
  if (error) acceptor.close(ignored);
  return error;
}

}  // namespace

ServerCore::ServerCore(const ServerSettings& server_settings, DashboardBackend& live,
                       std::vector<ServedFile> served)
    : settings(server_settings),
      side(live),
      channels(live.channels()),
      services(live.services()),
      session_id(new_token()),
      files_(std::move(served)) {
  check_range(settings.dead_man_s, 0.0, 60.0, "dead-man time (s)");
  check_range(settings.max_rate_hz, 1.0, 1000.0, "highest rate (Hz)");
  check_range(settings.rate_hz, 1.0, settings.max_rate_hz, "rate (Hz)");
  check_range(settings.max_clients, 1.0, 1000.0, "clients");
  check_range(settings.more_ports, 0.0, 1000.0, "further ports");
  check_range(settings.lease_s, 0.04, 60.0, "lease of the writer (s)");
  check_range(settings.handshake_s, 0.01, 60.0, "time for a request (s)");
  check_range(settings.goodbye_s, 0.0, 60.0, "time for the closing handshake (s)");
  check_range(settings.idle_s, 0.1, 600.0, "time without a byte (s)");
}

void ServerCore::start() {
  const std::string& wanted = settings.guard.address;
  boost::system::error_code error;
  const net::ip::address address =
      net::ip::make_address(wanted == "localhost" ? "127.0.0.1" : wanted, error);
  if (error) {
    throw ConfigError("dashboard: '" + wanted +
                      "' is not an address, expected 127.0.0.1 or the address of a network "
                      "interface of this machine");
  }
  listen_somewhere(address);
  port = acceptor_.local_endpoint().port();
  if (is_usual_loopback(wanted)) listen_on_the_other_loopback(address);
  GuardSettings known = settings.guard;
  known.port = port;
  guard.emplace(std::move(known));
  accept(acceptor_);
  if (other_acceptor_.is_open()) accept(other_acceptor_);
  watch_the_writer();
  thread_ = std::thread([this] {
    pthread_setname_np(pthread_self(), "dashboard");
    io_.run();
  });
}

void ServerCore::listen_somewhere(const net::ip::address& address) {
  const std::uint16_t first = settings.guard.port;
  boost::system::error_code error;
  for (int k = 0; k <= settings.more_ports && first + k <= 65535; ++k) {
    error = listen_on(acceptor_, {address, static_cast<std::uint16_t>(first + k)});
    if (error != net::error::address_in_use) break;
  }
  if (!error) return;
  const std::string place = settings.guard.address + ":" + std::to_string(first);
  if (error != net::error::address_in_use) {
    throw AddressError("dashboard: " + place + ": " + error.message() +
                       "; expected an address of this machine that this user may listen on");
  }
  const std::optional<PortHolder> holder = find_port_holder(first);
  throw AddressError(
      "dashboard: " + place + " is in use" +
      (holder ? " by pid " + std::to_string(holder->pid) + " (" + holder->name + ")" : "") +
      "; expected a free port: " + settings.other_port);
}

void ServerCore::listen_on_the_other_loopback(const net::ip::address& address) {
  const net::ip::address other = address.is_v4()
                                     ? net::ip::address(net::ip::address_v6::loopback())
                                     : net::ip::address(net::ip::address_v4::loopback());
  // browsers try both for "localhost"; a machine may have one of them alone
  (void)listen_on(other_acceptor_, {other, port});
}

void ServerCore::say_goodbye(const std::string& how) {
  std::unique_lock lock(goodbye_mutex_);
  is_empty_ = false;  // clients that left earlier are not those that are waited for
  mailbox_->post([this, how] {
    // a copy: a session that ends leaves the list
    for (const auto& weak : std::vector<std::weak_ptr<WsSession>>(sessions_)) {
      const auto session = weak.lock();
      if (session) session->close(boost::beast::websocket::close_code::going_away, how);
    }
    report_empty();
  });
  emptied_.wait_for(lock, std::chrono::duration<double>(settings.goodbye_s),
                    [this] { return is_empty_; });
}

void ServerCore::report_empty() {
  const std::lock_guard lock(goodbye_mutex_);
  is_empty_ = sessions_.empty();
  emptied_.notify_all();
}

void ServerCore::stop() {
  mailbox_->close();
  io_.stop();
  if (thread_.joinable()) thread_.join();
}

void ServerCore::accept(Acceptor& acceptor) {
  acceptor.async_accept(io_,
                        [this, &acceptor](boost::system::error_code error, tcp::socket socket) {
                          if (error == net::error::operation_aborted) return;
                          if (error) return accept_later(acceptor);
                          keep_from_children(socket.native_handle());
                          welcome(std::move(socket));
                          accept(acceptor);
                        });
}

// no descriptor or memory is left: accepting again at once would take a whole core
void ServerCore::accept_later(Acceptor& acceptor) {
  ++counters.refused;
  const auto pause = std::make_shared<net::steady_timer>(io_, std::chrono::milliseconds(100));
  pause->async_wait([this, &acceptor, pause](boost::system::error_code error) {
    if (!error) accept(acceptor);
  });
}

// as many again as there may be clients: a browser requests files over several. One too many closes
// the one that was silent longest, so that idle connections cannot lock out other clients.
void ServerCore::welcome(tcp::socket socket) {
  http_sessions_.remove_if([](const std::weak_ptr<HttpSession>& weak) { return weak.expired(); });
  const auto most = static_cast<std::size_t>(2 * settings.max_clients);
  for (auto place = http_sessions_.begin();
       http_sessions_.size() >= most && place != http_sessions_.end();) {
    const auto session = place->lock();
    if (session && !session->is_waiting()) {
      ++place;
      continue;
    }
    if (session) {
      session->leave();
      ++counters.evicted;
    }
    place = http_sessions_.erase(place);
  }
  if (http_sessions_.size() >= most) {
    ++counters.refused;
    return;
  }
  const auto session = std::make_shared<HttpSession>(*this, std::move(socket));
  http_sessions_.push_back(session);
  session->run();
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
  for (const FramePtr& frame : every) {
    if (find_channel(frame->channel)->is_state) state_[frame->channel] = frame;
  }
  for (const auto& [id, frame] : newest) {
    if (find_channel(id)->is_state) state_[id] = frame;
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
  if (!has_writer()) {
    writer_ = session;
    lease_.renew();
  }
  return is_writer(*session);
}

void ServerCore::take_writer(const std::shared_ptr<WsSession>& session) {
  const auto before = writer_.lock();
  if (before == session) return;
  writer_.reset();
  if (before) {
    before->send(print_status(StatusLevel::kWarning, "another client took control"));
    tell_all_but(*before, print_status(StatusLevel::kInfo, "control was taken over"));
  }
  writer_ = session;
  lease_.renew();
}

void ServerCore::renew_lease(const WsSession& session) {
  if (is_writer(session)) lease_.renew();
}

void ServerCore::watch_the_writer() {
  watch_timer_.expires_after(std::chrono::nanoseconds(
      static_cast<std::int64_t>(1e9 * settings.lease_s / WriterLease::kPolls)));
  watch_timer_.async_wait([this](boost::system::error_code error) {
    if (error) return;
    const auto writer = writer_.lock();
    const WriterLease::Poll seen = lease_.poll(side.needs_hand());
    if (seen.hand_lost) side.writer_lost();
    if (writer && seen.ping) writer->ping();
    if (writer && seen.lost) lose_writer(*writer);
    watch_the_writer();
  });
}

void ServerCore::lose_writer(WsSession& writer) {
  writer_.reset();
  writer.send(
      print_status(StatusLevel::kWarning, "you lost control: no message arrived from you in time"));
  tell_all_but(writer,
               print_status(StatusLevel::kInfo,
                            "the controlling client stopped responding; no client has control"));
  if (settings.dead_man_s > 0.0) side.writer_lost();
}

void ServerCore::give_up_writing(const WsSession& session) {
  if (!is_writer(session)) return;
  writer_.reset();
  tell_everyone(print_status(StatusLevel::kInfo, "no client has control"));
}

void ServerCore::tell_everyone(const std::string& message) {
  for (const auto& weak : sessions_) {
    if (const auto session = weak.lock()) session->send(message);
  }
}

void ServerCore::tell_all_but(const WsSession& one, const std::string& message) {
  for (const auto& weak : sessions_) {
    const auto session = weak.lock();
    if (session && session.get() != &one) session->send(message);
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
  report_empty();
  if (!wrote) return;
  writer_.reset();
  tell_everyone(print_status(StatusLevel::kInfo, "the controlling client disconnected"));
  if (settings.dead_man_s > 0.0 || side.needs_hand()) side.writer_lost();
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

FramePtr ServerCore::newest_state(std::uint32_t channel) const {
  const auto found = state_.find(channel);
  return found == state_.end() ? nullptr : found->second;
}

}  // namespace kagami::tools
