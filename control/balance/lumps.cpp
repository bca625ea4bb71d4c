// The three lumps of a robot: masses by which side of the hips' and ankles' hinges they lie on.
#include <string>
#include <vector>

#include "control/balance/strategy.hpp"
#include "models/base/errors.hpp"
#include "models/dynamics/kinematics.hpp"
#include "models/robot/state.hpp"

namespace kagami::control {
namespace {

// body behind a leg's joint
BodyIndex body_of(const models::Model& model, const JointSlot& slot) {
  for (BodyIndex i = 0; i < model.num_bodies(); ++i) {
    if (model.body(i).nv == 1 && model.body(i).v_index == slot.v_index) return i;
  }
  throw ConfigError("balance: the robot has no hinge with index " + std::to_string(slot.v_index));
}

// per body: on the trunk's side of a joint
std::vector<bool> trunk_side(const models::Model& model, BodyIndex joint, BodyIndex trunk) {
  std::vector<bool> behind(static_cast<std::size_t>(model.num_bodies()), false);
  for (BodyIndex i = joint; i < model.num_bodies(); ++i) {
    const BodyIndex parent = model.body(i).parent;
    behind[static_cast<std::size_t>(i)] =
        i == joint || (parent != kWorld && behind[static_cast<std::size_t>(parent)]);
  }
  if (!behind[static_cast<std::size_t>(trunk)]) behind.flip();
  return behind;
}

/// Mass (kg) and first moment of height (kg m).
struct Lump {
  double mass = 0.0;
  double moment = 0.0;
};

}  // namespace

ThreeJointModel lumps_of(const models::Model& model, const JointVector& q, const LegSlots& legs,
                         const models::Frame& trunk) {
  models::Kinematics k(model);
  models::forward_kinematics(model, q, JointVector::Zero(model.num_v()), k);
  std::vector<std::vector<bool>> above_hip;
  std::vector<std::vector<bool>> above_ankle;
  double hip = 0.0;
  double ankle = 0.0;
  for (const auto& [h, a] :
       {std::pair{kRightHipPitch, kRightAnklePitch}, std::pair{kLeftHipPitch, kLeftAnklePitch}}) {
    const BodyIndex hip_body = body_of(model, legs[static_cast<std::size_t>(h)]);
    const BodyIndex ankle_body = body_of(model, legs[static_cast<std::size_t>(a)]);
    above_hip.push_back(trunk_side(model, hip_body, trunk.body));
    above_ankle.push_back(trunk_side(model, ankle_body, trunk.body));
    hip += 0.5 * k.X_WB[static_cast<std::size_t>(hip_body)].p.z();
    ankle += 0.5 * k.X_WB[static_cast<std::size_t>(ankle_body)].p.z();
  }
  Lump upper;
  Lump between;
  for (BodyIndex i = 0; i < model.num_bodies(); ++i) {
    const auto b = static_cast<std::size_t>(i);
    const models::SpatialInertia I = k.X_WB[b] * model.body(i).inertia;
    if (!above_ankle[0][b] || !above_ankle[1][b]) continue;  // feet
    Lump& lump = above_hip[0][b] && above_hip[1][b] ? upper : between;
    lump.mass += I.mass;
    lump.moment += I.h.z();
  }
  ThreeJointModel m;
  m.l1 = hip - ankle;
  m.m1 = between.mass;
  m.lg1 = between.mass > 0.0 ? between.moment / between.mass - ankle : 0.0;
  m.m2 = upper.mass;
  m.lg2 = upper.mass > 0.0 ? upper.moment / upper.mass - hip : 0.0;
  check(m);
  return m;
}

}  // namespace kagami::control
