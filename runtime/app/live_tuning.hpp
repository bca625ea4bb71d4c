/// The one set of requested values of a run, and its transfer to the cycle.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "runtime/app/live_answer.hpp"
#include "runtime/channels/cycle_types.hpp"
#include "runtime/channels/latest_value.hpp"

namespace kagami::runtime {

/// The parts of a LiveControl change `requested` and publish it as a whole; each publication has
/// the next version. All with the mutex of LiveShared held.
class LiveTuning {
 public:
  struct Published {
    std::uint64_t version = 0;
    std::string why;
    std::vector<double> values;
  };

  /// A run begins with `start`; borrows the channel until `close`.
  void open(const Tuning& start, LatestValue<Tuning>& channel);
  void close() noexcept { channel_ = nullptr; }

  /// The request; the next `publish` sends it.
  [[nodiscard]] Tuning& requested() noexcept { return requested_; }
  [[nodiscard]] const Tuning& requested() const noexcept { return requested_; }
  [[nodiscard]] std::vector<double> values() const;
  void set_values(const std::vector<double>& values);

  /// To the cycle. The answer's ticket is the version. A run is open.
  LiveAnswer publish(std::string why);
  /// A ticket for something that reaches the cycle in another way.
  [[nodiscard]] std::uint64_t next_ticket() noexcept { return ++newest_; }

  [[nodiscard]] std::uint64_t newest() const noexcept { return newest_; }
  /// The newest version whose values differ from those of the one before.
  [[nodiscard]] std::uint64_t written() const noexcept { return written_; }
  /// What was published as `version`; drops all that is older.
  [[nodiscard]] std::optional<Published> published(std::uint64_t version);

 private:
  LatestValue<Tuning>* channel_ = nullptr;  // null: no run
  Tuning requested_;
  std::uint64_t newest_ = 0;
  std::uint64_t written_ = 0;
  std::vector<double> written_values_;
  std::deque<Published> published_;
};

}  // namespace kagami::runtime
