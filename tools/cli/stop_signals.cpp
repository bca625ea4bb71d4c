#include "tools/cli/stop_signals.hpp"

#include <atomic>
#include <stdexcept>

namespace kagami::tools {
namespace {

// the one mutable global of the program: a signal handler has no other way to find its object
std::atomic<runtime::StopRequest*> g_stop{nullptr};
static_assert(std::atomic<runtime::StopRequest*>::is_always_lock_free);

constexpr std::array<int, 5> kSignals{SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGQUIT};

extern "C" void raise_stop(int signal) {
  runtime::StopRequest* stop = g_stop.load();
  if (stop == nullptr) return;
  if (signal == SIGHUP || signal == SIGTSTP) {
    stop->raise_to(runtime::StopLevel::kSlowDown);
  } else if (signal == SIGQUIT) {
    stop->raise_to(runtime::StopLevel::kHoldNow);
  } else {
    stop->raise();
  }
}

}  // namespace

StopSignals::StopSignals(runtime::StopRequest& stop) {
  runtime::StopRequest* none = nullptr;
  if (!g_stop.compare_exchange_strong(none, &stop))
    throw std::logic_error("stop signals are taken already");
  struct sigaction action {};
  action.sa_handler = raise_stop;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t k = 0; k < kSignals.size(); ++k) {
    sigaction(kSignals[k], &action, &before_[k]);
    // what nohup ignores stays ignored: the run then continues without its terminal
    const bool is_nohup = kSignals[k] == SIGHUP && before_[k].sa_handler == SIG_IGN;
    if (is_nohup) sigaction(SIGHUP, &before_[k], nullptr);
  }
}

StopSignals::~StopSignals() {
  for (std::size_t k = 0; k < kSignals.size(); ++k) sigaction(kSignals[k], &before_[k], nullptr);
  g_stop.store(nullptr);
}

void ignore_output_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace kagami::tools
