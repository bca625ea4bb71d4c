#include "tools/dashboard/bus_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "drivers/rcb1/turnaround.hpp"
#include "tools/dashboard/stamp.hpp"

namespace kagami::tools {
namespace {

using drivers::IoStatus;
using drivers::rcb1::Command;
using nlohmann::json;

constexpr double kMs = 1e-6;             // per ns
constexpr std::size_t kMostFrames = 32;  // of a round: two boards commanded and read take eight
constexpr std::size_t kMostAnswerBytes = 32;

std::string hex_of(const std::vector<std::uint8_t>& bytes) {
  std::string hex;
  for (const std::uint8_t byte : bytes)
    hex += fmt::format("{}{:02x}", hex.empty() ? "" : " ", byte);
  return hex;
}

std::string counts_of(const drivers::ChannelCounts& counts) {
  std::string text;
  for (const std::uint8_t count : counts) text += fmt::format(" {}", count);
  return text;
}

std::string describe(const drivers::rcb1::Request& r) {
  const std::string board = fmt::format("board {}: ", r.board);
  switch (r.command) {
    case Command::kSetPositions:
      return board + fmt::format("positions, speed {}:", r.speed) + counts_of(r.counts);
    case Command::kGetPositions:
      return board + "read positions";
    case Command::kSetSwitches:
      return board + fmt::format("switches {}", r.bits);
    case Command::kGetSwitches:
      return board + "read switches";
    case Command::kPlayMotion:
      return board + fmt::format("play motion {}", r.motion);
    case Command::kGetId:
      return board + "who is there";
    default:
      return board + fmt::format("command {:02X}", static_cast<unsigned>(r.command));
  }
}

std::string describe_answer(const drivers::rcb1::Request& request,
                            const std::vector<std::uint8_t>& bytes) {
  drivers::rcb1::Reply reply;
  const IoStatus status = drivers::rcb1::decode_reply(request.command, request.board, bytes, reply);
  const std::string board = fmt::format("board {}: ", request.board);
  if (status != IoStatus::kOk) return board + "not understood";
  if (request.command == Command::kGetPositions) return board + "at" + counts_of(reply.counts);
  return board + (bytes.size() == 1 ? "acknowledged" : "answered");
}

json bins_json(const DurationBins& bins) {
  const double mean = bins.mean_ms();
  return {{"from", 0.0},
          {"step", bins.step_ms},
          {"counts", bins.counts},
          {"mean", std::isfinite(mean) ? json(mean) : json(nullptr)}};
}

}  // namespace

void DurationBins::add(std::int64_t ns) noexcept {
  if (ns < 0) return;
  const double bin = static_cast<double>(ns) * kMs / step_ms;
  ++counts[static_cast<std::size_t>(std::min(bin, static_cast<double>(kBins - 1)))];
  ++count;
  sum_ns += ns;
}

double DurationBins::mean_ms() const noexcept {
  if (count == 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(sum_ns) * kMs / static_cast<double>(count);
}

void BusView::frame(const runtime::LineFrame& frame) {
  if (frame.outgoing) {
    request(frame);
  } else {
    answer(frame);
  }
}

// A round begins where the first request of the one before comes again.
void BusView::request(const runtime::LineFrame& frame) {
  const std::vector<std::uint8_t> bytes(frame.bytes.begin(), frame.bytes.begin() + frame.size);
  drivers::rcb1::Request request;
  const bool known = drivers::rcb1::decode_request(bytes, request) == IoStatus::kOk;
  const std::pair<std::uint8_t, Command> key{request.board, request.command};
  const bool begins = !first_ || (known && key == *first_) || now_.size() >= kMostFrames;
  if (begins) {
    if (round_ns_ >= 0) period_.add(frame.at_ns - round_ns_);
    round_ns_ = frame.at_ns;
    if (known) first_ = key;
    last_ = std::move(now_);
    now_.clear();
  }
  request_.reset();
  if (known) request_ = request;
  request_ns_ = frame.at_ns;
  now_.push_back({frame.at_ns, true, bytes, known ? describe(request) : "not understood"});
}

// An answer may come in parts; the text describes all of it.
void BusView::answer(const runtime::LineFrame& frame) {
  if (now_.empty()) return;
  if (now_.back().out) now_.push_back({frame.at_ns, false});
  LineMessage& message = now_.back();
  if (message.bytes.size() + frame.size > kMostAnswerBytes) return;
  message.bytes.insert(message.bytes.end(), frame.bytes.begin(), frame.bytes.begin() + frame.size);
  message.at_ns = frame.at_ns;
  if (!request_) return;
  message.text = describe_answer(*request_, message.bytes);
  if (message.bytes.size() == drivers::rcb1::reply_size(request_->command)) {
    latency_.add(frame.at_ns - request_ns_);
  }
}

std::string BusView::text(std::uint64_t time_ns, const drivers::LineCounters& c) const {
  json frames = json::array();
  for (const LineMessage& message : last_) {
    const auto bytes = static_cast<std::int64_t>(message.bytes.size());
    const std::int64_t took = bytes * drivers::rcb1::kByteTimeNs;
    const std::int64_t begin = message.at_ns - (message.out ? 0 : took) - last_.front().at_ns;
    frames.push_back({{"at_ms", static_cast<double>(begin) * kMs},
                      {"duration_ms", static_cast<double>(took) * kMs},
                      {"out", message.out},
                      {"hex", hex_of(message.bytes)},
                      {"text", message.text}});
  }
  const json message = {{"timestamp", stamp_json(time_ns)},
                        {"frames", std::move(frames)},
                        {"latency_ms", bins_json(latency_)},
                        {"period_ms", bins_json(period_)},
                        {"counters",
                         {{"rounds", c.rounds},
                          {"sent", c.sent},
                          {"answered", c.answered},
                          {"late", c.late},
                          {"bad_sum", c.bad_sum},
                          {"bad_reply", c.bad_reply},
                          {"silent", c.silent},
                          {"short_reply", c.short_reply},
                          {"gone", c.gone},
                          {"retried", c.retried},
                          {"refused", c.refused}}}};
  return message.dump();
}

}  // namespace kagami::tools
