/// What became of the tickets that a run gave out: the row that applies one completes it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "runtime/app/live_shared.hpp"

namespace kagami::runtime {

enum class TicketEnd : std::uint8_t {
  kApplied,
  kRefused,  ///< the cycle looked at it and a controller did not take it; nothing was changed
  kLate,     ///< not applied within a second of the run's clock; that may still come
  kRunOver,  ///< the run ended before
};
struct TicketResult {
  TicketEnd end = TicketEnd::kApplied;
  std::int64_t tick = -1;  ///< at which it was applied; -1: it was not
};

/// Any thread, also after the run.
class LiveTickets {
 public:
  using Done = std::function<void(const TicketResult&)>;
  struct Completed {
    Done done;
    TicketResult result;
  };

  explicit LiveTickets(const LiveShared& shared) : shared_(shared) {}

  /// Tick at which the ticket's values were applied; nothing yet, or never.
  [[nodiscard]] std::optional<std::int64_t> acknowledged(std::uint64_t ticket) const;
  /// Calls `done` once: on the writer's thread with the row that completes the ticket, or at once
  /// where it is complete already. Without a row it waits for the run's end. `done` must not throw;
  /// what it takes delays the record, never the cycle.
  void when_done(std::uint64_t ticket, Done done);

  // --- the other parts and the run, with the mutex of LiveShared held
  void open();
  /// The cycle took this version, and with it every older one.
  void note_applied(std::uint64_t version, std::int64_t tick);
  void note_refused(std::uint64_t ticket);
  [[nodiscard]] bool is_refused(std::uint64_t ticket) const { return refused_.count(ticket) > 0; }
  /// Its version is not known yet: it is not applied with newer ones.
  void postpone(std::uint64_t ticket) { postponed_.insert(ticket); }
  /// It is applied when `version` is.
  void resume(std::uint64_t ticket, std::uint64_t version);
  /// Those that the newest row, or the run's end, has completed: to be called without the mutex.
  [[nodiscard]] std::vector<Completed> take_completed();

 private:
  struct Waiting {
    std::uint64_t ticket = 0;
    std::int64_t until_ns = 0;
    Done done;
  };

  [[nodiscard]] std::optional<std::int64_t> find(std::uint64_t ticket) const;
  [[nodiscard]] std::optional<TicketResult> result(const Waiting& waiting) const;

  const LiveShared& shared_;
  std::vector<std::pair<std::uint64_t, std::int64_t>> applied_;  // version, tick; rising
  std::set<std::uint64_t> refused_;
  std::set<std::uint64_t> postponed_;
  std::map<std::uint64_t, std::uint64_t> versions_;  // of the tickets that were postponed
  std::vector<Waiting> waiting_;
};

}  // namespace kagami::runtime
