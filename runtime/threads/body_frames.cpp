#include "runtime/threads/body_frames.hpp"

#include <Eigen/Geometry>

#include "models/robot/joint.hpp"
#include "models/spatial/rotation.hpp"

namespace kagami::runtime {
namespace {

void put(const models::Pose& X, FrameTransformView& frame) noexcept {
  const Eigen::Quaterniond q = models::quaternion_of(X.R);
  frame.translation = {X.p.x(), X.p.y(), X.p.z()};
  frame.rotation = {q.x(), q.y(), q.z(), q.w()};
}

}  // namespace

BodyFrames::BodyFrames(const models::Model& model) : model_(model) {
  for (int i = 0; i < model.num_bodies(); ++i) {
    const models::Body& b = model.body(i);
    FrameTransformView frame;
    frame.parent = b.parent == kWorld ? "world" : std::string_view(model.body(b.parent).name);
    frame.child = b.name;
    double zero[7] = {};
    models::neutral_joint(b.joint, zero);
    put(b.X_PJ * models::joint_pose(b.joint, zero), frame);
    frames_.push_back(frame);
  }
  for (const models::Frame& fixed : model.frames()) {
    FrameTransformView frame;
    frame.parent = fixed.body == kWorld ? "world" : std::string_view(model.body(fixed.body).name);
    frame.child = fixed.name;
    put(fixed.X_BF, frame);
    frames_.push_back(frame);
  }
}

std::span<const FrameTransformView> BodyFrames::place(const JointArray<double>& angle,
                                                      const BasePose& base) noexcept {
  if (model_.floats()) {
    frames_[0].translation = {base.x, base.y, base.z};
    frames_[0].rotation = {base.turn[1], base.turn[2], base.turn[3], base.turn[0]};
  }
  std::size_t joint = 0;
  for (int i = 0; i < model_.num_bodies() && joint < angle.size(); ++i) {
    const models::Body& b = model_.body(i);
    if (b.joint.type != models::JointType::kRevolute) continue;
    put(b.X_PJ * models::joint_pose(b.joint, &angle[joint++]),
        frames_[static_cast<std::size_t>(i)]);
  }
  return frames_;
}

}  // namespace kagami::runtime
