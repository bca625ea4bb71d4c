#include "models/robot/collision.hpp"

#include <urdf_parser/urdf_parser.h>

#include "models/base/errors.hpp"
#include "models/spatial/rotation.hpp"

namespace kagami::models {
namespace {

Pose pose_of(const urdf::Pose& pose) {
  const urdf::Rotation& r = pose.rotation;
  return {rotation_of(Eigen::Quaterniond(r.w, r.x, r.y, r.z)),
          Vec3(pose.position.x, pose.position.y, pose.position.z)};
}

void add_boxes(const urdf::Link& link, const Model& model, std::vector<CollisionBox>& boxes,
               std::vector<std::string>& notices) {
  const Frame frame = model.frame(link.name);
  for (const urdf::CollisionSharedPtr& part : link.collision_array) {
    if (part == nullptr || part->geometry == nullptr) continue;
    if (part->geometry->type != urdf::Geometry::BOX) {
      notices.push_back("link " + link.name + ": only boxes collide; another shape is left out");
      continue;
    }
    const urdf::Vector3& d = static_cast<const urdf::Box&>(*part->geometry).dim;
    boxes.push_back(
        {link.name, frame.body, frame.X_BF * pose_of(part->origin), Vec3(d.x, d.y, d.z)});
  }
}

void add_branch(const urdf::Link& link, const Model& model, std::vector<CollisionBox>& boxes,
                std::vector<std::string>& notices) {
  add_boxes(link, model, boxes, notices);
  for (const urdf::LinkSharedPtr& child : link.child_links) {
    add_branch(*child, model, boxes, notices);
  }
}

}  // namespace

std::vector<CollisionBox> read_collision_boxes(const std::string& text, const Model& model,
                                               std::vector<std::string>& notices) {
  std::vector<CollisionBox> boxes;
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string::npos || text[start] == '{') return boxes;
  const urdf::ModelInterfaceSharedPtr urdf = urdf::parseURDF(text);
  if (urdf == nullptr || urdf->getRoot() == nullptr) return boxes;
  add_branch(*urdf->getRoot(), model, boxes, notices);
  return boxes;
}

std::vector<Vec3> corners(const CollisionBox& box) {
  std::vector<Vec3> points;
  for (int k = 0; k < 8; ++k) {
    const Vec3 side((k & 1) != 0 ? 0.5 : -0.5, (k & 2) != 0 ? 0.5 : -0.5,
                    (k & 4) != 0 ? 0.5 : -0.5);
    points.push_back(box.X_BS * Vec3(side.cwiseProduct(box.size)));
  }
  return points;
}

}  // namespace kagami::models
