/// Disturbances on one model: names looked up, forces put where they act, payloads welded on.
#pragma once

#include <string>
#include <vector>

#include "models/base/disturbance.hpp"
#include "models/robot/model.hpp"

namespace kagami::models {

/// Where a disturbance takes hold: a point P of a body B, and the axes of the named frame F.
struct HoldPoint {
  BodyIndex body = 0;
  Vec3 p_BP = Vec3::Zero();      ///< m
  Mat3 R_BF = Mat3::Identity();  ///< of the link, the frame, or the joint's link
  bool at_com = true;            ///< nothing was named but the body: P is its mass centre
};

/// Looks up `body` and `at`: a link, a frame or a joint (then the link behind it); without a name
/// the first body. Throws ConfigError for names that the model has not. Set-up.
HoldPoint hold_point(const Disturbance& d, const Model& model);

/// Degree of freedom of the joint that kTorque names. Throws ConfigError for a joint that the model
/// has not or that has not exactly one. Set-up.
int torque_dof(const Disturbance& d, const Model& model);

/// The model with a homogeneous ball (kPayloadRadius, `mass` kg) welded to each point. Set-up.
struct Payload {
  BodyIndex body = 0;
  Vec3 p_BP = Vec3::Zero();  ///< m, the ball's middle
  double mass = 0.0;         ///< kg
};
Model loaded_model(const Model& model, const std::vector<Payload>& payloads);

/// The forces, torques, payloads and tilts of one model; friction belongs to contacts and is left
/// out. Forces act at the poses of the step's start. One thread.
class Disturbed {
 public:
  /// Nothing acts.
  Disturbed() = default;
  /// Throws ConfigError for what hold_point and torque_dof refuse, for what takes hold of a body
  /// that cannot move, and for more than kMaxPayloads payloads.
  Disturbed(const Model& model, const std::vector<Disturbance>& all);

  /// Nothing will ever act.
  [[nodiscard]] bool empty() const noexcept {
    return loads_.empty() && torques_.empty() && tilts_.empty() && payloads_.empty();
  }
  /// Whether `add` may add to tau.
  [[nodiscard]] bool has_torques() const noexcept { return !torques_.empty(); }

  /// Models with the payloads that are on at one time or another.
  [[nodiscard]] const std::vector<Model>& loaded() const noexcept { return loaded_; }
  /// What is on at t (s): 0, nothing; k, those of loaded()[k - 1]. Cycle code.
  [[nodiscard]] int load_at(double t) const noexcept;

  /// Adds what acts at t (s) to tau (N m, N) and to F_ext: F_Bo_B per body, made as long as the
  /// model has bodies, which it must have room for, when a force or a tilt acts. `model` carries
  /// the payloads of t: a tilt moves them, too. Cycle code.
  void add(double t, const Model& model, const JointVector& q, JointVector& tau,
           std::vector<Force>& F_ext) noexcept;

 private:
  struct Load {
    HoldPoint at;
    bool in_body_axes = false;
    Vec3 force = Vec3::Zero();
    Vec3 moment = Vec3::Zero();
    DisturbanceTime when;
  };
  struct Torque {
    int dof = 0;
    double torque = 0.0;
    DisturbanceTime when;
  };
  struct Tilt {
    double slope = 0.0;
    double toward = 0.0;
    DisturbanceTime when;
  };
  struct Ballast {
    Payload payload;
    DisturbanceTime when;
  };

  void load_models(const Model& model);
  [[nodiscard]] unsigned carried_at(double t) const noexcept;
  [[nodiscard]] bool pulls_at(double t) const noexcept;
  void place(const Model& model, const JointVector& q) noexcept;
  void add_tilt(double t, const Model& model, std::vector<Force>& F_ext) const noexcept;

  std::vector<Load> loads_;
  std::vector<Torque> torques_;
  std::vector<Tilt> tilts_;
  std::vector<Ballast> payloads_;
  std::vector<Model> loaded_;
  std::vector<int> load_of_;  // of each set of payloads, a bit for each: 0, or its number
  std::vector<Pose> X_WB_;    // scratch
};

}  // namespace kagami::models
