#include "tools/dashboard/worker.hpp"

#include <utility>

namespace kagami::tools {

Worker::Worker(std::size_t capacity) : capacity_(capacity), thread_([this] { work(); }) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

bool Worker::post(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    if (jobs_.size() >= capacity_) return false;
    jobs_.push_back(std::move(job));
  }
  wake_.notify_one();
  return true;
}

void Worker::work() {
  for (;;) {
    std::function<void()> job;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return ends_ || !jobs_.empty(); });
      if (ends_) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job();
  }
}

}  // namespace kagami::tools
