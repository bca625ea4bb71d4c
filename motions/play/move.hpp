/// One leg of a played motion: from one pose to the next, as a board ramps it or as we stream it.
#pragma once

#include <cstdint>

#include "models/base/types.hpp"
#include "models/base/wiring.hpp"

namespace kagami::motions {

/// Which board moves each joint, and how fast: what a leg needs of the robot's wiring.
struct BoardLayout {
  int num_joints = 0;
  JointArray<int> board{};
  SpeedTable speed;
};
BoardLayout board_layout(const RobotWiring& wiring);

/// A leg in its own time: 0 .. duration seconds at speed 1. Joints beyond the robot's stay 0.
struct Move {
  JointArray<double> from{};     ///< rad
  JointArray<double> to{};       ///< rad
  JointArray<double> v_from{};   ///< rad/s, stream mode
  JointArray<double> v_to{};     ///< rad/s, stream mode
  JointArray<double> arrival{};  ///< s of own time until the joint is there, keyframe mode
  double duration = 1.0;         ///< s of own time until the next leg, > 0
  double max_rate = 1.0;         ///< own time per second that the boards can follow
  std::uint8_t code = 0;         ///< speed code of the command, keyframe mode
};

/// Angles and their derivative by own time.
struct MovePoint {
  JointArray<double> q{};      ///< rad
  JointArray<double> dq_dt{};  ///< rad per s of own time
};

/// Largest change of a joint, degrees.
double largest_travel_deg(const BoardLayout& layout, const JointArray<double>& from,
                          const JointArray<double>& to) noexcept;

/// What a pose requests from the boards: its code, and the time until the next pose.
struct PoseTiming {
  std::uint8_t code = 0;
  double duration = 1.0;  ///< s at speed 1
};

/// The leg that boards ramp by themselves while own time runs `rate` times as fast as at speed 1.
/// The code is the pose's own at rate 1, else the slowest that arrives in the scaled time. Cycle
/// code.
Move keyframe_move(const BoardLayout& layout, const JointArray<double>& from,
                   const JointArray<double>& to, PoseTiming timing, double rate) noexcept;

/// Linear ramp of each joint until its arrival, then rest. Cycle code.
void ramp_point(const BoardLayout& layout, const Move& move, double t, MovePoint& point) noexcept;

/// Straight line of each joint over the whole duration. Cycle code.
void line_point(const BoardLayout& layout, const Move& move, double t, MovePoint& point) noexcept;

/// Quintic of each joint over the whole duration. Cycle code.
void stream_point(const BoardLayout& layout, const Move& move, double t, MovePoint& point) noexcept;

}  // namespace kagami::motions
