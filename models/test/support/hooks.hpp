/// What the functions that stand in front of the C library's share (no_alloc.cpp, and no_io.cpp of
/// the cycle's tests). KAGAMI_NO_HOOKS: a sanitizer has its own in their place.
#pragma once

#include <dlfcn.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KAGAMI_NO_HOOKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KAGAMI_NO_HOOKS 1
#endif
#endif

namespace kagami::test {

/// The C library's own function behind a hook. `kept` is a global of the caller's: a function's
/// static would have a guard, which may itself lock.
template <class Function>
Function next_of(Function& kept, const char* name) noexcept {
  Function next = __atomic_load_n(&kept, __ATOMIC_RELAXED);
  if (next == nullptr) {
    next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
    __atomic_store_n(&kept, next, __ATOMIC_RELAXED);
  }
  return next;
}

}  // namespace kagami::test
