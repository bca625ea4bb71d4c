#include "runtime/cycle/test/support/fake_robot.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace kagami::test {
namespace {

using drivers::TargetMode;

// a round: command 0, command 1, read 0, read 1, sample out; times from its start
enum Step { kBegin, kCommand0, kCommand1, kRead0, kRead1, kPublish, kNumSteps };
constexpr std::array<std::int64_t, kNumSteps> kAtNs{0,         1'400'000, 3'000'000,
                                                    4'100'000, 5'400'000, 5'900'000};
constexpr std::int64_t kLongestStepNs = 1'000'000;

}  // namespace

FakeRobot::FakeRobot(const models::RobotDescription& robot, const FakeRobotOptions& options)
    : options_(options),
      calibration_(robot.wiring),
      plant_(robot.model, robot.servos, robot.wiring),
      round_start_ns_(options.first_round_ns) {
  plant_.reset(options.start, 0);
  working_.angle.fill(std::numeric_limits<double>::quiet_NaN());
  std::fill(working_.angle.begin() + calibration_.num_joints(), working_.angle.end(), 0.0);
  published_ = working_;
  past_.fill(working_);
}

void FakeRobot::advance(std::int64_t now_ns, const drivers::ServoTargets& targets) noexcept {
  targets_ = targets;
  for (;;) {
    const std::int64_t delay_ns = step_ == kPublish ? options_.publish_delay_ns : 0;
    const std::int64_t at_ns = round_start_ns_ + kAtNs[static_cast<std::size_t>(step_)] + delay_ns;
    if (at_ns > now_ns) break;
    move_plant(at_ns);
    do_step(step_);
    if (++step_ == kNumSteps) {
      step_ = kBegin;
      round_start_ns_ += std::max(options_.round_ns, at_ns - round_start_ns_);
    }
  }
  move_plant(now_ns);
}

void FakeRobot::move_plant(std::int64_t to_ns) noexcept {
  while (plant_.time_ns() < to_ns) {
    while (const auto pose = stored.next(plant_.time_ns() + 1)) {
      plant_.command(pose->board, pose->pose->angle, pose->pose->code, pose->at_ns);
    }
    plant_.step(std::min(kLongestStepNs, to_ns - plant_.time_ns()));
  }
}

void FakeRobot::do_step(int step) noexcept {
  switch (step) {
    case kBegin:
      taken_ = targets_;
      for (drivers::BoardReading& reading : working_.reading) reading.is_new = false;
      break;
    case kCommand0:
      command(0);
      break;
    case kCommand1:
      command(1);
      break;
    case kRead0:
      read(0);
      break;
    case kRead1:
      read(1);
      break;
    case kPublish:
      ++working_.round;
      working_.port_gone = is_gone;
      past_[working_.round % past_.size()] = working_;
      published_ = working_;
      if (options_.readings_late_rounds > 0) {
        const auto late = static_cast<std::uint64_t>(options_.readings_late_rounds);
        const drivers::ServoSample& old = past_[(working_.round - late) % past_.size()];
        published_.reading = old.reading;
        published_.angle = old.angle;
      }
      has_news_ = true;
      break;
    default:
      break;
  }
}

void FakeRobot::command(int board) noexcept {
  drivers::BoardCommand& last = working_.command[static_cast<std::size_t>(board)];
  const bool is_new = taken_.sequence != 0 && taken_.sequence != last.sequence;
  if (is_silent && is_new) ++last.failed;
  if (is_silent || is_gone || !is_new || taken_.mode == TargetMode::kNone) return;
  drivers::BoardCommand next{.mode = taken_.mode,
                             .speed = taken_.speed,
                             .sequence = taken_.sequence,
                             .cycle = taken_.cycle,
                             .effective_ns = plant_.time_ns(),
                             .complete = true};
  stored.stop(board);
  if (taken_.mode == TargetMode::kPlay) {
    stored.start(board, plant_.time_ns());
  } else if (taken_.mode == TargetMode::kPositions) {
    int refused = -1;
    if (calibration_.to_counts(board, taken_.angle, next.counts, refused) !=
        drivers::IoStatus::kOk) {
      return;
    }
    JointArray<double> angle{};
    calibration_.to_angles(board, next.counts, angle);
    plant_.command(board, angle, next.speed, plant_.time_ns());
  } else {
    plant_.release(board, plant_.time_ns());
    working_.sleep_confirmed = confirms_sleep && board == kMaxBoards - 1;
  }
  last = next;
  ++commands_received;
}

void FakeRobot::read(int board) noexcept {
  if (is_silent && taken_.read_positions) {
    ++working_.reading[static_cast<std::size_t>(board)].failed;
  }
  if (is_silent || is_gone || !taken_.read_positions) return;
  drivers::BoardReading& reading = working_.reading[static_cast<std::size_t>(board)];
  reading.is_new = true;
  reading.failed = 0;
  reading.sampled_ns = plant_.time_ns();
  reading.written_ns = reading.sampled_ns - 300'000;
  reading.received_ns = reading.sampled_ns + 900'000;
  reading.uncertainty_ns = 100'000;
  int refused = -1;
  (void)calibration_.to_counts(board, plant_.q(), reading.counts, refused);
  for (int slot = 0; slot < kChannelsPerBoard; ++slot) {
    const int joint = calibration_.joint_at(board, slot);
    if (joint < 0) continue;
    const auto i = static_cast<std::size_t>(joint);
    working_.angle[i] =
        options_.whole_degrees
            ? calibration_.to_angle(joint, reading.counts[static_cast<std::size_t>(slot)])
            : plant_.q()[i];
  }
}

bool FakeRobot::fetch(drivers::ServoSample& sample) noexcept {
  const bool is_new = has_news_;
  has_news_ = false;
  sample = published_;
  sample.port_gone = is_gone;
  return is_new;
}

}  // namespace kagami::test
