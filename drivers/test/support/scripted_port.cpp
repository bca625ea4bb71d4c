#include "drivers/test/support/scripted_port.hpp"

#include <algorithm>

namespace kagami::drivers {
namespace {

constexpr std::int64_t kScriptedByteNs = 86'806;

}  // namespace

void ScriptedPort::expect(std::vector<std::uint8_t> request, std::vector<std::uint8_t> answer,
                          std::int64_t delay_ns) {
  script_.push_back({std::move(request), std::move(answer), delay_ns});
}

void ScriptedPort::send(std::span<const std::uint8_t> bytes, std::int64_t from_ns) {
  std::int64_t at = input_.empty() ? from_ns : std::max(from_ns, input_.back().at_ns);
  for (const std::uint8_t value : bytes) {
    at += kScriptedByteNs;
    input_.push_back({at, value});
  }
}

void ScriptedPort::fail_operation(int n, IoStatus status) {
  failing_operation_ = operations_ + n;
  failure_ = status;
}

bool ScriptedPort::fails() noexcept {
  if (++operations_ != failing_operation_) return false;
  if (failure_ == IoStatus::kGone) gone_ = true;
  return true;
}

IoStatus ScriptedPort::write(std::span<const std::uint8_t> bytes, Deadline deadline) noexcept {
  const bool failed = fails();
  if (gone_) return IoStatus::kGone;
  if (failed || clock_.now_ns() > deadline.at_ns) {
    clock_.sleep_until(deadline.at_ns);
    return IoStatus::kTimedOut;
  }
  written_.emplace_back(bytes.begin(), bytes.end());
  wire_free_ns_ = std::max(wire_free_ns_, clock_.now_ns()) +
                  static_cast<std::int64_t>(bytes.size()) * kScriptedByteNs;
  if (!script_.empty()) {
    const Entry entry = std::move(script_.front());
    script_.pop_front();
    if (entry.request != written_.back()) ++mismatches_;
    send(entry.answer, wire_free_ns_ + entry.delay_ns);
  } else if (responder_) {
    responder_(*this, bytes, wire_free_ns_);
  }
  return IoStatus::kOk;
}

IoStatus ScriptedPort::read(std::span<std::uint8_t> bytes, std::size_t& received,
                            Deadline deadline) noexcept {
  received = 0;
  if (fails() && !gone_) {
    clock_.sleep_until(deadline.at_ns);
    return IoStatus::kTimedOut;
  }
  while (!gone_ && received < bytes.size()) {
    if (input_.empty() || input_.front().at_ns > std::max(deadline.at_ns, clock_.now_ns())) {
      clock_.sleep_until(deadline.at_ns);
      return IoStatus::kTimedOut;
    }
    clock_.sleep_until(input_.front().at_ns);
    bytes[received++] = input_.front().value;
    input_.pop_front();
    ++delivered_;
  }
  return gone_ ? IoStatus::kGone : IoStatus::kOk;
}

std::size_t ScriptedPort::drop_input() noexcept {
  fails();
  std::size_t dropped = 0;
  while (!gone_ && !input_.empty() && input_.front().at_ns <= clock_.now_ns()) {
    input_.pop_front();
    ++dropped;
  }
  delivered_ += dropped;
  return dropped;
}

}  // namespace kagami::drivers
