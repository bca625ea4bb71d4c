// Messages of the program when the machine provides too little: memory, open files, real-time
// rights.
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <functional>
#include <string>

#include "models/test/support/hooks.hpp"
#include "tools/test/cli_case.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

#ifdef KAGAMI_NO_HOOKS
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
#endif

struct Ended {
  int code = -1;  ///< -1: killed by a signal
  std::string output;
};

/// Runs `arguments` in a child process after `limit` was applied to it.
Ended run_limited(const std::vector<std::string>& arguments, const std::function<void()>& limit) {
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) {
    test::CliCase c;
    limit();
    const int code = c.run(arguments);
    const std::string output = c.err.substr(0, 4000);  // fits the pipe
    if (::write(pipe[1], output.data(), output.size()) < 0) ::_exit(99);
    ::_exit(code);
  }
  ::close(pipe[1]);
  Ended ended;
  std::array<char, 4096> text{};
  for (ssize_t n = 0; (n = ::read(pipe[0], text.data(), text.size())) > 0;) {
    ended.output.append(text.data(), static_cast<std::size_t>(n));
  }
  ::close(pipe[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status)) ended.code = WEXITSTATUS(status);
  return ended;
}

void lower(__rlimit_resource what, rlim_t to) {
  rlimit limit{};
  ::getrlimit(what, &limit);
  limit.rlim_cur = to;
  ::setrlimit(what, &limit);
}

std::vector<std::string> replay_into(const test::TempFolder& folder) {
  return {"replay",  "home",        "--on",  "stand",           "--clock",
          "virtual", "--no-report", "--out", folder.file("run")};
}

rlim_t bytes_in_use() {
  std::ifstream file("/proc/self/statm");
  rlim_t pages = 0;
  file >> pages;
  return pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
}

TEST(Limits, TooFewOpenFilesAreASentenceWhereverTheyRunOut) {
  if (kIsSanitized) GTEST_SKIP() << "a sanitizer opens files itself to look at an object";
  int refused = 0;
  Ended last;
  for (rlim_t files = 4; files < 64; ++files) {
    SCOPED_TRACE(files);
    const test::TempFolder folder;
    last = run_limited(replay_into(folder), [files] { lower(RLIMIT_NOFILE, files); });
    ASSERT_NE(last.code, -1) << last.output;
    if (last.code == 0) break;
    ++refused;
    EXPECT_TRUE(last.code == 1 || last.code == 2 || last.code == 3) << last.code;
    EXPECT_NE(last.output, "");
  }
  EXPECT_EQ(last.code, 0) << last.output;
  EXPECT_GT(refused, 0);
}

TEST(Limits, TooLittleMemoryIsASentenceWhereverItRunsOut) {
  if (kIsSanitized) GTEST_SKIP() << "a sanitizer maps more than any limit";
  int refused = 0;
  Ended last;
  for (rlim_t more = 1; more <= 4096; more *= 2) {
    SCOPED_TRACE(more);
    const test::TempFolder folder;
    const rlim_t limit = bytes_in_use() + (more << 20U);
    last = run_limited(replay_into(folder), [limit] { lower(RLIMIT_AS, limit); });
    ASSERT_NE(last.code, -1) << last.output;
    if (last.code == 0) break;
    ++refused;
    EXPECT_EQ(last.code, 1);
    EXPECT_NE(last.output.find("memory"), std::string::npos) << last.output;
  }
  EXPECT_EQ(last.code, 0) << last.output;
  EXPECT_GT(refused, 0);
}

/// Takes from this process what root has: its nice and lock capabilities, and both limits.
void drop_real_time_rights() {
  for (const auto what : {RLIMIT_RTPRIO, RLIMIT_MEMLOCK}) {
    const rlimit none{};
    ::setrlimit(what, &none);
  }
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> sets{};
  ::syscall(SYS_capget, &header, sets.data());
  const auto gone = (1U << CAP_SYS_NICE) | (1U << CAP_IPC_LOCK) | (1U << CAP_SYS_RESOURCE);
  sets[0].effective &= ~gone;
  sets[0].permitted &= ~gone;
  ::syscall(SYS_capset, &header, sets.data());
}

TEST(Limits, RequiredRealTimeThatIsRefusedEndsTheRunAndReportsWhatToGrant) {
  const test::TempFolder folder;
  const Ended ended = run_limited({"replay", "home", "--on", "stand", "--realtime", "require",
                                   "--no-report", "--out", folder.file("run")},
                                  drop_real_time_rights);
  EXPECT_EQ(ended.code, 3);
  EXPECT_NE(ended.output.find("--realtime require"), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("SCHED_FIFO refused"), std::string::npos) << ended.output;
  // a sanitizer's mlockall does nothing and succeeds
  if (!kIsSanitized) {
    EXPECT_NE(ended.output.find("memory not locked"), std::string::npos) << ended.output;
  }
  EXPECT_NE(ended.output.find("rtprio"), std::string::npos) << ended.output;
}

TEST(Limits, PreferredRealTimeThatIsRefusedIsANoticeAndTheRunContinues) {
  const test::TempFolder folder;
  const Ended ended = run_limited({"replay", "home", "--on", "stand", "--realtime", "prefer",
                                   "--no-report", "--out", folder.file("run")},
                                  drop_real_time_rights);
  EXPECT_NE(ended.code, 3) << ended.output;
  const char* memory = kIsSanitized ? "memory locked" : "memory not locked";
  EXPECT_NE(ended.output.find(std::string("no real-time rights: ") + memory), std::string::npos)
      << ended.output;
}

}  // namespace
}  // namespace kagami::tools
