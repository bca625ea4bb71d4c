#include "tools/bench/our_model.hpp"

namespace kagami::bench {
namespace {

Vec3 vec3(const Triple& t) {
  return {t[0], t[1], t[2]};
}

}  // namespace

models::ModelBuilder our_builder(const ModelDef& def) {
  models::ModelBuilder builder;
  for (const BodyDef& b : def.bodies) {
    models::Joint joint;
    joint.type = b.joint == 'f' ? models::JointType::kFloating : models::JointType::kRevolute;
    if (b.joint != 'f') joint.axis = Vec3(b.joint == 'x', b.joint == 'y', b.joint == 'z');
    models::Pose X_PJ;
    X_PJ.p = vec3(b.origin);
    builder.add_body(b.name, b.parent, "j_" + b.name, joint, X_PJ,
                     {b.mass, vec3(b.com), Mat3(vec3(b.inertia).asDiagonal())});
  }
  return builder;
}

models::Model our_model(const ModelDef& def) {
  return our_builder(def).build();
}

std::vector<OurState> our_states(const ModelDef& def) {
  const int base_q = def.floating() ? 7 : 0;
  const int base_v = def.floating() ? 6 : 0;
  const int joints = def.num_joints();
  std::vector<OurState> states;
  for (const StateDef& s : bench_states(def)) {
    OurState ours{JointVector::Zero(base_q + joints), JointVector::Zero(base_v + joints),
                  JointVector::Zero(base_v + joints)};
    if (def.floating()) {
      ours.q[3] = 1.0;
      for (int k = 0; k < 3; ++k) {  // V_WB_B is angular first; B is aligned with W
        ours.v[k] = s.twist[static_cast<std::size_t>(k + 3)];
        ours.v[k + 3] = s.twist[static_cast<std::size_t>(k)];
      }
    }
    for (int k = 0; k < joints; ++k) {
      const auto at = static_cast<std::size_t>(k);
      ours.q[base_q + k] = s.q[at];
      ours.v[base_v + k] = s.v[at];
      ours.tau[base_v + k] = s.tau[at];
    }
    states.push_back(ours);
  }
  return states;
}

}  // namespace kagami::bench
