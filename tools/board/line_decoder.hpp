/// Requests and answers in the bytes of a line on which another program talks to the boards.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "drivers/rcb1/protocol.hpp"
#include "drivers/virtual/frame_receiver.hpp"

namespace kagami::tools {

/// A good request of the host.
struct LineRequest {
  drivers::rcb1::Request request;
  std::int64_t complete_ns = 0;  ///< its last byte is at the boards
};

/// A good answer to a request.
struct LineAnswer {
  LineRequest to;
  drivers::rcb1::Reply reply;
  std::size_t size = 0;          ///< bytes
  std::int64_t received_ns = 0;  ///< its last byte was read
};

struct LineCounts {
  std::uint64_t requests = 0;
  std::uint64_t answers = 0;
  std::uint64_t unanswered = 0;   ///< requests without a good answer
  std::uint64_t bad_frames = 0;   ///< requests that no board accepts
  std::uint64_t noise_bytes = 0;  ///< of the host outside requests, of the boards outside answers
};

/// Takes bytes in the pieces in which they come, also parts of frames. Never fails: what is no
/// frame is counted. One thread.
class LineDecoder {
 public:
  using OnRequest = std::function<void(const LineRequest&)>;
  using OnAnswer = std::function<void(const LineAnswer&)>;

  LineDecoder(OnRequest on_request, OnAnswer on_answer);

  /// Bytes that the host wrote at `at_ns`. On the wire they take one byte time each.
  void host(std::int64_t at_ns, std::span<const std::uint8_t> bytes);
  /// Bytes of the boards, read at `at_ns`.
  void boards(std::int64_t at_ns, std::span<const std::uint8_t> bytes);
  /// Counts what is still open as unanswered. Before counts() at the end.
  void finish();
  [[nodiscard]] const LineCounts& counts() const { return counts_; }

 private:
  void add_request(std::int64_t complete_ns);
  void drop_first();
  void take_answers(std::int64_t at_ns);

  OnRequest on_request_;
  OnAnswer on_answer_;
  drivers::virtual_robot::FrameReceiver receiver_;
  std::int64_t wire_free_ns_ = 0;
  std::deque<LineRequest> open_;      // without an answer so far, oldest first
  std::vector<std::uint8_t> answer_;  // bytes that belong to the oldest one
  LineCounts counts_;
};

}  // namespace kagami::tools
