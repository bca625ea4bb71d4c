#include "runtime/app/live_tickets.hpp"

#include <algorithm>

namespace kagami::runtime {
namespace {

constexpr std::size_t kMaxApplications = 65536;  // versions are asked for by people and tests

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

bool LiveTickets::was_refused(std::uint64_t ticket) const {
  const std::lock_guard lock(shared_.mutex);
  return is_refused(ticket);
}

std::optional<std::int64_t> LiveTickets::wait(std::uint64_t ticket,
                                              std::chrono::milliseconds limit) {
  std::unique_lock lock(shared_.mutex);
  changed_.wait_for(lock, limit, [&] {
    return !shared_.is_open() || is_refused(ticket) || find(ticket).has_value();
  });
  return find(ticket);
}

void LiveTickets::open() {
  applied_.clear();
  refused_.clear();
  postponed_.clear();
  versions_.clear();
}

void LiveTickets::note_applied(std::uint64_t version, std::int64_t tick) {
  if (applied_.size() < kMaxApplications) applied_.emplace_back(version, tick);
  changed_.notify_all();
}

void LiveTickets::note_refused(std::uint64_t ticket) {
  refused_.insert(ticket);
  postponed_.erase(ticket);
  changed_.notify_all();
}

void LiveTickets::resume(std::uint64_t ticket, std::uint64_t version) {
  postponed_.erase(ticket);
  versions_[ticket] = version;
}

}  // namespace kagami::runtime
