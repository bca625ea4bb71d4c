#include "tools/sweep/children.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "models/base/errors.hpp"

namespace kagami::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLookAgain = 200;                // ms, for a stop
constexpr std::size_t kMaxOutput = 64u << 20;  // bytes of one run's answer
constexpr std::size_t kKeptErrors = 4096;      // bytes at the end of standard error

/// An end of a pipe.
class PipeEnd {
 public:
  PipeEnd() = default;
  explicit PipeEnd(int descriptor) : descriptor_(descriptor) {}
  PipeEnd(PipeEnd&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  PipeEnd& operator=(PipeEnd&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~PipeEnd() { close(); }
  PipeEnd(const PipeEnd&) = delete;
  PipeEnd& operator=(const PipeEnd&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  void close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }

  /// Appends what is there; closes at the end.
  void read_into(std::string& text) {
    std::array<char, 65536>
        buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
    const ssize_t count = ::read(descriptor_, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (count <= 0) return close();
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }

 private:
  int descriptor_ = -1;
};

std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const std::size_t line = text.rfind('\n');
  if (line != std::string::npos) text.erase(0, line + 1);
  // what is no UTF-8 is replaced
  const std::string quoted =
      nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return nlohmann::json::parse(quoted).get<std::string>();
}

std::string outcome_of(int status) {
  if (WIFSIGNALED(status)) {
    const char* name = sigabbrev_np(WTERMSIG(status));
    return std::string("signal ") + (name != nullptr ? name : "unknown");
  }
  return WEXITSTATUS(status) == 0 ? "ok" : "exit " + std::to_string(WEXITSTATUS(status));
}

/// Becomes the program, in a child whose memory is still the parent's: system calls alone. It ends
/// with its parent and, in a process group of its own, does not get the terminal's Ctrl-C.
[[noreturn]] void become(const char* program, char* const* arguments, const char* folder, int out,
                         int err, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  setpgid(0, 0);
  const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  // as a shell would start it
  for (const int number : {SIGPIPE, SIGXFSZ, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP})
    std::signal(number, SIG_DFL);
  if (*folder == '\0' || chdir(folder) == 0) execv(program, arguments);
  const char* why = strerrordesc_np(errno);
  static_cast<void>(!write(STDERR_FILENO, why, std::strlen(why)));
  _exit(126);
}

/// A process that runs.
class Child {
 public:
  Child(const ChildTask& task, double timeout_s) : run_(task.run) {
    end_at_ = Clock::now() +
              std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout_s));
    std::array<int, 2> out{};
    std::array<int, 2> err{};
    if (pipe2(out.data(), O_CLOEXEC) != 0) not_started();
    out_ = PipeEnd(out[0]);
    PipeEnd out_of_child(out[1]);
    if (pipe2(err.data(), O_CLOEXEC) != 0) not_started();
    err_ = PipeEnd(err[0]);
    PipeEnd err_of_child(err[1]);
    std::vector<char*> argv = {const_cast<char*>(task.program.c_str())};
    for (const std::string& word : task.arguments) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    const pid_t parent = getpid();
    // fork() would copy the page tables of this process for each run, a third of what a run costs
    // here
    process_ = vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork)
    if (process_ == 0) become(argv[0], argv.data(), task.folder.c_str(), out[1], err[1], parent);
    if (process_ < 0) not_started();
    setpgid(process_, process_);  // the child does it, too: whichever comes first
  }
  Child(Child&& other) noexcept
      : run_(other.run_),
        process_(std::exchange(other.process_, -1)),
        end_at_(other.end_at_),
        out_(std::move(other.out_)),
        err_(std::move(other.err_)),
        out_text_(std::move(other.out_text_)),
        err_text_(std::move(other.err_text_)),
        outcome_(std::move(other.outcome_)) {}
  Child& operator=(Child&& other) = delete;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (process_ <= 0) return;
    kill(-process_, SIGKILL);
    wait();
  }

  /// What to poll, at most two.
  void add_to(std::vector<pollfd>& all) const {
    if (out_.is_open()) all.push_back({out_.descriptor(), POLLIN, 0});
    if (err_.is_open()) all.push_back({err_.descriptor(), POLLIN, 0});
  }

  void read_from(const pollfd& ready) {
    if (ready.revents == 0) return;
    if (ready.fd == out_.descriptor()) {
      out_.read_into(out_text_);
      if (out_text_.size() > kMaxOutput) kill_with("too much output");
    } else if (ready.fd == err_.descriptor()) {
      err_.read_into(err_text_);
      if (err_text_.size() > 2 * kKeptErrors) err_text_.erase(0, err_text_.size() - kKeptErrors);
    }
  }

  void check_time() {
    if (Clock::now() >= end_at_) kill_with("timeout");
  }

  [[nodiscard]] double seconds_left() const {
    return std::chrono::duration<double>(end_at_ - Clock::now()).count();
  }
  [[nodiscard]] bool is_at_end() const { return !out_.is_open() && !err_.is_open(); }

  /// After both pipes have ended.
  ChildEnd end() {
    if (process_ > 0) {
      const int status = wait();
      if (outcome_.empty()) outcome_ = outcome_of(status);
    }
    return {run_, outcome_, std::move(out_text_), last_line(std::move(err_text_))};
  }

 private:
  [[noreturn]] static void not_started() {
    throw Error(std::string("no further process can be started: ") + std::strerror(errno));
  }
  void kill_with(const char* outcome) {
    if (process_ > 0) kill(-process_, SIGKILL);
    outcome_ = outcome;
    out_.close();
    err_.close();
  }
  int wait() {
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return status;
  }

  std::uint64_t run_ = 0;
  pid_t process_ = -1;
  Clock::time_point end_at_;
  PipeEnd out_;
  PipeEnd err_;
  std::string out_text_;
  std::string err_text_;
  std::string outcome_;
};

/// Waits for output or an end of one of them, or some time.
void read_some(std::vector<Child>& children) {
  std::vector<pollfd> all;
  double wait_s = 1e-3 * kLookAgain;
  for (const Child& child : children) {
    child.add_to(all);
    wait_s = std::min(wait_s, std::max(0.0, child.seconds_left()));
  }
  if (poll(all.data(), all.size(), static_cast<int>(1e3 * wait_s) + 1) > 0)
    for (const pollfd& ready : all)
      for (Child& child : children) child.read_from(ready);
  for (Child& child : children) child.check_time();
}

}  // namespace

bool run_children(const ChildSettings& settings) {
  std::vector<Child> children;
  bool has_more = true;
  const auto start_some = [&] {
    while (has_more && children.size() < static_cast<std::size_t>(settings.jobs)) {
      const std::optional<ChildTask> task = settings.next();
      has_more = task.has_value();
      if (task) children.emplace_back(*task, settings.timeout_s);
    }
  };
  start_some();
  while (!children.empty()) {
    if (settings.is_stopped()) return false;
    read_some(children);
    std::vector<ChildEnd> ends;
    std::vector<Child> still;
    for (Child& child : children) {
      if (child.is_at_end()) {
        ends.push_back(child.end());
      } else {
        still.push_back(std::move(child));
      }
    }
    children.swap(still);
    start_some();  // first, so that no core waits for what follows
    for (const ChildEnd& end : ends) settings.ended(end);
  }
  return !settings.is_stopped();
}

int usable_cores() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  return std::max(1, CPU_COUNT(&allowed));
}

}  // namespace kagami::tools
