#include "tools/cli/stop_signals.hpp"

#include <atomic>
#include <stdexcept>

namespace kagami::tools {
namespace {

// the one mutable global of the program: a signal handler has no other way to find its object
std::atomic<runtime::StopRequest*> g_stop{nullptr};
static_assert(std::atomic<runtime::StopRequest*>::is_always_lock_free);

extern "C" void raise_stop(int) {
  runtime::StopRequest* stop = g_stop.load();
  if (stop != nullptr) stop->raise();
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
  sigaction(SIGINT, &action, &interrupt_before_);
  sigaction(SIGTERM, &action, &terminate_before_);
}

StopSignals::~StopSignals() {
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &terminate_before_, nullptr);
  g_stop.store(nullptr);
}

}  // namespace kagami::tools
