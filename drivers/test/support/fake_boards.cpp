#include "drivers/test/support/fake_boards.hpp"

#include "models/base/angle.hpp"

namespace kagami::test {

using drivers::ScriptedPort;
using drivers::rcb1::Command;
using drivers::rcb1::Frame;
using drivers::rcb1::Reply;
using drivers::rcb1::Request;

FakeBoards::FakeBoards() {
  for (std::size_t b = 0; b < board.size(); ++b) {
    board[b].id = static_cast<std::uint8_t>(b);
    board[b].positions.fill(90);
    board[b].home.fill(90);
  }
}

void FakeBoards::attach(ScriptedPort& port) {
  port.respond([this](ScriptedPort& p, std::span<const std::uint8_t> bytes, std::int64_t at_ns) {
    receive(p, bytes, at_ns);
  });
}

int FakeBoards::requests(Command command) const {
  const auto found = requests_.find(command);
  return found == requests_.end() ? 0 : found->second;
}

void FakeBoards::receive(ScriptedPort& port, std::span<const std::uint8_t> bytes,
                         std::int64_t complete_ns) {
  Request request;
  if (decode_request(bytes, request) != drivers::IoStatus::kOk) return;
  ++requests_[request.command];
  for (std::size_t b = 0; b < board.size(); ++b) {
    const bool anyone = request.command == Command::kGetId;
    if (board[b].off || (!anyone && board[b].id != request.board)) continue;
    Frame frame;
    if (encode_reply(request.command, apply(request, board[b]), frame) != drivers::IoStatus::kOk) {
      return;
    }
    Answer answer{.command = request.command, .board = static_cast<int>(b)};
    answer.bytes.assign(frame.view().begin(), frame.view().end());
    if (distort) distort(answer);
    port.send(answer.bytes, complete_ns + answer.delay_ns);
    if (anyone) return;
  }
}

Reply FakeBoards::apply(const Request& request, Board& b) {
  Reply reply{.board = b.id};
  const std::pair<int, int> pose{request.motion, request.pose};
  switch (request.command) {
    case Command::kSetPositions:
      b.positions = request.counts;
      for (std::uint8_t& c : b.positions) {
        if (c > drivers::rcb1::kMaxCount) c = 0;  // no servo, nothing to measure
      }
      break;
    case Command::kGetPositions:
      reply.counts = b.positions;
      break;
    case Command::kStoreHome:
      b.home = b.positions;
      break;
    case Command::kGetHome:
      reply.counts = b.home;
      break;
    case Command::kSetPose:
      b.poses[pose] = {request.speed, request.counts};
      break;
    case Command::kGetPose:
      reply.speed = b.poses[pose].speed;
      reply.counts = b.poses[pose].counts;
      break;
    case Command::kSetMotionSize:
      b.sizes[request.motion] = request.count;
      break;
    case Command::kGetMotionSize:
      reply.count = b.sizes[request.motion];
      break;
    case Command::kSetSwitches:
      b.bits = request.bits;
      break;
    case Command::kGetSwitches:
      reply.bits = b.bits;
      break;
    case Command::kPlayMotion:
      b.played.push_back(request.motion);
      break;
    case Command::kSetTrim:
      b.trim_deg = request.trim_deg;
      break;
    case Command::kGetTrim:
      reply.trim_deg = b.trim_deg;
      break;
    default:
      break;
  }
  return reply;
}

RobotWiring small_wiring() {
  RobotWiring wiring;
  wiring.boards = {{.id = 0}, {.id = 1}};
  const auto joint = [](const char* name, int channel, int sign, int home_deg) {
    return JointWiring{.joint = name,
                       .channel = channel,
                       .sign = sign,
                       .home_deg = home_deg,
                       .soft_min = to_rad(-180.0),
                       .soft_max = to_rad(180.0)};
  };
  wiring.joints = {joint("left_arm", 1, 1, 90),    joint("right_arm", 7, -1, 90),
                   joint("head", 6, 1, 90),        joint("left_hip", 13, 1, 115),
                   joint("right_hip", 19, -1, 65), joint("left_knee", 15, 1, 115)};
  wiring.speed.seconds_per_degree = {0.0028, 0.0030, 0.0032, 0.0034,
                                     0.0036, 0.0038, 0.0086, 0.0178};
  return wiring;
}

}  // namespace kagami::test
