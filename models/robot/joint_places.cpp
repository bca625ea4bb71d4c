#include "models/robot/joint_places.hpp"

#include "models/base/errors.hpp"

namespace kagami::models {

JointPlaces joint_places(const Model& model, std::span<const std::string> names) {
  if (names.size() > static_cast<std::size_t>(kMaxJoints)) {
    throw ModelError(std::to_string(names.size()) + " joints, expected at most " +
                     std::to_string(kMaxJoints));
  }
  JointPlaces places;
  for (const std::string& name : names) {
    const BodyIndex body = model.find_joint(name);
    if (body < 0 || model.body(body).nv != 1) {
      throw ModelError("joint '" + name +
                       "': expected a joint of the model with one degree of freedom");
    }
    const auto j = static_cast<std::size_t>(places.num++);
    places.q[j] = model.body(body).q_index;
    places.v[j] = model.body(body).v_index;
  }
  return places;
}

void put_q(const JointPlaces& places, const JointArray<double>& values, JointVector& q) noexcept {
  for (int j = 0; j < places.num; ++j) {
    q[places.q[static_cast<std::size_t>(j)]] = values[static_cast<std::size_t>(j)];
  }
}

void take_q(const JointPlaces& places, const JointVector& q, JointArray<double>& values) noexcept {
  for (int j = 0; j < places.num; ++j) {
    values[static_cast<std::size_t>(j)] = q[places.q[static_cast<std::size_t>(j)]];
  }
}

}  // namespace kagami::models
