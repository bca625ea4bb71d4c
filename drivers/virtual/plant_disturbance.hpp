/// Disturbances that act on the plant: the same as the model's, in the engine's own
/// terms.
#pragma once

#include <vector>

#include "drivers/virtual/plant_ode.hpp"
#include "models/base/disturbance.hpp"
#include "models/robot/model.hpp"

namespace kagami::drivers::virtual_robot {

/// One plant. Set-up, then before each step; nothing throws after construction.
class PlantDisturbance {
 public:
  /// No disturbances.
  PlantDisturbance() = default;
  /// `model`: the robot's, read with a fixed base. Throws ConfigError with the disturbance's place
  /// for names that the robot has not, more than kMaxPayloads payloads and, on the stand, for what
  /// takes hold of the base, friction or a tilt.
  PlantDisturbance(const models::Model& model, const PlantBody& body, bool on_floor,
                   const std::vector<Disturbance>& all);

  [[nodiscard]] bool empty() const noexcept {
    return pushes_.empty() && torques_.empty() && payloads_.empty() && grounds_.empty();
  }
  /// Lets act on the plant's next step what acts at t (s).
  void apply(double t, PlantOde& plant) noexcept;

 private:
  struct Push {
    int link = kWorld;
    Vec3 p_BP = Vec3::Zero();      ///< m, in the link's frame
    Mat3 R_BF = Mat3::Identity();  ///< axes that force and moment ride on
    Disturbance d;
  };
  struct Torque {
    int joint = 0;
    Disturbance d;
  };
  struct Payload {
    int link = kWorld;
    Vec3 p_BP = Vec3::Zero();  ///< m
    Disturbance d;
    int attached = -1;  ///< index in the plant
  };

  void add_push(const Push& push, double share, PlantOde& plant) const noexcept;
  void set_ground(double t, PlantOde& plant) const noexcept;

  Vec3 gravity_ = Vec3::Zero();
  std::vector<Push> pushes_;
  std::vector<Torque> torques_;
  std::vector<Payload> payloads_;
  std::vector<Disturbance> grounds_;  ///< friction and tilts
};

}  // namespace kagami::drivers::virtual_robot
