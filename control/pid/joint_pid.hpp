/// One PID per joint behind one call: inputs checked, nothing changed unless all are fine.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "control/pid/pid.hpp"
#include "models/base/types.hpp"

namespace kagami::control {

/// Model order; entries from num_joints on are not read.
struct JointPidInput {
  double dt = 0.0;                      ///< s since the last step, > 0
  JointArray<double> sample_dt{};       ///< s, as PidInput::sample_dt
  JointArray<double> reference{};       ///< rad
  JointArray<double> reference_rate{};  ///< rad/s
  JointArray<double> measured{};        ///< rad
  JointArray<double> gravity{};         ///< N m, such as rnea's at rest
};

enum class PidStatus : std::uint8_t {
  kOk,
  kBadStep,    ///< dt or a sample_dt that is negative, zero (dt) or not finite
  kNotFinite,  ///< a NaN or an infinity in a reference, measurement or feed-forward
};

/// "ok", "bad step", "not finite".
const char* name(PidStatus status) noexcept;

/// After construction nothing allocates. All but construction and set_all is cycle code.
class JointPid {
 public:
  /// One entry per joint, 1..kMaxJoints; `period` as in check. Throws ConfigError that names the
  /// joint.
  JointPid(std::span<const PidSettings> settings, double period);

  void start_cold(const JointArray<double>& measured) noexcept;
  void start(const JointArray<double>& reference, const JointArray<double>& measured,
             const JointArray<double>& output) noexcept;
  /// Writes u of every joint. Without kOk neither u nor any state has changed; bad_joint is
  /// where.
  [[nodiscard]] PidStatus step(const JointPidInput& in, JointArray<double>& u) noexcept;
  /// Manual: u was chosen elsewhere. Without kOk no state has changed.
  [[nodiscard]] PidStatus follow(const JointPidInput& in, const JointArray<double>& u) noexcept;
  /// Bumpless, see Pid::set; checked like the constructor's. Throws ConfigError and changes
  /// nothing. Set-up, or by way of checked settings through set.
  void set_all(std::span<const PidSettings> settings);
  /// Settings of one joint that were checked before. Cycle code.
  void set(int joint, const PidSettings& settings) noexcept;

  [[nodiscard]] int num_joints() const noexcept { return num_joints_; }
  [[nodiscard]] const Pid& joint(int j) const noexcept {
    return joints_[static_cast<std::size_t>(j)];
  }
  /// Joint of the last status that was not kOk; -1: the step itself.
  [[nodiscard]] int bad_joint() const noexcept { return bad_joint_; }
  /// s for which the joint's output has been at its limit without a break.
  [[nodiscard]] double saturated_time(int j) const noexcept {
    return saturated_time_[static_cast<std::size_t>(j)];
  }

 private:
  [[nodiscard]] PidStatus checked(const JointPidInput& in) noexcept;

  int num_joints_ = 0;
  double period_ = 0.0;
  std::vector<Pid> joints_;
  JointArray<double> saturated_time_{};
  int bad_joint_ = -1;
};

}  // namespace kagami::control
