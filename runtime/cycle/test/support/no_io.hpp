/// Counts clock reads and input or output on this thread: what cycle code must not do.
///
/// The hooks replace clock_gettime, time, clock_nanosleep, read and write of the whole program
/// (what std::chrono, std::this_thread and the ports of ours call); every other system call is
/// caught by the seccomp filter of cycle_purity_test. Under the address and thread sanitizers the
/// hooks are compiled out and every count is 0.
#pragma once

namespace kagami::test {

class NoClock {
 public:
  NoClock() noexcept;
  [[nodiscard]] long count() const noexcept;

 private:
  long start_;
};

class NoIo {
 public:
  NoIo() noexcept;
  [[nodiscard]] long count() const noexcept;

 private:
  long start_;
};

}  // namespace kagami::test
