#include "runtime/threads/sized_thread.hpp"

#include <alloca.h>

#include <cstdint>
#include <cstring>
#include <utility>

#include "models/base/errors.hpp"

namespace kagami::runtime {
namespace {

// how much of this thread's stack lies below the present frame, less what stays untouched; what the
// library keeps for the thread itself (thread-local data) lies above
std::size_t untouched_bytes() noexcept {
  constexpr std::size_t kSpare = std::size_t{32} << 10;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* lowest = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  const auto below = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) -
                     reinterpret_cast<std::uintptr_t>(lowest);
  return below > kSpare ? below - kSpare : 0;
}

// writes one byte to each page below the present frame, so that no later call faults a page in
[[gnu::noinline]] void touch_stack() noexcept {
  constexpr std::size_t kPage = 4096;
  const std::size_t bytes = untouched_bytes();
  if (bytes == 0) return;
  auto* memory = static_cast<volatile char*>(alloca(bytes));
  // from the top down, as a growing stack does
  for (std::size_t i = bytes; i > kPage; i -= kPage) memory[i - 1] = 0;
}

}  // namespace

SizedThread::SizedThread(std::string name, std::function<void()> body, std::size_t stack_bytes)
    : start_(std::make_unique<Start>()) {
  start_->name = std::move(name);
  start_->body = std::move(body);

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
  touch_stack();
  s->body();
  return nullptr;
}

}  // namespace kagami::runtime
