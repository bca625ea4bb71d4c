/// One thread for what takes longer than the server's thread may wait.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace kagami::tools {

/// Runs jobs one after another, in the order in which they came.
class Worker {
 public:
  /// `capacity`: jobs that may wait.
  explicit Worker(std::size_t capacity);
  /// Drops waiting jobs and joins the running one, which should poll `ends`.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// False where too many wait already. A job must not throw. Any thread.
  [[nodiscard]] bool post(std::function<void()> job);
  /// The worker is ending: abort the job. Any thread.
  [[nodiscard]] bool ends() const noexcept { return ends_; }

 private:
  void work();

  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  std::atomic<bool> ends_{false};
  std::thread thread_;  // last: it uses the others
};

}  // namespace kagami::tools
