#include "runtime/app/live_tickets.hpp"

#include <algorithm>

namespace kagami::runtime {
namespace {

constexpr std::size_t kMaxApplications = 65536;  // versions are requested by people and tests
constexpr std::int64_t kPatienceNs = 1'000'000'000;

}  // namespace

std::optional<std::int64_t> LiveTickets::find(std::uint64_t ticket) const {
  if (is_refused(ticket) || postponed_.count(ticket) > 0) return std::nullopt;
  const auto known = versions_.find(ticket);
  const std::uint64_t wanted = known == versions_.end() ? ticket : known->second;
  const auto found =
      std::lower_bound(applied_.begin(), applied_.end(), wanted,
                       [](const auto& applied, std::uint64_t v) { return applied.first < v; });
  if (found == applied_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::int64_t> LiveTickets::acknowledged(std::uint64_t ticket) const {
  const std::lock_guard lock(shared_.mutex);
  return find(ticket);
}

void LiveTickets::when_done(std::uint64_t ticket, Done done) {
  std::unique_lock lock(shared_.mutex);
  Waiting waiting{ticket, shared_.seen.now_ns + kPatienceNs, std::move(done)};
  const std::optional<TicketResult> ended = result(waiting);
  if (!ended) return waiting_.push_back(std::move(waiting));
  lock.unlock();
  waiting.done(*ended);
}

std::optional<TicketResult> LiveTickets::result(const Waiting& waiting) const {
  if (is_refused(waiting.ticket)) return TicketResult{TicketEnd::kRefused};
  if (const std::optional<std::int64_t> tick = find(waiting.ticket)) {
    return TicketResult{TicketEnd::kApplied, *tick};
  }
  if (!shared_.is_open()) return TicketResult{TicketEnd::kRunOver};
  if (shared_.seen.now_ns > waiting.until_ns) return TicketResult{TicketEnd::kLate};
  return std::nullopt;
}

std::vector<LiveTickets::Completed> LiveTickets::take_completed() {
  std::vector<Completed> completed;
  std::vector<Waiting> others;
  for (Waiting& waiting : waiting_) {
    if (const std::optional<TicketResult> ended = result(waiting)) {
      completed.push_back({std::move(waiting.done), *ended});
    } else {
      others.push_back(std::move(waiting));
    }
  }
  waiting_ = std::move(others);
  return completed;
}

void LiveTickets::open() {
  applied_.clear();
  refused_.clear();
  postponed_.clear();
  versions_.clear();
}

void LiveTickets::note_applied(std::uint64_t version, std::int64_t tick) {
  if (applied_.size() < kMaxApplications) applied_.emplace_back(version, tick);
}

void LiveTickets::note_refused(std::uint64_t ticket) {
  refused_.insert(ticket);
  postponed_.erase(ticket);
}

void LiveTickets::resume(std::uint64_t ticket, std::uint64_t version) {
  postponed_.erase(ticket);
  versions_[ticket] = version;
}

}  // namespace kagami::runtime
