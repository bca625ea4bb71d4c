// Processes side by side: how each end is reported, how many run at a time, and that none is left.
#include "tools/sweep/children.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <map>
#include <stdexcept>
#include <thread>

#include "models/base/text_file.hpp"
#include "tools/test/temp_folder.hpp"

namespace kagami::tools {
namespace {

// runs shell scripts, numbered from 0
struct Scripts {
  std::vector<std::string> scripts;
  ChildSettings settings;
  std::map<std::uint64_t, ChildEnd> ends;

  bool run() {
    std::uint64_t next = 0;
    settings.next = [this, next]() mutable -> std::optional<ChildTask> {
      if (next >= scripts.size()) return std::nullopt;
      const std::uint64_t run = next++;
      return ChildTask{run, "/bin/sh", {"-c", scripts[run]}, ""};
    };
    if (!settings.ended) settings.ended = [this](const ChildEnd& end) { ends[end.run] = end; };
    if (!settings.is_stopped) settings.is_stopped = [] { return false; };
    return run_children(settings);
  }
};

TEST(Children, ReportEachKindOfEnd) {
  Scripts s;
  s.settings.jobs = 3;
  s.scripts = {"echo out; echo err >&2",
               "echo some; echo first >&2; echo the last >&2; exit 6",
               "kill -SEGV $$",
               "printf 'no \\377 UTF-8' >&2; exit 2",
               "head -c 3000000 /dev/zero | tr '\\0' x",
               "head -c 300000 /dev/zero | tr '\\0' x >&2; echo >&2; echo end >&2; exit 1",
               "read line || echo no input",
               "exec /no/such/program"};
  EXPECT_TRUE(s.run());
  ASSERT_EQ(s.ends.size(), s.scripts.size());
  EXPECT_EQ(s.ends[0].outcome, "ok");
  EXPECT_EQ(s.ends[0].out, "out\n");
  EXPECT_EQ(s.ends[0].message, "err");
  EXPECT_EQ(s.ends[1].outcome, "exit 6");
  EXPECT_EQ(s.ends[1].out, "some\n");
  EXPECT_EQ(s.ends[1].message, "the last");
  EXPECT_EQ(s.ends[2].outcome, "signal SEGV");
  EXPECT_EQ(s.ends[3].message, "no \xEF\xBF\xBD UTF-8");
  EXPECT_EQ(s.ends[4].out.size(), 3000000u);
  EXPECT_EQ(s.ends[5].message, "end");
  EXPECT_EQ(s.ends[6].out, "no input\n");
  EXPECT_EQ(s.ends[7].outcome, "exit 127");
}

TEST(Children, AProgramThatDoesNotExistIsAnEnd) {
  ChildSettings settings;
  bool is_pending = true;
  std::vector<ChildEnd> ends;
  settings.next = [&]() -> std::optional<ChildTask> {
    if (!std::exchange(is_pending, false)) return std::nullopt;
    return ChildTask{4, "/no/such/program", {}, ""};
  };
  settings.ended = [&](const ChildEnd& end) { ends.push_back(end); };
  settings.is_stopped = [] { return false; };
  EXPECT_TRUE(run_children(settings));
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].run, 4u);
  EXPECT_EQ(ends[0].outcome, "exit 126");
  EXPECT_EQ(ends[0].message, "No such file or directory");
}

TEST(Children, AsManyRunAtATimeAsThereAreJobs) {
  // each waits for all to have begun: with fewer at a time, none would end
  const test::TempFolder folder;
  Scripts s;
  s.settings.jobs = 5;
  for (int i = 0; i < 5; ++i)
    s.scripts.push_back("touch " + folder.file("begun-" + std::to_string(i)) + "; while [ $(ls " +
                        folder.path().string() + " | wc -l) -lt 5 ]; do sleep 0.01; done");
  EXPECT_TRUE(s.run());
  EXPECT_EQ(s.ends.size(), 5u);
  // and not more
  s.settings.jobs = 1;
  s.scripts.assign(
      5, "mkdir " + folder.file("alone") + " || exit 1; sleep 0.02; rmdir " + folder.file("alone"));
  EXPECT_TRUE(s.run());
  for (const auto& [run, end] : s.ends) EXPECT_EQ(end.outcome, "ok") << run;
}

TEST(Children, AreKilledWhenTimeIsUp) {
  Scripts s;
  s.settings.timeout_s = 0.1;
  s.scripts = {"exec sleep 1000", "kill -STOP $$"};
  EXPECT_TRUE(s.run());
  EXPECT_EQ(s.ends[0].outcome, "timeout");
  EXPECT_EQ(s.ends[1].outcome, "timeout");
}

TEST(Children, AreKilledByAStopAndNotHandedOver) {
  const test::TempFolder folder;
  Scripts s;
  s.settings.jobs = 2;
  s.scripts = {"true", "echo $$ > " + folder.file("pid") + "; exec sleep 1000", "true"};
  s.settings.is_stopped = [&] {
    return s.ends.size() == 2 && std::filesystem::exists(folder.file("pid"));
  };
  EXPECT_FALSE(s.run());
  EXPECT_EQ(s.ends.count(1), 0u);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);  // none is left
  EXPECT_EQ(errno, ECHILD);
}

TEST(Children, AreKilledWhenAnEndCannotBeKept) {
  Scripts s;
  s.settings.jobs = 2;
  s.scripts = {"exec sleep 1000", "true"};
  s.settings.ended = [](const ChildEnd&) { throw std::runtime_error("full"); };
  EXPECT_THROW(s.run(), std::runtime_error);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Children, DieWithTheirParent) {
  const test::TempFolder folder;
  const std::string file = folder.file("pid");
  const pid_t parent = fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {
    Scripts s;
    s.scripts = {"echo $$ > " + file + ".new; mv " + file + ".new " + file + "; exec sleep 1000"};
    s.run();
    _exit(0);
  }
  while (!std::filesystem::exists(file)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const pid_t child = std::stoi(read_text_file(file));
  EXPECT_EQ(kill(child, 0), 0);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  // an orphan may stay as a zombie where nobody collects it: it does not run
  const auto runs = [&] {
    if (kill(child, 0) != 0) return false;
    try {
      const std::string stat = read_text_file("/proc/" + std::to_string(child) + "/stat");
      return stat.find(") Z ") == std::string::npos;
    } catch (const std::exception&) {
      return false;
    }
  };
  while (runs()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace
}  // namespace kagami::tools
