#include "drivers/rcb1/calibration.hpp"

#include <algorithm>
#include <cmath>

#include "drivers/rcb1/protocol.hpp"
#include "models/base/angle.hpp"

namespace kagami::drivers::rcb1 {

Calibration::Calibration(const RobotWiring& wiring)
    : num_boards_(static_cast<int>(wiring.boards.size())),
      num_joints_(static_cast<int>(wiring.joints.size())) {
  for (auto& slots : joint_at_) slots.fill(-1);
  for (int joint = 0; joint < num_joints_; ++joint) {
    const JointWiring& w = wiring.joints[static_cast<std::size_t>(joint)];
    channel_[static_cast<std::size_t>(joint)] = {w.board(), w.slot(), w.sign, w.home_deg};
    joint_at_[static_cast<std::size_t>(w.board())][static_cast<std::size_t>(w.slot())] = joint;
  }
}

int Calibration::joint_at(int board, int slot) const noexcept {
  return joint_at_[static_cast<std::size_t>(board)][static_cast<std::size_t>(slot)];
}

IoStatus Calibration::to_counts(int board, const JointArray<double>& angle, ChannelCounts& counts,
                                int& refused_joint) const noexcept {
  ChannelCounts built;
  built.fill(kOutputLow);
  for (int slot = 0; slot < kChannelsPerBoard; ++slot) {
    const int joint = joint_at(board, slot);
    if (joint < 0) continue;
    const Channel& channel = channel_[static_cast<std::size_t>(joint)];
    const double angle_deg = to_deg(angle[static_cast<std::size_t>(joint)]);
    // the first test also keeps NaN, infinity and huge values away from lround
    if (!(std::abs(angle_deg) <= 360.0)) {
      refused_joint = joint;
      return IoStatus::kRefused;
    }
    const long count = channel.home_deg + channel.sign * std::lround(angle_deg);
    if (count < 0 || count > kMaxCount) {
      refused_joint = joint;
      return IoStatus::kRefused;
    }
    built[static_cast<std::size_t>(slot)] = static_cast<std::uint8_t>(count);
  }
  counts = built;
  return IoStatus::kOk;
}

double Calibration::to_angle(int joint, std::uint8_t count) const noexcept {
  const Channel& channel = channel_[static_cast<std::size_t>(joint)];
  return to_rad(static_cast<double>(channel.sign * (count - channel.home_deg)));
}

void Calibration::to_angles(int board, const ChannelCounts& counts,
                            JointArray<double>& angle) const noexcept {
  for (int slot = 0; slot < kChannelsPerBoard; ++slot) {
    const int joint = joint_at(board, slot);
    const std::uint8_t count = counts[static_cast<std::size_t>(slot)];
    if (joint < 0 || count > kMaxCount) continue;
    angle[static_cast<std::size_t>(joint)] = to_angle(joint, count);
  }
}

void Calibration::read_angles(int board, const JointArray<double>& q,
                              JointArray<double>& angle) const noexcept {
  for (int slot = 0; slot < kChannelsPerBoard; ++slot) {
    const int joint = joint_at(board, slot);
    if (joint < 0) continue;
    const auto j = static_cast<std::size_t>(joint);
    const double angle_deg = to_deg(q[j]);
    if (!std::isfinite(angle_deg)) continue;
    // the clamp also keeps huge values away from lround
    const long whole = std::lround(std::clamp(angle_deg, -360.0, 360.0));
    const long count = channel_[j].home_deg + channel_[j].sign * whole;
    angle[j] = to_angle(joint, static_cast<std::uint8_t>(std::clamp<long>(count, 0, kMaxCount)));
  }
}

}  // namespace kagami::drivers::rcb1
