#include "control/core/pid_controller.hpp"

#include <algorithm>
#include <limits>

#include "control/core/factory.hpp"
#include "control/pid/gain_set.hpp"
#include "models/base/errors.hpp"

namespace kagami::control {
namespace {

constexpr int kGains = 3;  // kp, ki, kd

double& gain_of(ParallelGains& gains, int which) noexcept {
  return which == 0 ? gains.kp : which == 1 ? gains.ki : gains.kd;
}

}  // namespace

PidController::PidController(std::span<const PidSettings> settings, const ControlPlace& place)
    : pid_(settings, place.sample_period) {
  const char* const names[kGains] = {"/kp", "/ki", "/kd"};
  const char* const units[kGains] = {"1/s", "1/s^2", ""};
  for (std::size_t j = 0; j < settings.size(); ++j) {
    const PidSettings& s = settings[j];
    if (s.output != PidOutput::kSpeed) {
      throw ConfigError("pid: joint " + place.joint_names[j] +
                        ": servos take angles, so the law says a speed: expected output 'speed'");
    }
    share_[j] = s.gravity_feed_forward;
    for (int g = 0; g < kGains; ++g) {
      // beyond it the derivative answers its own last command in full: (pid-4)
      const double most =
          g == 2 ? 0.99 * (1.0 + 2.0 * s.filter_time / place.sample_period) : kMaxPidGain;
      tunables_.push_back({place.joint_names[j] + names[g], 0.0, most, units[g]});
    }
  }
  if (std::any_of(share_.begin(), share_.end(), [](double share) { return share > 0.0; })) {
    gravity_.emplace(*place.model, std::span(place.servo_stiffness.data(), settings.size()),
                     place.joint_names);
  }
}

void PidController::lead(const ControlInput& in) noexcept {
  if (!gravity_) return;
  gravity_->at(in.q_ref, lead_);
  for (std::size_t i = 0; i < share_.size(); ++i) lead_[i] *= share_[i];
}

void PidController::take(const ControlInput& in) noexcept {
  in_.dt = in.dt;
  in_.sample_dt = in.sample_dt;
  in_.reference = in.q_ref_then;
  in_.reference_rate = in.qd_ref_then;
  in_.measured = in.measured;
}

ControlStatus PidController::reset(const ControlInput& in) noexcept {
  take(in);
  lead(in);
  for (int j = 0; j < pid_.num_joints(); ++j) {
    const auto i = static_cast<std::size_t>(j);
    correction_[i] = in.q_target[i] - in.q_ref[i] - lead_[i];  // the servos feel nothing
    // an empty integral: the error that is there now is answered in proportion
    u_[i] = pid_.joint(j).settings().gains.kp * (in_.reference[i] - in_.measured[i]);
  }
  pid_.start(in_.reference, in_.measured, u_);
  has_said_ = false;
  return ControlStatus::kOk;
}

ControlStatus PidController::update(const ControlInput& in, ControlOutput& out) noexcept {
  take(in);
  const PidStatus status = pid_.step(in_, u_);
  if (status != PidStatus::kOk) {
    const int j = pid_.bad_joint();
    finding_ = {j, j < 0 ? in.dt : in.measured[static_cast<std::size_t>(j)]};
    return status == PidStatus::kBadStep ? ControlStatus::kBadStep : ControlStatus::kNotFinite;
  }
  const JointArray<double> led = lead_;
  lead(in);
  for (int j = 0; j < pid_.num_joints(); ++j) {
    const auto i = static_cast<std::size_t>(j);
    // a limit behind the last target stops the sum there
    if (has_said_ && in.q_target[i] != said_[i]) {
      correction_[i] = in.q_target[i] - reference_[i] - led[i];
    }
    correction_[i] += u_[i] * in.dt;
    said_[i] = in.q_ref[i] + correction_[i] + lead_[i];
    out.q_target[i] = said_[i];
    out.u[i] = u_[i];
    out.is_saturated[i] = pid_.joint(j).is_saturated();
  }
  reference_ = in.q_ref;
  has_said_ = true;
  return ControlStatus::kOk;
}

double PidController::tunable(int index) const noexcept {
  if (index < 0 || index >= static_cast<int>(tunables_.size())) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  ParallelGains gains = pid_.joint(index / kGains).settings().gains;
  return gain_of(gains, index % kGains);
}

bool PidController::set_tunable(int index, double value) noexcept {
  if (index < 0 || index >= static_cast<int>(tunables_.size())) return false;
  const Tunable& t = tunables_[static_cast<std::size_t>(index)];
  if (!(value >= t.min && value <= t.max)) return false;
  PidSettings settings = pid_.joint(index / kGains).settings();
  gain_of(settings.gains, index % kGains) = value;
  pid_.set(index / kGains, settings);
  return true;
}

std::unique_ptr<Controller> make_pid_controller(const ConfigDocument& gains,
                                                const ControlPlace& place) {
  const PidGainSet set = read_pid_gain_set(gains);
  const std::vector<PidSettings> settings =
      settings_for(set, place.robot, place.joint_names, place.sample_period);
  return std::make_unique<PidController>(settings, place);
}

}  // namespace kagami::control
