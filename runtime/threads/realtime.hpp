/// What we ask the machine for, and what it granted: locked memory, priorities, cores, wake-ups.
#pragma once

#include <cstdint>
#include <string>

namespace kagami::runtime {

/// What a run does without real-time rights: reports it, does not start, or does not request them.
enum class RealtimeRequest : std::uint8_t { kPrefer, kRequire, kOff };

/// SCHED_FIFO priorities (docs/timing.md, "Threads").
inline constexpr int kCyclePriority = 80;
inline constexpr int kSerialPriority = 70;
/// The virtual boards stand for hardware, which no other program can hold up.
inline constexpr int kBoardsPriority = 60;
/// Above every normal process, so that samples do not wait in memory on a busy machine.
inline constexpr int kWriterPriority = 10;

/// Asks for a run's real-time rights at its start and gives them back at its end. Set-up code; one
/// at a time in a process.
class Realtime {
 public:
  /// Locks memory, holds /dev/cpu_dma_latency at 0, finds out whether SCHED_FIFO is allowed.
  /// Throws PortError under kRequire when memory or FIFO is refused; under kOff requests nothing.
  explicit Realtime(RealtimeRequest request);
  ~Realtime();
  Realtime(const Realtime&) = delete;
  Realtime& operator=(const Realtime&) = delete;

  /// Memory locked and FIFO allowed.
  [[nodiscard]] bool granted() const noexcept { return memory_ && fifo_; }
  /// One sentence: what was granted, what was not and how to get it.
  [[nodiscard]] const std::string& why() const noexcept { return why_; }

  /// Called inside a thread of the run, with one of the priorities above: timer slack, cores,
  /// priority. The cycle's thread gets a core of its own.
  void enter_thread(int priority) const noexcept;

 private:
  bool wanted_ = false;
  bool memory_ = false;
  bool fifo_ = false;
  int dma_latency_fd_ = -1;
  std::string why_;
};

/// Largest resident memory of this process until now, MiB (VmHWM); negative when unknown.
double peak_memory_mib();
/// Linux version, e.g. "6.1.0-18-amd64"; processor model; for record headers.
std::string kernel_text();
std::string machine_text();

}  // namespace kagami::runtime
