#include "drivers/rcb1/line.hpp"

#include <algorithm>

namespace kagami::drivers::rcb1 {
namespace {

constexpr std::int64_t kQuietNs = 1'000'000;  // over eleven byte times
constexpr std::size_t kMaxSettleBytes = 256;  // a babbling line must not hold a round

}  // namespace

IoStatus Line::run(const Request& request, Reply& reply, Deadline deadline,
                   ExchangeStamps& stamps) noexcept {
  if (gone_) return IoStatus::kGone;
  if (const IoStatus s = encode_request(request, sent_); s != IoStatus::kOk) {
    ++counters_.refused;
    return s;
  }
  received_ = 0;
  drain();  // a late answer to the previous command must not answer this one

  const std::size_t size = reply_size(request.command);
  ++counters_.sent;
  ExchangeStamps now{.written_ns = clock_.now_ns()};
  if (const IoStatus s = port_.write(sent_.view(), deadline); s != IoStatus::kOk) {
    return count_failure(s, size);
  }
  counters_.bytes_out += sent_.size;
  if (const IoStatus s = read_answer(request.board, size, deadline); s != IoStatus::kOk) {
    return count_failure(s, size);
  }
  now.received_ns = clock_.now_ns();
  if (const IoStatus s = decode_reply(request.command, request.board, last_answer(), reply);
      s != IoStatus::kOk) {
    count_failure(s, size);
    settle(deadline);  // the rest of a shifted answer is still arriving
    return s;
  }
  if (pending_board_ == sent_.bytes[1]) pending_bytes_ = 0;  // the other board's may still come
  ++counters_.answered;
  counters_.bytes_in += size;
  stamps = now;
  return IoStatus::kOk;
}

void Line::disbelieve() noexcept {
  --counters_.answered;
  ++counters_.bad_reply;
  counters_.bytes_in -= received_;
  counters_.bytes_refused += received_;
}

std::size_t Line::settle(Deadline deadline) noexcept {
  std::size_t total = 0;
  while (total < kMaxSettleBytes) {
    std::uint8_t byte = 0;
    std::size_t got = 0;
    const std::int64_t quiet_at = clock_.now_ns() + kQuietNs;
    const IoStatus s = port_.read({&byte, 1}, got, {std::min(quiet_at, deadline.at_ns)});
    count_discarded(got);
    total += got;
    if (s == IoStatus::kGone) gone_ = true;
    if (s != IoStatus::kOk) break;
  }
  return total;
}

void Line::drain() noexcept {
  count_discarded(port_.drop_input());
}

void Line::count_discarded(std::size_t bytes) noexcept {
  const std::size_t late = std::min(bytes, pending_bytes_);
  pending_bytes_ -= late;
  counters_.late += late;
  counters_.unexpected_bytes += bytes - late;
}

IoStatus Line::read_answer(std::uint8_t board, std::size_t size, Deadline deadline) noexcept {
  const IoStatus s = port_.read({answer_.data(), size}, received_, deadline);
  const bool from_late_board = received_ > 0 && pending_bytes_ > 0 && pending_board_ != board &&
                               answer_[0] == pending_board_;
  return from_late_board ? skip_late_answer(size, deadline) : s;
}

/// The other board's late answer arrives before ours: counts it as late and reads on.
IoStatus Line::skip_late_answer(std::size_t size, Deadline deadline) noexcept {
  while (pending_bytes_ > 0 && received_ > 0) {
    const std::size_t late = std::min(pending_bytes_, received_);
    count_discarded(late);
    std::copy(answer_.begin() + static_cast<std::ptrdiff_t>(late),
              answer_.begin() + static_cast<std::ptrdiff_t>(received_), answer_.begin());
    received_ -= late;
    std::size_t got = 0;
    const IoStatus s = port_.read({answer_.data() + received_, size - received_}, got, deadline);
    received_ += got;
    if (s != IoStatus::kOk) return s;
  }
  return IoStatus::kOk;
}

IoStatus Line::count_failure(IoStatus status, std::size_t size) noexcept {
  counters_.bytes_refused += received_;
  pending_bytes_ = 0;  // an earlier pending reply had its time
  switch (status) {
    case IoStatus::kTimedOut:
      ++(received_ == 0 ? counters_.silent : counters_.short_reply);
      pending_bytes_ = size - received_;
      pending_board_ = sent_.bytes[1];
      break;
    case IoStatus::kBadSum:
      ++counters_.bad_sum;
      break;
    case IoStatus::kGone:
      ++counters_.gone;
      gone_ = true;
      break;
    default:
      ++counters_.bad_reply;
  }
  return status;
}

}  // namespace kagami::drivers::rcb1
