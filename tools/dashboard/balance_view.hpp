/// Where the mass centre is, and what supports it: the channel /balance.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/robot/robot_folder.hpp"
#include "runtime/channels/cycle_types.hpp"
#include "tools/check/posed_body.hpp"

namespace kagami::tools {

/// Corners of the convex hull of points in the plane, counter-clockwise from the leftmost; fewer
/// than three points stay as they are, points on an edge are left out. Andrew's monotone chain.
std::vector<std::array<double, 2>> convex_hull(std::vector<std::array<double, 2>> points);

/// One thread. The robot outlives it.
class BalanceView {
 public:
  explicit BalanceView(const models::RobotDescription& robot);

  /// The robot's base floats; otherwise there is nothing to report.
  [[nodiscard]] bool is_floating() const noexcept { return body_.is_floating(); }
  /// kagami.Balance of a row, in the twin's world. The zero-moment point is that of a point mass,
  /// c - h c'' / (g + h''), from three poses 20 to 100 ms apart. The forces of the ground are not
  /// in a row: "reactions" are the force m (c'' + g) of that point mass, shared between two feet.
  /// "margin_m": how far the capture point lies inside what touches, negative outside.
  std::string text(const runtime::CycleRecord& row, std::uint64_t time_ns);

 private:
  [[nodiscard]] std::optional<Vec3> mass_centre(const JointArray<double>& angle,
                                                const BasePose& base);
  /// Of the pose in the middle of the last three.
  struct PointMass {
    Vec3 com = Vec3::Zero();
    Vec3 velocity = Vec3::Zero();      // m/s
    Vec3 acceleration = Vec3::Zero();  // m/s^2
  };
  [[nodiscard]] std::optional<PointMass> point_mass(const Vec3& com, std::int64_t now_ns);

  PosedBody body_;
  double total_mass_ = 0.0;  // kg
  struct ComSample {
    std::int64_t ns = 0;
    Vec3 com = Vec3::Zero();
  };
  std::array<ComSample, 2> before_{};  // the last but one, the last
  int num_before_ = 0;
};

}  // namespace kagami::tools
