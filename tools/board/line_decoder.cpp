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

void LineDecoder::take_answers(std::int64_t at_ns) {
  while (!open_.empty()) {
    const LineRequest& first = open_.front();
    const std::size_t size = drivers::rcb1::reply_size(first.request.command);
    if (answer_.size() < size) return;
    LineAnswer answer{.to = first, .reply = {}, .size = size, .received_ns = at_ns};
    const auto status = drivers::rcb1::decode_reply(first.request.command, first.request.board,
                                                    answer_, answer.reply);
    if (status != drivers::IoStatus::kOk) {
      // an answer may begin behind a byte of noise
      answer_.erase(answer_.begin());
      ++counts_.noise_bytes;
      continue;
    }
    open_.pop_front();
    answer_.clear();
    ++counts_.answers;
    on_answer_(answer);
  }
}

void LineDecoder::finish() {
  while (!open_.empty()) drop_first();
}

}  // namespace kagami::tools
