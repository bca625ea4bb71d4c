#include "tools/bench/contact/robot_scene.hpp"

#include "tools/bench/contact/free_scenes.hpp"

namespace kagami::bench {
namespace {

bool has(const std::string& name, const char* part) {
  return name.find(part) != std::string::npos;
}

bool is_leg(const std::string& name) {
  return has(name, "hip") || has(name, "knee") || has(name, "ank") || has(name, "foot");
}

}  // namespace

ModelDef khr1_standing() {
  ModelDef model = khr1_like();
  for (BodyDef& b : model.bodies) {
    if (has(b.name, "foot")) {
      b.mass = .050;
      b.inertia = box_inertia(b.mass, {.080, .045, .030});
      b.com[2] = -.018;
    }
    if (has(b.name, "ank_p")) {
      b.mass = .035;
      b.inertia = box_inertia(b.mass, {.03, .03, .03});
    }
  }
  return model;
}

double weight(const ModelDef& model) {
  double mass = 0.0;
  for (const BodyDef& b : model.bodies) mass += b.mass;
  return mass * kGravity;
}

std::array<int, 2> feet(const ModelDef& model) {
  std::array<int, 2> found = {-1, -1};
  for (int i = 0, n = 0; i < static_cast<int>(model.bodies.size()) && n < 2; ++i)
    if (has(model.bodies[static_cast<std::size_t>(i)].name, "foot"))
      found[static_cast<std::size_t>(n++)] = i;
  return found;
}

SquatServo::SquatServo(const ModelDef& model) {
  for (const BodyDef& b : model.bodies) {
    if (b.joint == 'f') continue;
    const bool bends = has(b.name, "hip_p") || has(b.name, "ank_p");
    const double share = bends ? -1.0 : has(b.name, "knee") ? 2.0 : 0.0;
    joints_.push_back(is_leg(b.name) ? Joint{5.0, .02, share} : Joint{0.5, .002, share});
  }
}

}  // namespace kagami::bench
