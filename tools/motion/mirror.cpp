#include "tools/motion/mirror.hpp"

#include <algorithm>
#include <string>

#include "models/base/errors.hpp"

namespace kagami::tools {
namespace {

constexpr double kAligned = 0.99;  // cosine of what counts as the mirror image of an axis

// "right_knee" for "left_knee" and the other way; empty: of no side
std::string other_side(const std::string& joint) {
  constexpr std::pair<const char*, const char*> kSides[] = {
      {"left", "right"}, {"right", "left"}, {"l_", "r_"}, {"r_", "l_"}};
  for (const auto& [side, other] : kSides) {
    if (joint.starts_with(side)) return other + joint.substr(std::string(side).size());
  }
  return "";
}

// of the named joint, in the world, in the zero posture
Vec3 world_axis(const models::Model& model, const std::string& joint) {
  std::vector<Mat3> R_WB;
  for (int b = 0; b < model.num_bodies(); ++b) {
    const models::Body& body = model.body(b);
    const Mat3 R_WP =
        body.parent < 0 ? Mat3(Mat3::Identity()) : R_WB[static_cast<std::size_t>(body.parent)];
    R_WB.emplace_back(R_WP * body.X_PJ.R);
    if (body.joint_name == joint) return R_WB.back() * body.joint.axis;
  }
  throw ConfigError("joint '" + joint + "' is not in the model");
}

}  // namespace

std::vector<motions::MirrorPartner> mirror_partners(const models::RobotDescription& robot) {
  std::vector<motions::MirrorPartner> partners;
  for (const std::string& joint : robot.joint_names) {
    const std::string other = other_side(joint);
    const std::string& partner = other.empty() ? joint : other;
    const auto found = std::find(robot.joint_names.begin(), robot.joint_names.end(), partner);
    if (found == robot.joint_names.end()) {
      throw ConfigError("joint '" + joint + "' has no partner '" + partner + "' on the other side");
    }
    const Vec3 axis = world_axis(robot.model, joint);
    const Vec3 image(-axis.x(), axis.y(), -axis.z());
    const double along = image.dot(world_axis(robot.model, partner));
    if (std::abs(along) < kAligned) {
      throw ConfigError("the axes of '" + joint + "' and '" + partner +
                        "' are not mirror images, expected a robot that is alike on both sides");
    }
    partners.push_back(
        {static_cast<std::size_t>(found - robot.joint_names.begin()), along > 0.0 ? 1 : -1});
  }
  return partners;
}

}  // namespace kagami::tools
