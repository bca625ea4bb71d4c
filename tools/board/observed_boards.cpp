#include "tools/board/observed_boards.hpp"

#include <algorithm>

#include "models/base/idx.hpp"

namespace kagami::tools {
namespace {

using BoardOp = drivers::rcb1::Command;

}  // namespace

ObservedBoards::ObservedBoards(const RobotWiring& wiring) : wiring_(wiring), calibration_(wiring) {}

void ObservedBoards::start(const JointArray<double>& angle, std::int64_t at_ns) {
  sample_.angle = angle;
  for (int b = 0; b < calibration_.num_boards(); ++b) {
    drivers::BoardReading& reading = sample_.reading[idx(b)];
    reading.written_ns = reading.sampled_ns = reading.received_ns = at_ns;
  }
}

void ObservedBoards::begin_tick(std::int64_t tick) {
  tick_ = tick;
  ++sample_.round;
  sample_.counters.rounds = sample_.round;
  has_reading_ = false;
  for (drivers::BoardReading& reading : sample_.reading) reading.is_new = false;
}

int ObservedBoards::board_of(std::uint8_t id) const {
  for (std::size_t b = 0; b < wiring_.boards.size(); ++b) {
    if (wiring_.boards[b].id == id) return static_cast<int>(b);
  }
  return -1;
}

drivers::BoardCommand& ObservedBoards::begin_command(int board, std::int64_t complete_ns) {
  drivers::BoardCommand& command = sample_.command[idx(board)];
  command.sequence = ++sequence_;
  command.cycle = tick_;
  command.complete = true;
  command.effective_ns = std::max(complete_ns + acknowledge_[idx(board)].min_ns() / 2,  // (7)
                                  command.effective_ns + 1);
  return command;
}

void ObservedBoards::take(const LineRequest& line) {
  ++sample_.counters.sent;
  act(line);
}

void ObservedBoards::act(const LineRequest& line) {
  const drivers::rcb1::Request& request = line.request;
  const int board = board_of(request.board);
  if (board < 0) return;
  switch (request.command) {
    case BoardOp::kSetPositions: {
      drivers::BoardCommand& command = begin_command(board, line.complete_ns);
      command.mode = drivers::TargetMode::kPositions;
      command.speed = request.speed;
      command.counts = request.counts;
      break;
    }
    case BoardOp::kSetSwitches:
      if ((request.bits & drivers::rcb1::kSwitchSleep) != 0) {
        begin_command(board, line.complete_ns).mode = drivers::TargetMode::kSleep;
      }
      break;
    default:
      break;
  }
}

void ObservedBoards::take(const LineAnswer& answer, bool with_reading) {
  ++sample_.counters.answered;
  const int board = board_of(answer.to.request.board);
  if (board < 0) return;
  const auto bytes_ns = static_cast<std::int64_t>(answer.size) * drivers::rcb1::kByteTimeNs;
  const std::int64_t w =
      std::max<std::int64_t>(answer.received_ns - bytes_ns - answer.to.complete_ns, 0);  // (2), (3)
  if (answer.to.request.command == BoardOp::kSetPositions) acknowledge_[idx(board)].add(w);
  if (answer.to.request.command != BoardOp::kGetPositions) return;
  reading_[idx(board)].add(w);
  if (!with_reading) return;
  const std::int64_t w_min = reading_[idx(board)].min_ns();  // (4)
  drivers::BoardReading& reading = sample_.reading[idx(board)];
  reading.is_new = true;
  reading.written_ns = answer.to.complete_ns;
  reading.received_ns = answer.received_ns;
  reading.sampled_ns = answer.to.complete_ns + w_min / 2;                     // (5)
  reading.uncertainty_ns = std::max<std::int64_t>(w - w_min, 0) + w_min / 2;  // (6)
  reading.counts = answer.reply.counts;
  calibration_.to_angles(board, answer.reply.counts, sample_.angle);
  has_reading_ = true;
}

void ObservedBoards::take_angles(const JointArray<double>& angle, std::int64_t at_ns) {
  for (int b = 0; b < calibration_.num_boards(); ++b) {
    calibration_.read_angles(b, angle, sample_.angle);
    drivers::BoardReading& reading = sample_.reading[idx(b)];
    reading.is_new = true;
    reading.written_ns = reading.sampled_ns = reading.received_ns = at_ns;
    int refused = -1;
    static_cast<void>(calibration_.to_counts(b, sample_.angle, reading.counts, refused));
  }
  has_reading_ = true;
}

void ObservedBoards::count(bool from_host, std::size_t bytes) {
  (from_host ? sample_.counters.bytes_out : sample_.counters.bytes_in) += bytes;
}

}  // namespace kagami::tools
