#include "models/test/support/no_alloc.hpp"

#include "models/test/support/hooks.hpp"

namespace {

// initial-exec: reading them never calls the dynamic linker, which could allocate
__attribute__((tls_model("initial-exec"))) thread_local long g_allocations = 0;
__attribute__((tls_model("initial-exec"))) thread_local long g_locks = 0;

}  // namespace

#ifndef KAGAMI_NO_HOOKS

#include <pthread.h>

#include <cerrno>
#include <cstddef>

namespace {

using MutexLock = int (*)(pthread_mutex_t*);
MutexLock g_mutex_lock = nullptr;

}  // namespace

// the names under which glibc exports its own allocator
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* block);
// NOLINTEND(bugprone-reserved-identifier)

void* malloc(std::size_t size) {
  ++g_allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++g_allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* block, std::size_t size) {
  ++g_allocations;
  return __libc_realloc(block, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
  ++g_allocations;
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++g_allocations;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  ++g_allocations;
  *block = __libc_memalign(alignment, size);
  return *block == nullptr ? ENOMEM : 0;
}
void free(void* block) {
  if (block != nullptr) ++g_allocations;
  __libc_free(block);
}

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  ++g_locks;
  return kagami::test::next_of(g_mutex_lock, "pthread_mutex_lock")(mutex);
}
}

#endif

namespace kagami::test {

bool hooks_are_active() noexcept {
#ifdef KAGAMI_NO_HOOKS
  return false;
#else
  return true;
#endif
}

NoAlloc::NoAlloc() noexcept : start_(g_allocations) {}

long NoAlloc::count() const noexcept {
  return g_allocations - start_;
}

NoLock::NoLock() noexcept : start_(g_locks) {}

long NoLock::count() const noexcept {
  return g_locks - start_;
}

}  // namespace kagami::test
