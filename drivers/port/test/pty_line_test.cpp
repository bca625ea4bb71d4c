// The whole host side against boards on a thread behind a pseudo-terminal: no allocation in a
// round, and what the host adds to an exchange (printed, not judged: wall time is noise).
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "drivers/port/open_port.hpp"
#include "drivers/port/tty_io.hpp"
#include "drivers/rcb1/khr1_link.hpp"
#include "drivers/test/support/fake_boards.hpp"
#include "drivers/test/support/pty_pair.hpp"

// Counts what this thread takes from the heap, the libraries' calls included. The sanitizers bring
// their own heap; counting is left to the other builds.
static thread_local std::uint64_t g_allocations = 0;
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KAGAMI_FOREIGN_HEAP 1
#endif
#endif
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(KAGAMI_FOREIGN_HEAP)
#define KAGAMI_COUNTS_ALLOCATIONS 1
extern "C" void* __libc_malloc(std::size_t size);  // NOLINT(bugprone-reserved-identifier): glibc's
extern "C" void* malloc(std::size_t size) {
  ++g_allocations;
  return __libc_malloc(size);
}
#endif

namespace kagami::drivers {
namespace {

using test::MonotonicClock;

/// Answers at once and unpaced until it is destroyed.
class BoardThread {
 public:
  explicit BoardThread(int fd) : fd_(fd), thread_([this] { serve(); }) {}
  ~BoardThread() {
    stop_ = true;
    thread_.join();
  }

 private:
  void serve() {
    const MonotonicClock clock;
    rcb1::Request request;
    std::vector<std::uint8_t> pending;
    while (!stop_) {
      const std::int64_t soon = clock.now_ns() + 20'000'000;
      std::uint8_t byte = 0;
      if (tty_wait(clock, soon) && ::read(fd_, &byte, 1) == 1) pending.push_back(byte);
      if (pending.empty() || pending.size() < rcb1::request_size(pending[0])) continue;
      if (decode_request(pending, request) == IoStatus::kOk) answer(request);
      pending.clear();
    }
  }
  bool tty_wait(const Clock& clock, std::int64_t until_ns) const;
  void answer(const rcb1::Request& request) {
    rcb1::Reply reply{.board = request.board};
    reply.counts.fill(90);
    rcb1::Frame frame;
    if (encode_reply(request.command, reply, frame) != IoStatus::kOk) return;
    static_cast<void>(!::write(fd_, frame.bytes.data(), frame.size));
  }

  int fd_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

bool BoardThread::tty_wait(const Clock& clock, std::int64_t until_ns) const {
  return tty::wait_readable(fd_, {until_ns}, clock) == tty::Wait::kReady;
}

class PtyLine : public ::testing::TestWithParam<PortLibrary> {};

TEST_P(PtyLine, RoundsAllocateNothingAfterSetUp) {
  MonotonicClock clock;
  test::PtyPair pty;
  const OpenedPort opened = open_port(pty.path(), GetParam(), clock);
  const BoardThread boards(pty.master());
  Khr1Link link(*opened.port, clock, test::small_wiring());
  ServoTargets targets{.mode = TargetMode::kPositions};
  ServoSample sample;
  std::vector<std::int64_t> round_ns(2000);
  int good = 0;
  const std::uint64_t planted = g_allocations;
  delete new volatile int(1);
#ifdef KAGAMI_COUNTS_ALLOCATIONS
  ASSERT_GT(g_allocations, planted);  // the counter works
#endif
  const std::uint64_t before = g_allocations;
  for (std::int64_t& ns : round_ns) {
    ++targets.sequence;
    const std::int64_t start = clock.now_ns();
    good += link.exchange(targets, sample, {start + 20'000'000'000}) == IoStatus::kOk;
    ns = clock.now_ns() - start;
  }
#ifdef KAGAMI_COUNTS_ALLOCATIONS
  EXPECT_EQ(g_allocations - before, 0u);
#endif
  static_cast<void>(before + planted);
  EXPECT_GT(good, 0);  // how many is a matter of the machine: its stalls may exceed 30 ms
  std::sort(round_ns.begin(), round_ns.end());
  std::printf("exchange over a pseudo-terminal without pacing: median %.1f us, 99 %% %.1f us\n",
              static_cast<double>(round_ns[1000]) / 4000.0,
              static_cast<double>(round_ns[1980]) / 4000.0);
}

INSTANTIATE_TEST_SUITE_P(BothLibraries, PtyLine,
                         ::testing::Values(PortLibrary::kLibserial, PortLibrary::kAsio),
                         [](const auto& p) {
                           return p.param == PortLibrary::kLibserial ? "Libserial" : "Asio";
                         });

}  // namespace
}  // namespace kagami::drivers
