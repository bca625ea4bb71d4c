/// A body driven by hobby servos: the model behind the shadow, stepped once per cycle.
#pragma once

#include <cstdint>
#include <memory>

#include "models/base/servo_parameters.hpp"
#include "models/base/types.hpp"
#include "models/base/wiring.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// Board ramps, delays, filters, P loops and motor lines (walk-study numbers in docs/math/servo.md)
/// in front of the articulated-body algorithm; semi-implicit, fixed step. After construction
/// nothing allocates.
class ServoBody {
 public:
  /// Keeps copies. Throws ModelError when servos, wiring and model differ in their joints.
  ServoBody(const Model& model, const ServoSet& servos, const RobotWiring& wiring);
  ~ServoBody();
  ServoBody(ServoBody&&) noexcept;

  /// At rest at q (rad), all ramps and filters settled there, time = at_ns.
  void reset(const JointArray<double>& q, std::int64_t at_ns) noexcept;
  /// The pose command that `board` (index) received: angles in rad, model order; joints of other
  /// boards are ignored. Takes effect at `effective_ns`, which may lie in the past by up to the
  /// servo delay.
  void command(int board, const JointArray<double>& angle, int speed_code,
               std::int64_t effective_ns) noexcept;
  /// Sleep bit: the board's servos give no drive from `effective_ns` on, until its next command.
  void release(int board, std::int64_t effective_ns) noexcept;
  /// Integrates by dt_ns (> 0; otherwise nothing happens).
  void step(std::int64_t dt_ns) noexcept;

  [[nodiscard]] std::int64_t time_ns() const noexcept;
  [[nodiscard]] const JointArray<double>& q() const noexcept;   ///< rad
  [[nodiscard]] const JointArray<double>& qd() const noexcept;  ///< rad/s
  [[nodiscard]] const JointArray<double>& torque()
      const noexcept;  ///< N m on the joint, after gear and rotor
  /// All finite and |qd| below 100 rad/s.
  [[nodiscard]] bool is_valid() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kagami::models
