#include "control/core/pid_controller.hpp"

#include <algorithm>
#include <limits>

#include "control/core/factory.hpp"
#include "control/pid/gain_set.hpp"
#include "models/base/errors.hpp"

namespace kagami::control {
namespace {

constexpr int kGains = 4;  // kp, ki, kd, lead_time
constexpr int kLead = 3;

double& gain_of(PidSettings& s, int which) noexcept {
  switch (which) {
    case 0:
      return s.gains.kp;
    case 1:
      return s.gains.ki;
    case 2:
      return s.gains.kd;
    default:
      return s.lead_time;
  }
}

}  // namespace

PidController::PidController(std::span<const PidSettings> settings, const ControlPlace& place)
    : pid_(settings, place.sample_period) {
  const char* const names[kGains] = {"/kp", "/ki", "/kd", "/lead_time"};
  const char* const units[kGains] = {"1/s", "1/s^2", "", "s"};
  for (std::size_t j = 0; j < settings.size(); ++j) {
    const PidSettings& s = settings[j];
    if (s.output != PidOutput::kSpeed) {
      throw ConfigError("pid: joint " + place.joint_names[j] +
                        ": servos take angles, so the law says a speed: expected output 'speed'");
    }
    share_[j] = s.gravity_feed_forward;
    for (int g = 0; g < kGains; ++g) {
      // beyond it the derivative answers its own last command in full: (pid-4)
      const double most = g == kLead ? kMaxLeadTime
                          : g == 2   ? 0.99 * (1.0 + 2.0 * s.filter_time / place.sample_period)
                                     : kMaxPidGain;
      tunables_.push_back({place.joint_names[j] + names[g], 0.0, most, units[g]});
    }
  }
  if (std::any_of(share_.begin(), share_.end(), [](double share) { return share > 0.0; })) {
    gravity_.emplace(*place.model, std::span(place.servo_stiffness.data(), settings.size()),
                     place.joint_names);
  }
}

void PidController::lead(const ControlInput& in) noexcept {
  if (gravity_) gravity_->at(in.q_ref, lead_);
  for (int j = 0; j < pid_.num_joints(); ++j) {
    const auto i = static_cast<std::size_t>(j);
    const double sag = gravity_ ? share_[i] * lead_[i] : 0.0;
    lead_[i] = sag + pid_.joint(j).settings().lead_time * in.qd_ref[i];
  }
  rate_ = in.qd_ref;
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
  PidSettings settings = pid_.joint(index / kGains).settings();
  return gain_of(settings, index % kGains);
}

bool PidController::set_tunable(int index, double value) noexcept {
  if (index < 0 || index >= static_cast<int>(tunables_.size())) return false;
  const Tunable& t = tunables_[static_cast<std::size_t>(index)];
  if (!(value >= t.min && value <= t.max)) return false;
  const auto joint = static_cast<std::size_t>(index / kGains);
  PidSettings settings = pid_.joint(index / kGains).settings();
  if (index % kGains == kLead) {  // c takes up what the lead loses or gains
    const double change = (value - settings.lead_time) * rate_[joint];
    correction_[joint] -= change;
    lead_[joint] += change;
  }
  gain_of(settings, index % kGains) = value;
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
