#include "tools/cli/run_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>

namespace kagami::tools {
namespace {

/// Pins this thread, and with it the programs it starts, while it lives.
class Pinned {
 public:
  explicit Pinned(int cpu) {
    if (cpu < 0 || sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    active_ = sched_setaffinity(0, sizeof one, &one) == 0;
  }
  ~Pinned() {
    if (active_) sched_setaffinity(0, sizeof before_, &before_);
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  cpu_set_t before_{};
  bool active_ = false;
};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// The child, or an error number.
int spawn(const std::string& program, const std::vector<std::string>& arguments, int out, int err,
          pid_t& child) {
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, 1);
  posix_spawn_file_actions_adddup2(&actions, err, 2);
  const int error = posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/// Reads to the end of the pipe; false when time ran out first.
bool read_all(int pipe, double timeout_s, std::string& text) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(timeout_s);
  for (;;) {
    const std::chrono::duration<double, std::milli> left = end - Clock::now();
    pollfd waiting{pipe, POLLIN, 0};
    const int ready = left.count() <= 0 ? 0 : poll(&waiting, 1, static_cast<int>(left.count()) + 1);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    char buffer[65536];
    const ssize_t count = read(pipe, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

/// The end of a program's standard error, in one line.
std::string last_lines(std::FILE* file) {
  std::string text(400, '\0');
  std::fseek(file, 0, SEEK_END);
  const long size = std::ftell(file);
  std::fseek(file, size > 400 ? -400 : 0, size > 400 ? SEEK_END : SEEK_SET);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t line = text.rfind('\n');
  return line == std::string::npos ? text : text.substr(line + 1);
}

std::string why_it_ended(int status, std::FILE* err) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  std::string why = WIFSIGNALED(status)
                        ? std::string("ended by signal ") + strsignal(WTERMSIG(status))
                        : "exit code " + std::to_string(WEXITSTATUS(status));
  const std::string lines = last_lines(err);
  return lines.empty() ? why : why + ": " + lines;
}

}  // namespace

ProgramOutput run_program(const std::filesystem::path& program,
                          const std::vector<std::string>& arguments, int cpu, double timeout_s) {
  ProgramOutput result;
  const File err(std::tmpfile());
  int ends[2];
  if (!err || pipe2(ends, O_CLOEXEC) != 0) {
    result.error = std::string("cannot be started: ") + std::strerror(errno);
    return result;
  }
  pid_t child = 0;
  int failed = 0;
  {
    const Pinned pinned(cpu);
    failed = spawn(program.string(), arguments, ends[1], fileno(err.get()), child);
  }
  close(ends[1]);
  if (failed != 0) {
    result.error = std::string("cannot be started: ") + std::strerror(failed);
  } else {
    const bool finished = read_all(ends[0], timeout_s, result.out);
    if (!finished) kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    result.error = finished ? why_it_ended(status, err.get()) : "stopped: out of time";
  }
  close(ends[0]);
  return result;
}

int last_core() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return -1;
  int last = -1;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed)) last = cpu;
  return last;
}

}  // namespace kagami::tools
