/// What the server's sessions share. Only files of the server include this: it pulls in
/// Boost.Beast. Everything but `publish` and `publish_parameters` runs on the server's thread.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "tools/dashboard/server.hpp"
#include "tools/dashboard/writer_lease.hpp"

namespace kagami::tools {

class HttpSession;
class WsSession;

/// One message of a channel on its way to the clients.
struct Frame {
  std::uint32_t channel = 0;
  std::uint64_t time_ns = 0;
  std::string payload;
};
using FramePtr = std::shared_ptr<const Frame>;

/// The way to the server's thread, for answers that come later; may outlive the server.
class Mailbox {
 public:
  explicit Mailbox(boost::asio::io_context& io) : io_(&io) {}
  /// Runs it on the server's thread; not at all once the server has ended. Any thread.
  void post(std::function<void()> work);
  void close();

 private:
  std::mutex mutex_;
  boost::asio::io_context* io_;  // null: ended
};

/// Sessions hold a reference to it; they end with its io_context, before its other members.
class ServerCore {
 public:
  ServerCore(const ServerSettings& settings, DashboardBackend& live,
             std::vector<ServedFile> served);

  /// Binds, and starts the thread. Throws AddressError.
  void start();
  /// Ends the thread; later requests have no effect.
  void stop();

  /// Closes every client with this sentence and waits a moment for them. Not on the server's
  /// thread.
  void say_goodbye(const std::string& how);

  void publish(FramePtr frame);
  void publish_parameters(std::vector<Parameter> parameters);
  [[nodiscard]] std::shared_ptr<Mailbox> mailbox() const { return mailbox_; }

  /// The one that writes, if there is one; a client with the token becomes it by its first write,
  /// and loses the lease when it is silent for the length of a lease.
  [[nodiscard]] bool has_writer() const { return !writer_.expired(); }
  [[nodiscard]] bool is_writer(const WsSession& session) const;
  /// False where another one writes.
  bool try_to_write(const std::shared_ptr<WsSession>& session);
  /// `session` writes from now on; all sessions get a message, the one before a different one.
  void take_writer(const std::shared_ptr<WsSession>& session);
  void give_up_writing(const WsSession& session);
  /// A message or the answer to a ping came from this client.
  void renew_lease(const WsSession& session);

  void add(const std::shared_ptr<WsSession>& session);
  void remove(WsSession& session);
  /// The newest message of a channel that is_state; null: none yet.
  [[nodiscard]] FramePtr newest_state(std::uint32_t channel) const;
  [[nodiscard]] const ServedFile* find_file(std::string_view path) const;
  [[nodiscard]] const OfferedChannel* find_channel(std::uint32_t id) const;
  [[nodiscard]] const OfferedService* find_service(std::uint32_t id) const;

  const ServerSettings settings;
  DashboardBackend& side;
  const std::vector<OfferedChannel> channels;
  const std::vector<OfferedService> services;
  const std::string session_id;  ///< of this server's life
  std::optional<RequestGuard> guard;
  std::uint16_t port = 0;
  std::atomic<std::uint64_t> time_ns{0};  ///< of the run; 0: not known yet

  struct {
    std::atomic<std::uint64_t> requests{0}, refused{0}, malformed{0}, flooded{0}, evicted{0},
        dropped{0}, sent{0};
    std::atomic<int> clients{0};
  } counters;

 private:
  using Acceptor = boost::asio::ip::tcp::acceptor;
  /// The first free port of those that settings allow. Throws AddressError.
  void listen_somewhere(const boost::asio::ip::address& address);
  /// The same port of the other loopback address, where there is one.
  void listen_on_the_other_loopback(const boost::asio::ip::address& address);
  void accept(Acceptor& acceptor);
  void accept_later(Acceptor& acceptor);
  void welcome(boost::asio::ip::tcp::socket socket);
  void watch_the_writer();
  void lose_writer(WsSession& writer);
  void deliver();
  void report_empty();
  void tell_everyone(const std::string& message);
  void tell_all_but(const WsSession& one, const std::string& message);

  const std::vector<ServedFile> files_;
  boost::asio::io_context io_{1};
  const std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>(io_);
  Acceptor acceptor_{io_};
  Acceptor other_acceptor_{io_};
  boost::asio::steady_timer watch_timer_{io_};
  std::list<std::weak_ptr<HttpSession>> http_sessions_;  // the oldest first
  std::vector<std::weak_ptr<WsSession>> sessions_;
  std::map<std::uint32_t, FramePtr> state_;  // newest, of the channels that are state
  std::weak_ptr<WsSession> writer_;
  WriterLease lease_;
  std::thread thread_;

  std::mutex goodbye_mutex_;
  std::condition_variable emptied_;
  bool is_empty_ = false;

  // what came from other threads and has not been delivered
  std::mutex mutex_;
  bool delivering_ = false;
  std::map<std::uint32_t, FramePtr> newest_;
  std::deque<FramePtr> every_;
};

}  // namespace kagami::tools
