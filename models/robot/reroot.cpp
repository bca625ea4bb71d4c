// On the way from the new root R to the old one, body b hangs from its child c instead of carrying
// it. Its frame b' is the joint frame J of the joint between them, as J is what c turns against:
//   X_bc = X_bJ X_J(q)   =>   X_cb' = X_J(q)^-1,  b' = J                      (reroot-1)
// and X_J(q)^-1 is the same joint about the opposite axis. What rides on b is carried over by
//   X_b'. = X_bJ^-1 X_b.                                                      (reroot-2)
#include "models/robot/reroot.hpp"

#include <string>
#include <vector>

#include "models/base/errors.hpp"
#include "models/base/idx.hpp"
#include "models/robot/builder.hpp"

namespace kagami::models {
namespace {

struct Reroot {
  const Model& old;
  ModelBuilder builder = {};
  std::vector<Pose> X_old_new = {};       // the new frame in the old one, per old body
  std::vector<BodyIndex> carrier = {};    // new parent, as an old index; kWorld at the root
  std::vector<BodyIndex> new_index = {};  // per old body

  explicit Reroot(const Model& model)
      : old(model),
        X_old_new(static_cast<std::size_t>(model.num_bodies())),
        carrier(static_cast<std::size_t>(model.num_bodies()), kWorld),
        new_index(carrier) {
    for (BodyIndex i = 0; i < model.num_bodies(); ++i) carrier[idx(i)] = model.body(i).parent;
    builder.set_gravity(model.gravity());
  }

  void turn_way(BodyIndex root) {
    carrier[idx(root)] = kWorld;
    for (BodyIndex c = root; old.body(c).parent != kWorld; c = old.body(c).parent) {
      const Body& child = old.body(c);
      if (child.nv > 1) {
        throw ModelError("joint '" + child.joint_name + "': " + joint_type_name(child.joint.type) +
                         " between the old root and the new one, expected fixed, revolute or "
                         "prismatic");
      }
      carrier[idx(child.parent)] = c;
      X_old_new[idx(child.parent)] = child.X_PJ;  // (reroot-1)
    }
  }

  [[nodiscard]] Pose in_new(BodyIndex i, const Pose& X) const {
    return inverse(X_old_new[idx(i)]) * X;  // (reroot-2)
  }

  [[nodiscard]] MassProperties mass_of(BodyIndex i) const {
    const SpatialInertia M = inverse(X_old_new[idx(i)]) * old.body(i).inertia;
    if (M.mass == 0.0) return {};
    return {M.mass, M.com(), M.about_com()};
  }

  // one-degree-of-freedom joints keep limits and rotors, both of which `joint_of` had
  void add(BodyIndex i, const Body& joint_of, const Joint& joint, const Pose& X_PJ) {
    const BodyIndex parent = carrier[idx(i)] == kWorld ? kWorld : new_index[idx(carrier[idx(i)])];
    const BodyIndex b =
        builder.add_body(old.body(i).name, parent, joint_of.joint_name, joint, X_PJ, mass_of(i));
    new_index[idx(i)] = b;
    if (num_v(joint.type) == 1) {
      builder.set_limits(b, old.limits(joint_of.v_index));
      builder.set_rotor_inertia(b, old.rotor_inertia()[joint_of.v_index]);
    }
    for (BodyIndex k = 0; k < old.num_bodies(); ++k) {
      if (k != i && carrier[idx(k)] == i) add_behind(k);
    }
  }

  void add_behind(BodyIndex i) {
    const BodyIndex parent = carrier[idx(i)];
    const Body& body = old.body(i);
    if (body.parent == parent) return add(i, body, body.joint, in_new(parent, body.X_PJ));
    const Body& turned = old.body(parent);  // its joint is walked the other way
    Joint joint = turned.joint;
    joint.axis = -joint.axis;
    add(i, turned, joint, in_new(parent, Pose{}));
  }
};

}  // namespace

Model rerooted(const Model& model, BodyIndex root, const Pose& X_WR) {
  if (root < 0 || root >= model.num_bodies()) {
    throw ModelError("new root: body " + std::to_string(root) + " is outside [0, " +
                     std::to_string(model.num_bodies()) + ")");
  }
  if (!model.loops().empty()) {
    throw ModelError("loop '" + model.loops().front().name +
                     "': the root of a model with loops cannot be changed");
  }
  Reroot r(model);
  r.turn_way(root);
  r.add(root, model.body(0), Joint{}, X_WR);
  for (const Frame& frame : model.frames()) {
    if (frame.body == kWorld) continue;
    r.builder.add_frame(frame.name, r.new_index[idx(frame.body)], r.in_new(frame.body, frame.X_BF));
  }
  return r.builder.build();
}

}  // namespace kagami::models
