#include "control/pid/pid_controller.hpp"

#include <algorithm>
#include <limits>

#include "control/pid/gain_set.hpp"
#include "models/base/config.hpp"
#include "models/base/errors.hpp"

namespace kagami::control {
namespace {

// the tunables: kGainsOfJoint for each joint, then one kind after the other for all joints
constexpr int kGainsOfJoint = 4;
enum class Kind : std::uint8_t { kKp, kKi, kKd, kLead, kRate, kFilter, kGravity };
struct Place {
  std::size_t joint = 0;
  Kind kind = Kind::kKp;
};

Place place_of(int index, int joints) noexcept {
  if (index < kGainsOfJoint * joints) {
    return {static_cast<std::size_t>(index / kGainsOfJoint),
            static_cast<Kind>(index % kGainsOfJoint)};
  }
  const int rest = index - kGainsOfJoint * joints;
  return {static_cast<std::size_t>(rest % joints),
          static_cast<Kind>(kGainsOfJoint + rest / joints)};
}

// beyond it the derivative answers its own last command in full: (pid-4)
double most_kd(double filter_time, double sample_period) noexcept {
  return 0.99 * (1.0 + 2.0 * filter_time / sample_period);
}

double& setting_of(PidSettings& s, Kind kind) noexcept {
  switch (kind) {
    case Kind::kKp:
      return s.gains.kp;
    case Kind::kKi:
      return s.gains.ki;
    case Kind::kKd:
      return s.gains.kd;
    case Kind::kLead:
      return s.lead_time;
    case Kind::kRate:
      return s.rate_feed_forward;
    case Kind::kFilter:
      return s.filter_time;
    case Kind::kGravity:
      break;
  }
  return s.gravity_feed_forward;
}

bool can_weigh(const ControlPlace& place, std::size_t joints) {
  const auto known = [](double stiffness) { return stiffness > 0.0; };
  return place.model != nullptr && place.model->num_v() == static_cast<int>(joints) &&
         std::all_of(place.servo_stiffness.begin(),
                     place.servo_stiffness.begin() + static_cast<std::ptrdiff_t>(joints), known);
}

}  // namespace

PidController::PidController(std::span<const PidSettings> settings, const ControlPlace& place)
    : pid_(settings, place.sample_period), sample_period_(place.sample_period) {
  for (std::size_t j = 0; j < settings.size(); ++j) {
    if (settings[j].output != PidOutput::kSpeed) {
      throw ConfigError("pid: joint " + place.joint_names[j] +
                        ": the servos take angles, so the control law must give a speed: expected "
                        "output 'speed'");
    }
    share_[j] = settings[j].gravity_feed_forward;
    weighs_ = weighs_ || share_[j] > 0.0;
  }
  if (weighs_ || can_weigh(place, settings.size())) {
    gravity_.emplace(*place.model, std::span(place.servo_stiffness.data(), settings.size()),
                     place.joint_names);
  }
  add_tunables(place.joint_names);
}

void PidController::add_tunables(std::span<const std::string> joint_names) {
  const auto add = [&](int j, const char* key, double most, const char* unit, const char* text) {
    const std::string name = joint_names[static_cast<std::size_t>(j)] + "/" + key;
    tunables_.push_back({.name = name, .min = 0.0, .max = most, .unit = unit, .text = text});
  };
  for (int j = 0; j < pid_.num_joints(); ++j) {
    const double most = most_kd(pid_.joint(j).settings().filter_time, sample_period_);
    add(j, "kp", kMaxPidGain, "1/s", "proportional gain: speed per error");
    add(j, "ki", kMaxPidGain, "1/s^2", "integral gain: takes out an error that stays");
    add(j, "kd", most, "", "derivative gain: damps");
    add(j, "lead_time", kMaxLeadTime, "s", "sends the motion that much ahead: the servo's own lag");
  }
  for (int j = 0; j < pid_.num_joints(); ++j) {
    add(j, "rate_feed_forward", kMaxRateFeedForward, "", "share of the motion's rate added to u");
  }
  for (int j = 0; j < pid_.num_joints(); ++j) {
    add(j, "filter_time", std::max(kMaxFilterTime, pid_.joint(j).settings().filter_time), "s",
        "lag of the derivative: smooths readings of whole degrees");
  }
  for (int j = 0; j < pid_.num_joints() && gravity_; ++j) {
    add(j, "gravity_feed_forward", kMaxGravityFeedForward, "",
        "share of the sag under the arm's own weight that the target leads by");
  }
  for (std::size_t i = 0; i < tunables_.size(); ++i) {
    tunables_[i].default_value = tunable(static_cast<int>(i));
  }
}

void PidController::lead(const ControlInput& in) noexcept {
  if (weighs_) gravity_->at(in.q_ref, lead_);
  for (int j = 0; j < pid_.num_joints(); ++j) {
    const auto i = static_cast<std::size_t>(j);
    const double sag = weighs_ ? share_[i] * lead_[i] : 0.0;
    lead_[i] = sag + pid_.joint(j).settings().lead_time * in.qd_ref[i];
  }
  rate_ = in.qd_ref;
  led_at_ = in.q_ref;
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
  lead(in);
  for (int j = 0; j < pid_.num_joints(); ++j) {
    const auto i = static_cast<std::size_t>(j);
    // a limit behind the last target stops the sum where u would push further into it; what it took
    // from the motion or the lead is not the sum's to pay
    const double excess = has_said_ ? said_[i] - in.q_target[i] : 0.0;
    if (!(excess * u_[i] > 0.0)) correction_[i] += u_[i] * in.dt;
    said_[i] = in.q_ref[i] + correction_[i] + lead_[i];
    out.q_target[i] = said_[i];
    out.u[i] = u_[i];
    out.is_saturated[i] = pid_.joint(j).is_saturated();
  }
  has_said_ = true;
  return ControlStatus::kOk;
}

double PidController::tunable(int index) const noexcept {
  if (index < 0 || index >= static_cast<int>(tunables_.size())) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const Place at = place_of(index, pid_.num_joints());
  PidSettings settings = pid_.joint(static_cast<int>(at.joint)).settings();
  return setting_of(settings, at.kind);
}

bool PidController::set_tunable(int index, double value) noexcept {
  if (index < 0 || index >= static_cast<int>(tunables_.size())) return false;
  const Tunable& t = tunables_[static_cast<std::size_t>(index)];
  if (!t.takes(value)) return false;
  const Place at = place_of(index, pid_.num_joints());
  const std::size_t j = at.joint;
  PidSettings settings = pid_.joint(static_cast<int>(j)).settings();
  setting_of(settings, at.kind) = value;
  const bool is_derivative = at.kind == Kind::kKd || at.kind == Kind::kFilter;
  if (is_derivative && settings.gains.kd > most_kd(settings.filter_time, sample_period_)) {
    return false;
  }
  double change = 0.0;  // rad, of g at the last input; c takes up what it loses or gains
  if (at.kind == Kind::kLead) change = (value - tunable(index)) * rate_[j];
  if (at.kind == Kind::kGravity) {
    JointArray<double> sag{};
    gravity_->at(led_at_, sag);
    change = (value - share_[j]) * sag[j];
    share_[j] = value;
    weighs_ = std::any_of(share_.begin(), share_.end(), [](double share) { return share > 0.0; });
  }
  correction_[j] -= change;
  lead_[j] += change;
  pid_.set(static_cast<int>(j), settings);
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
