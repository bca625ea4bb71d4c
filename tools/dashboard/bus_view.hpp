/// The channel /bus: the line's last round frame by frame, and how long answers and rounds took.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "drivers/link/samples.hpp"
#include "drivers/rcb1/protocol.hpp"
#include "runtime/channels/thread_channels.hpp"

namespace kagami::tools {

/// Counts of durations in bins of the same width from 0; the last bin holds what is beyond it.
struct DurationBins {
  static constexpr std::size_t kBins = 60;
  explicit DurationBins(double step) : step_ms(step) {}
  void add(std::int64_t ns) noexcept;
  /// Mean of the durations themselves, not of the bins' centres; NaN before the first.
  [[nodiscard]] double mean_ms() const noexcept;

  double step_ms;
  std::array<std::uint64_t, kBins> counts{};
  std::uint64_t count = 0;
  std::int64_t sum_ns = 0;
};

/// One thread.
class BusView {
 public:
  /// Bytes of the line in the order in which they went over it.
  void frame(const runtime::LineFrame& frame);
  /// kagami.Bus of the last whole round.
  [[nodiscard]] std::string text(std::uint64_t time_ns,
                                 const drivers::LineCounters& counters) const;

 private:
  struct LineMessage {
    std::int64_t at_ns = 0;  ///< first byte's begin of a request, last byte's end of an answer
    bool out = false;
    std::vector<std::uint8_t> bytes{};
    std::string text{};
  };
  void request(const runtime::LineFrame& frame);
  void answer(const runtime::LineFrame& frame);

  std::vector<LineMessage> now_;   // the round in progress
  std::vector<LineMessage> last_;  // the one before
  std::optional<drivers::rcb1::Request> request_;
  std::int64_t request_ns_ = 0;
  std::int64_t round_ns_ = -1;                                            // its begin
  std::optional<std::pair<std::uint8_t, drivers::rcb1::Command>> first_;  // of a round
  DurationBins latency_{0.25};
  DurationBins period_{2.0};
};

}  // namespace kagami::tools
