/// A walk from a list of footsteps: zero-moment point, mass centre, feet.
#pragma once

#include <optional>
#include <vector>

#include "motions/planner/body_path.hpp"
#include "motions/planner/zmp_preview.hpp"

namespace kagami::motions {

/// Where a foot is put next: its ankle, in W.
struct Footstep {
  int side = 0;           ///< 0 left, 1 right
  Vec2 p = Vec2::Zero();  ///< m
};

/// How a walk goes; defaults are the HOAP-1's.
struct WalkSettings {
  double single_support = 0.6;  ///< s, > 0
  double double_support = 0.3;  ///< s, > 0: the zero-moment point goes from foot to foot
  double lead = 1.0;            ///< s, >= 0: standing before
  double tail = 1.5;            ///< s, >= 0: and after
  double lift = 0.015;          ///< m, > 0: of a swinging sole
  double crouch = 0.02;         ///< m, >= 0: of the mass centre below the zero posture's
  int corrections = 1;          ///< >= 0: passes that take the cart-table model's error out
  PreviewSettings preview;      ///< its height and gravity are set by the robot
};

/// `count` steps ahead (>= 2), feet in turn from the left, `length` (m) apart; the last one closes
/// up. `feet`: where they stand at the start.
std::vector<Footstep> straight_walk(const std::array<Vec3, 2>& feet, int count, double length);

/// Throws ConfigError for settings outside their ranges, a list without steps, or one that moves a
/// foot onto a foot; for feet out of reach while errors are taken out.
class Walk final : public BodyPath {
 public:
  Walk(const WalkingRobot& robot, const std::vector<Footstep>& steps, const WalkSettings& settings);
  [[nodiscard]] const char* name() const override { return "walk"; }
  [[nodiscard]] double duration() const override { return duration_; }
  [[nodiscard]] Instant at(double t) const override;
  /// When the first swinging foot leaves (s).
  [[nodiscard]] double first_lift() const { return phases_.front().lift; }

 private:
  // one step: shift to the standing foot, then the other swings
  struct Phase {
    double begin = 0.0, lift = 0.0, land = 0.0;  // s
    int side = 0;                                // of the foot that swings
    std::array<Vec3, 2> feet;                    // ankles at its start
    Vec3 to = Vec3::Zero();                      // ankle where it lands
  };
  struct Knot {
    double t = 0.0;
    Vec2 p = Vec2::Zero();
  };

  void lay_phases(const std::vector<Footstep>& steps, const std::array<Vec3, 2>& feet);
  void lay_com(const WalkingRobot& robot);
  [[nodiscard]] Vec2 sole_middle(const Vec3& ankle) const;
  [[nodiscard]] Vec2 wanted_zmp(double t) const;
  [[nodiscard]] PointMotion swing(const Phase& phase, double t) const;

  WalkSettings s_;
  Sole sole_;
  double height_ = 0.0;  // m, of the mass centre
  double duration_ = 0.0;
  std::vector<Phase> phases_;
  std::vector<Knot> knots_;
  std::array<Vec3, 2> end_feet_;
  std::optional<CartPath> x_, y_;
};

}  // namespace kagami::motions
