#include "runtime/threads/sized_thread.hpp"

#include <alloca.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "models/base/errors.hpp"

namespace kagami::runtime {
namespace {

// writes one byte to each page below the present frame, so that no later call faults a page in
[[gnu::noinline]] void touch_stack(std::size_t bytes) noexcept {
  constexpr std::size_t kPage = 4096;
  auto* memory = static_cast<volatile char*>(alloca(bytes));
  for (std::size_t i = 0; i < bytes; i += kPage) memory[i] = 0;
}

}  // namespace

SizedThread::SizedThread(std::string name, std::function<void()> body, std::size_t stack_bytes)
    : start_(std::make_unique<Start>()) {
  // what the thread library itself keeps on the stack stays untouched
  constexpr std::size_t kSpare = std::size_t{64} << 10;
  *start_ = {std::move(name), std::move(body), stack_bytes - std::min(stack_bytes, kSpare)};

  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  const int error = pthread_create(&thread_, &attributes, &SizedThread::enter, start_.get());
  pthread_attr_destroy(&attributes);
  if (error != 0) {
    throw Error("thread " + start_->name + ": " + std::strerror(error) +
                "; expected a free thread");
  }
}

SizedThread::~SizedThread() {
  join();
}

void SizedThread::join() noexcept {
  if (joined_) return;
  pthread_join(thread_, nullptr);
  joined_ = true;
}

void* SizedThread::enter(void* start) noexcept {
  const auto* s = static_cast<const Start*>(start);
  pthread_setname_np(pthread_self(), s->name.substr(0, 15).c_str());
  touch_stack(s->touch_bytes);
  s->body();
  return nullptr;
}

}  // namespace kagami::runtime
