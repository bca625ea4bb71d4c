#include "models/robot/model.hpp"

#include "models/base/errors.hpp"

namespace kagami::models {

double Model::total_mass() const noexcept {
  double mass = 0.0;
  for (const Body& body : bodies_) mass += body.inertia.mass;
  return mass;
}

BodyIndex Model::find_body(std::string_view name) const noexcept {
  for (int i = 0; i < num_bodies(); ++i) {
    if (body(i).name == name) return i;
  }
  return -1;
}

BodyIndex Model::find_joint(std::string_view joint_name) const noexcept {
  for (int i = 0; i < num_bodies(); ++i) {
    if (body(i).joint_name == joint_name) return i;
  }
  return -1;
}

Frame Model::frame(std::string_view name) const {
  for (const Frame& frame : frames_) {
    if (frame.name == name) return frame;
  }
  const BodyIndex index = find_body(name);
  if (index < 0)
    throw ModelError("no frame or body of the model is named '" + std::string(name) + "'");
  return {std::string(name), index, Pose{}};
}

}  // namespace kagami::models
