#include "runtime/cycle/test/support/no_io.hpp"

#include "models/test/support/hooks.hpp"

namespace {

__attribute__((tls_model("initial-exec"))) thread_local long g_clock_reads = 0;
__attribute__((tls_model("initial-exec"))) thread_local long g_io_calls = 0;

}  // namespace

#ifndef KAGAMI_NO_HOOKS

#include <sys/types.h>
#include <time.h>

#include <cstddef>

namespace {

using kagami::test::next_of;

using ClockGettime = int (*)(clockid_t, timespec*);
using Time = time_t (*)(time_t*);
using ClockNanosleep = int (*)(clockid_t, int, const timespec*, timespec*);
using Read = ssize_t (*)(int, void*, std::size_t);
using Write = ssize_t (*)(int, const void*, std::size_t);

ClockGettime g_clock_gettime = nullptr;
Time g_time = nullptr;
ClockNanosleep g_clock_nanosleep = nullptr;
Read g_read = nullptr;
Write g_write = nullptr;

}  // namespace

extern "C" {
int clock_gettime(clockid_t clock, timespec* now) noexcept {
  ++g_clock_reads;
  return next_of(g_clock_gettime, "clock_gettime")(clock, now);
}
time_t time(time_t* now) noexcept {
  ++g_clock_reads;
  return next_of(g_time, "time")(now);
}
int clock_nanosleep(clockid_t clock, int flags, const timespec* until, timespec* left) {
  ++g_io_calls;
  return next_of(g_clock_nanosleep, "clock_nanosleep")(clock, flags, until, left);
}
ssize_t read(int file, void* bytes, std::size_t size) {
  ++g_io_calls;
  return next_of(g_read, "read")(file, bytes, size);
}
ssize_t write(int file, const void* bytes, std::size_t size) {
  ++g_io_calls;
  return next_of(g_write, "write")(file, bytes, size);
}
}

#endif

namespace kagami::test {

NoClock::NoClock() noexcept : start_(g_clock_reads) {}
long NoClock::count() const noexcept {
  return g_clock_reads - start_;
}

NoIo::NoIo() noexcept : start_(g_io_calls) {}
long NoIo::count() const noexcept {
  return g_io_calls - start_;
}

}  // namespace kagami::test
