/// Steps a state forward in time: semi-implicit Euler, Runge-Kutta, Runge-Kutta-Gill and
/// Runge-Kutta-Fehlberg with step control, quaternions on their manifold.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "models/base/types.hpp"
#include "models/dynamics/aba.hpp"
#include "models/robot/model.hpp"
#include "models/robot/state.hpp"

namespace kagami::models {

/// What is integrated: vdot as a function of time and state.
class AccelerationSource {
 public:
  virtual ~AccelerationSource() = default;
  /// Writes vdot at time t (s), q and v; false when there is none (a singular mass matrix, loops
  /// that do not close). Cycle code.
  [[nodiscard]] virtual bool acceleration(double t, const JointVector& q, const JointVector& v,
                                          JointVector& vdot) noexcept = 0;
  /// What the integrator evaluates at each stage: the same, after v was brought to what the source
  /// allows at q, as by closed loops; the coordinates move by that v. By default v stays. Cycle
  /// code.
  [[nodiscard]] virtual bool rate(double t, const JointVector& q, JointVector& v,
                                  JointVector& vdot) noexcept {
    return acceleration(t, q, v, vdot);
  }
  /// What semi-implicit Euler evaluates in place of rate: its step is straight, which a source of
  /// curved ways can make up for. By default rate. Cycle code.
  [[nodiscard]] virtual bool straight_rate(double t, const JointVector& q, JointVector& v,
                                           JointVector& vdot) noexcept {
    return rate(t, q, v, vdot);
  }
  /// After every step: brings the state back to what the source allows; false when it cannot. By
  /// default it stays. Cycle code.
  [[nodiscard]] virtual bool settle(State& /*state*/) noexcept { return true; }
};

/// The tree under constant joint forces, by the articulated-body algorithm. The model must outlive
/// it.
class AbaSource final : public AccelerationSource {
 public:
  /// Without joint forces.
  explicit AbaSource(const Model& model)
      : model_(model), tau_(JointVector::Zero(model.num_v())), workspace_(model) {}
  /// N m, N; one per degree of freedom.
  void set_tau(const JointVector& tau) noexcept { tau_ = tau; }
  [[nodiscard]] bool acceleration(double t, const JointVector& q, const JointVector& v,
                                  JointVector& vdot) noexcept override;

 private:
  const Model& model_;
  JointVector tau_;
  AbaWorkspace workspace_;
};

enum class Scheme : std::uint8_t {
  kSemiImplicitEuler,  ///< order 1: velocity first, then the coordinates with the new velocity
  kRk4,                ///< order 4, the classical one
  kRkg,                ///< order 4, Gill's coefficients
  kRkf45,  ///< Fehlberg's pair, continues with order 5, step controlled by the difference
};

inline constexpr std::array<Scheme, 4> kSchemes = {Scheme::kSemiImplicitEuler, Scheme::kRk4,
                                                   Scheme::kRkg, Scheme::kRkf45};
/// "semi-implicit-euler", "rk4", "rkg", "rkf45".
const char* name(Scheme scheme) noexcept;
/// The scheme of that name; ConfigError that lists them for anything else.
Scheme scheme(std::string_view name);

/// For kRkf45 alone.
struct StepControl {
  double tolerance = 1e-9;   ///< error of one step: rad, m; rad/s, m/s (relative above 1)
  double min_step = 1e-9;    ///< s
  double max_step = 0.05;    ///< s
  long max_steps = 1000000;  ///< of one advance, those taken back included
};

enum class StepStatus : std::uint8_t {
  kOk,
  kNoAcceleration,  ///< the source had none
  kNotFinite,       ///< an acceleration or a state is not finite
  kStepTooSmall,    ///< the tolerance requires less than min_step, or time cannot tell a step
  kNotSettled,      ///< the source could not settle the state that the step led to
  kTooManySteps,    ///< max_steps did not reach the end
  kBadInput,        ///< dt below 0 or not finite, a time not finite, a state of another size
};

/// "ok", "no acceleration", "not finite", "step too small", "not settled", "too many steps", "bad
/// input".
const char* name(StepStatus status) noexcept;

/// One model, one scheme; no call after construction allocates. The model must outlive it.
class Integrator {
 public:
  /// Throws ConfigError for a tolerance, steps or max_steps that are not above 0, or min_step >
  /// max_step.
  Integrator(const Model& model, Scheme scheme, const StepControl& control = {});

  /// Takes the state from t to t + dt (s, >= 0 and finite): one step, with kRkf45 as many as the
  /// tolerance requires, the last one ending there. On any status but kOk, t and state are those of
  /// the last step that succeeded. Quaternions of any length are taken at unit length. Cycle code.
  [[nodiscard]] StepStatus advance(AccelerationSource& source, double dt, double& t,
                                   State& state) noexcept;

  /// Largest error of the last step over the tolerance, by kRkf45; 0 with the others.
  [[nodiscard]] double error_ratio() const noexcept { return error_ratio_; }
  /// Steps that succeeded, and steps that kRkf45 took back, since construction.
  [[nodiscard]] long steps() const noexcept { return steps_; }
  [[nodiscard]] long rejected() const noexcept { return rejected_; }

 private:
  static constexpr int kMaxStages = 6;

  StepStatus step(AccelerationSource& source, double h, double t, const State& from) noexcept;
  StepStatus euler_step(AccelerationSource& source, double h, double t, const State& from) noexcept;
  StepStatus stage(AccelerationSource& source, int i, double h, double t,
                   const State& from) noexcept;
  StepStatus controlled(AccelerationSource& source, double dt, double& t, State& state) noexcept;
  void place(const State& from, double h, const double* weights, int count) noexcept;
  void measure_error(double h) noexcept;

  const Model& model_;
  Scheme scheme_;
  StepControl control_;
  double next_step_;  // s, what kRkf45 tries next
  double error_ratio_ = 0.0;
  long steps_ = 0;
  long rejected_ = 0;
  State to_;                                    // of the stage, in the end of the step
  JointVector u_;                               // way from the step's start to the stage
  std::array<JointVector, kMaxStages> u_rate_;  // per stage
  std::array<JointVector, kMaxStages> v_rate_;  // per stage
};

}  // namespace kagami::models
