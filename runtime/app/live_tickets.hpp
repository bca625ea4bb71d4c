/// What became of the tickets that a run gave out.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "runtime/app/live_shared.hpp"

namespace kagami::runtime {

/// Any thread, also after the run.
class LiveTickets {
 public:
  explicit LiveTickets(const LiveShared& shared) : shared_(shared) {}

  /// Tick at which the ticket's values were applied; nothing yet, or never (was_refused).
  [[nodiscard]] std::optional<std::int64_t> acknowledged(std::uint64_t ticket) const;
  /// The cycle looked at it and a controller did not take it; nothing of it was applied.
  [[nodiscard]] bool was_refused(std::uint64_t ticket) const;
  /// Waits for the acknowledgement, never longer than `limit`, and not beyond the run's end.
  std::optional<std::int64_t> wait(std::uint64_t ticket, std::chrono::milliseconds limit);

  // --- the other parts and the run, with the mutex of LiveShared held
  void open();
  void close() { changed_.notify_all(); }
  /// The cycle took this version, and with it every older one.
  void note_applied(std::uint64_t version, std::int64_t tick);
  void note_refused(std::uint64_t ticket);
  [[nodiscard]] bool is_refused(std::uint64_t ticket) const { return refused_.count(ticket) > 0; }
  /// Its version is not known yet: it is not applied with newer ones.
  void postpone(std::uint64_t ticket) { postponed_.insert(ticket); }
  /// It is applied when `version` is.
  void resume(std::uint64_t ticket, std::uint64_t version);

 private:
  [[nodiscard]] std::optional<std::int64_t> find(std::uint64_t ticket) const;

  const LiveShared& shared_;
  std::condition_variable changed_;
  std::vector<std::pair<std::uint64_t, std::int64_t>> applied_;  // version, tick; rising
  std::set<std::uint64_t> refused_;
  std::set<std::uint64_t> postponed_;
  std::map<std::uint64_t, std::uint64_t> versions_;  // of the tickets that were postponed
};

}  // namespace kagami::runtime
