/// Counts what cycle code must not do on this thread: take or free heap memory, lock a mutex.
///
/// Link kagami::test_support. The hooks replace malloc, free and pthread_mutex_lock of the whole
/// program; under the address and thread sanitizers, which do the same, they are compiled out and
/// every count is 0.
#pragma once

namespace kagami::test {

/// False where the hooks are compiled out: a test of the hooks themselves checks this first.
bool hooks_are_active() noexcept;

/// Calls of malloc, calloc, realloc, free and their kin on this thread since construction.
class NoAlloc {
 public:
  NoAlloc() noexcept;
  [[nodiscard]] long count() const noexcept;

 private:
  long start_;
};

/// Calls of pthread_mutex_lock on this thread since construction.
class NoLock {
 public:
  NoLock() noexcept;
  [[nodiscard]] long count() const noexcept;

 private:
  long start_;
};

}  // namespace kagami::test
