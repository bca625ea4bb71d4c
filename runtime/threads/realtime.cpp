#include "runtime/threads/realtime.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>

#include "models/base/errors.hpp"

namespace kagami::runtime {
namespace {

bool set_fifo(int priority) noexcept {
  sched_param p{};
  p.sched_priority = priority;
  return pthread_setschedparam(pthread_self(), SCHED_FIFO, &p) == 0;
}

// tries the priority on this thread and goes back at once
bool may_use_fifo() noexcept {
  int policy = SCHED_OTHER;
  sched_param before{};
  if (pthread_getschedparam(pthread_self(), &policy, &before) != 0) return false;
  if (!set_fifo(kCyclePriority)) return false;
  return pthread_setschedparam(pthread_self(), policy, &before) == 0;
}

// the cycle's core is the last one that the process may use; alone = false on a single core
enum class Cores { kCycle, kOthers };
void choose_cores(Cores which) noexcept {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(getpid(), sizeof(allowed), &allowed) != 0) return;
  if (CPU_COUNT(&allowed) < 2) return;
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &allowed)) --last;
  cpu_set_t chosen = allowed;
  if (which == Cores::kCycle) {
    CPU_ZERO(&chosen);
    CPU_SET(last, &chosen);
  } else {
    CPU_CLR(last, &chosen);
  }
  pthread_setaffinity_np(pthread_self(), sizeof(chosen), &chosen);
}

// a timed thread without FIFO would else wake up to 50 us late on purpose
void tighten_timers() noexcept {
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

int hold_cpu_dma_latency() noexcept {
  const int fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  const std::int32_t microseconds = 0;
  if (write(fd, &microseconds, sizeof(microseconds)) == sizeof(microseconds)) return fd;
  close(fd);
  return -1;
}

std::string line_value(const char* file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind(key, 0) != 0) continue;
    const auto begin = line.find_first_not_of(" \t:", key.size());
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

}  // namespace

Realtime::Realtime(RealtimeRequest request) : wanted_(request != RealtimeRequest::kOff) {
  if (!wanted_) {
    why_ = "not requested";
    return;
  }
  memory_ = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
  const std::string memory_error = memory_ ? "" : std::strerror(errno);
  fifo_ = may_use_fifo();
  dma_latency_fd_ = hold_cpu_dma_latency();

  why_ = memory_ ? "memory locked" : "memory not locked (" + memory_error + ")";
  why_ += fifo_ ? ", SCHED_FIFO 80 and 70" : ", SCHED_FIFO refused";
  why_ += dma_latency_fd_ >= 0 ? ", cpu_dma_latency held" : ", cpu_dma_latency not held";
  if (granted()) return;
  why_ +=
      "; to get both: '@realtime - rtprio 90' and '@realtime - memlock unlimited' in "
      "/etc/security/limits.d, the user in that group, a new log-in";
  if (request != RealtimeRequest::kRequire) return;
  if (memory_) munlockall();
  if (dma_latency_fd_ >= 0) close(dma_latency_fd_);
  throw PortError("--realtime require: " + why_);
}

Realtime::~Realtime() {
  if (dma_latency_fd_ >= 0) close(dma_latency_fd_);
  if (memory_) munlockall();
}

void Realtime::enter_thread(int priority) const noexcept {
  tighten_timers();
  if (!wanted_) return;
  choose_cores(priority == kCyclePriority ? Cores::kCycle : Cores::kOthers);
  if (fifo_) set_fifo(priority);
}

double peak_memory_mib() {
  std::istringstream text(line_value("/proc/self/status", "VmHWM"));
  double kib = 0.0;
  return text >> kib ? kib / 1024.0 : -1.0;
}

std::string kernel_text() {
  utsname name{};
  return uname(&name) == 0 ? std::string(name.release) : "";
}

std::string machine_text() {
  return line_value("/proc/cpuinfo", "model name") + ", " +
         std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) + " cores";
}

}  // namespace kagami::runtime
