#include "tools/board/line_decoder.hpp"

#include <algorithm>
#include <utility>

#include "drivers/rcb1/turnaround.hpp"

namespace kagami::tools {
namespace {

using LineOp = drivers::rcb1::Command;

constexpr std::int64_t kGapNs = 20'000'000;      // as the virtual boards
constexpr std::int64_t kForgetNs = 250'000'000;  // no board answers that late

// FE and FF go to every board
bool is_for_all(const LineRequest& r) {
  return r.request.command == LineOp::kGetId || r.request.command == LineOp::kSetId;
}

bool is_same_board(const LineRequest& a, const LineRequest& b) {
  return is_for_all(a) || is_for_all(b) || a.request.board == b.request.board;
}

}  // namespace

LineDecoder::LineDecoder(OnRequest on_request, OnAnswer on_answer)
    : on_request_(std::move(on_request)), on_answer_(std::move(on_answer)), receiver_(kGapNs) {}

void LineDecoder::host(std::int64_t at_ns, std::span<const std::uint8_t> bytes) {
  using Reception = drivers::virtual_robot::FrameReceiver::Reception;
  for (const std::uint8_t byte : bytes) {
    wire_free_ns_ = std::max(wire_free_ns_, at_ns) + drivers::rcb1::kByteTimeNs;
    switch (receiver_.receive_byte(byte, wire_free_ns_)) {
      case Reception::kRequest:
        add_request(wire_free_ns_);
        break;
      case Reception::kBad:
        ++counts_.bad_frames;
        break;
      case Reception::kNoise:
        ++counts_.noise_bytes;
        break;
      case Reception::kPart:
        break;
    }
  }
}

// A board takes one request at a time: who sends it another one has given the first up.
void LineDecoder::add_request(std::int64_t complete_ns) {
  const LineRequest request{receiver_.request(), complete_ns};
  ++counts_.requests;
  while (!open_.empty() && (is_same_board(open_.front(), request) ||
                            complete_ns - open_.front().complete_ns > kForgetNs)) {
    drop_first();
  }
  open_.push_back(request);
  on_request_(request);
}

void LineDecoder::drop_first() {
  open_.pop_front();
  ++counts_.unanswered;
  if (!open_.empty()) return;  // what came may be the answer to the next one
  counts_.noise_bytes += answer_.size();
  answer_.clear();
}

void LineDecoder::boards(std::int64_t at_ns, std::span<const std::uint8_t> bytes) {
  for (const std::uint8_t byte : bytes) {
    if (open_.empty()) {
      ++counts_.noise_bytes;
      continue;
    }
    answer_.push_back(byte);
    take_answers(at_ns);
  }
}

// The newest bytes are an answer when they decode as one. To a later request only where the first
// one's is not on its way: every answer begins with the number of its board.
void LineDecoder::take_answers(std::int64_t at_ns) {
  const LineRequest& first = open_.front();
  const bool first_comes = answer_.front() == first.request.board &&
                           answer_.size() < drivers::rcb1::reply_size(first.request.command);
  std::size_t longest = 0;
  for (std::size_t k = 0; k < open_.size() && (k == 0 || !first_comes); ++k) {
    const LineRequest request = open_[k];
    const std::size_t size = drivers::rcb1::reply_size(request.request.command);
    longest = std::max(longest, size);
    if (answer_.size() < size) continue;
    LineAnswer answer{.to = request, .reply = {}, .size = size, .received_ns = at_ns};
    const auto newest = std::span(answer_).last(size);
    if (drivers::rcb1::decode_reply(request.request.command, request.request.board, newest,
                                    answer.reply) != drivers::IoStatus::kOk) {
      continue;
    }
    counts_.noise_bytes += answer_.size() - size;
    answer_.clear();
    for (std::size_t before = 0; before < k; ++before) drop_first();
    open_.pop_front();
    ++counts_.answers;
    on_answer_(answer);
    return;
  }
  if (answer_.size() < longest || first_comes) return;
  answer_.erase(answer_.begin());  // no answer begins there
  ++counts_.noise_bytes;
}

void LineDecoder::finish() {
  while (!open_.empty()) drop_first();
}

}  // namespace kagami::tools
