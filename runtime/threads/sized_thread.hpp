/// A thread with a stack of stated size, its pages touched before it starts to work.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace kagami::runtime {

/// Enough for every thread of a run; the default of 8 MiB would all be resident once memory is
/// locked.
inline constexpr std::size_t kStackBytes = std::size_t{512} << 10;

/// Runs `body` on a thread of its own and joins it at destruction. Set-up code; `body` must not
/// throw.
class SizedThread {
 public:
  /// `name`: at most 15 characters, as `top -H` shows it. Throws Error when the system has no
  /// thread left.
  SizedThread(std::string name, std::function<void()> body, std::size_t stack_bytes = kStackBytes);
  ~SizedThread();
  SizedThread(const SizedThread&) = delete;
  SizedThread& operator=(const SizedThread&) = delete;

  void join() noexcept;

 private:
  struct Start {
    std::string name;
    std::function<void()> body;
  };
  static void* enter(void* start) noexcept;

  std::unique_ptr<Start> start_;
  pthread_t thread_{};
  bool joined_ = false;
};

}  // namespace kagami::runtime
