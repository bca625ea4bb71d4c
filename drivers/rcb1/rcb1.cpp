#include "drivers/rcb1/rcb1.hpp"

#include <algorithm>

// Times of one exchange (docs/rcb1.md, "Time"); T is the byte time.
//   t_q   = t_w0 + n_out T             request complete at the board            (1)
//   t_a   = t_rN - n_in T              answer began                             (2)
//   w     = t_a - t_q - adapter        turnaround                               (3)
//   w_min = smallest of the last 256 w                                          (4)
//   t_s   = t_q - table_age + w_min/2  the angle was sampled                    (5)
//   sigma = (w - w_min) + w_min/2      its uncertainty                          (6)
//   t_e   = t_w0 + n_out T + w_min/2   a command takes effect                   (7)

namespace kagami::drivers::rcb1 {
namespace {

std::int64_t bytes_ns(std::size_t bytes) noexcept {
  return static_cast<std::int64_t>(bytes) * kByteTimeNs;
}

}  // namespace

IoStatus Rcb1::set_positions(std::uint8_t speed, const ChannelCounts& counts, Deadline limit,
                             EffectTime& effect) noexcept {
  if (!may_send(counts)) {
    ++line_.counters().refused;
    return IoStatus::kRefused;
  }
  const Request request{
      .command = Command::kSetPositions, .board = id(), .speed = speed, .counts = counts};
  Reply reply;
  return timed(request, reply, acknowledge_, limit, effect);
}

IoStatus Rcb1::get_positions(ChannelCounts& counts, Deadline limit, EffectTime& sampled) noexcept {
  Reply reply;
  EffectTime effect;
  const IoStatus s =
      timed({.command = Command::kGetPositions, .board = id()}, reply, reading_, limit, effect);
  if (s != IoStatus::kOk) return s;
  effect.at_ns -= timing_.table_age_ns;  // (5)
  counts = reply.counts;
  sampled = effect;
  return IoStatus::kOk;
}

IoStatus Rcb1::set_switches(std::uint8_t bits, Deadline limit, EffectTime& effect) noexcept {
  Reply reply;
  return timed({.command = Command::kSetSwitches, .board = id(), .bits = bits}, reply, acknowledge_,
               limit, effect);
}

IoStatus Rcb1::get_switches(std::uint8_t& bits, Deadline limit) noexcept {
  Reply reply;
  EffectTime effect;
  const IoStatus s =
      timed({.command = Command::kGetSwitches, .board = id()}, reply, acknowledge_, limit, effect);
  if (s == IoStatus::kOk) bits = reply.bits;
  return s;
}

IoStatus Rcb1::play_motion(std::uint8_t motion, Deadline limit, EffectTime& effect) noexcept {
  Reply reply;
  return timed({.command = Command::kPlayMotion, .board = id(), .motion = motion}, reply,
               acknowledge_, limit, effect);
}

IoStatus Rcb1::ask(Request request, Reply& reply, Deadline limit) noexcept {
  request.board = id();
  const std::int64_t latest =
      line_.clock().now_ns() + wire_ns(request.command) + kReplyLimitNs + timing_.patience_ns;
  ExchangeStamps stamps;
  return line_.run(request, reply, {std::min(latest, limit.at_ns)}, stamps);
}

std::int64_t Rcb1::wire_ns(Command command) noexcept {
  return bytes_ns(request_size(static_cast<std::uint8_t>(command)) + reply_size(command));
}

std::int64_t Rcb1::expected_ns(Command command) const noexcept {
  const Turnaround& t = command == Command::kGetPositions ? reading_ : acknowledge_;
  return wire_ns(command) + t.max_ns() + timing_.adapter_ns;
}

bool Rcb1::may_send(const ChannelCounts& counts) const noexcept {
  return std::all_of(counts.begin(), counts.end(), [this](std::uint8_t count) {
    return count <= kMaxCount || count == kOutputLow || (count == kFree && board_.knows_free);
  });
}

IoStatus Rcb1::timed(const Request& request, Reply& reply, Turnaround& turnaround, Deadline limit,
                     EffectTime& effect) noexcept {
  const std::size_t n_out = request_size(static_cast<std::uint8_t>(request.command));
  const std::size_t n_in = reply_size(request.command);
  const std::int64_t own_ns =
      bytes_ns(n_out + n_in) + turnaround.allowance_ns(timing_.margin_ns + timing_.adapter_ns);
  const std::int64_t latest =
      line_.clock().now_ns() + std::min(own_ns, kReplyLimitNs) + timing_.patience_ns;

  ExchangeStamps stamps;
  const IoStatus s = line_.run(request, reply, {std::min(latest, limit.at_ns)}, stamps);
  if (s == IoStatus::kTimedOut) {
    turnaround.timed_out();
    silent_in_a_row_ = line_.last_answer().empty() ? silent_in_a_row_ + 1 : 0;
  }
  if (s != IoStatus::kOk) return s;

  silent_in_a_row_ = 0;
  const std::int64_t t_q = stamps.written_ns + bytes_ns(n_out);                      // (1)
  const std::int64_t t_a = stamps.received_ns - bytes_ns(n_in);                      // (2)
  const std::int64_t w = std::max<std::int64_t>(t_a - t_q - timing_.adapter_ns, 0);  // (3)
  turnaround.add(w);
  const std::int64_t w_min = turnaround.min_ns();   // (4)
  effect.at_ns = t_q + w_min / 2;                   // (5), (7)
  effect.uncertainty_ns = (w - w_min) + w_min / 2;  // (6)
  effect.stamps = stamps;
  return IoStatus::kOk;
}

}  // namespace kagami::drivers::rcb1
