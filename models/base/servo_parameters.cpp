#include "models/base/servo_parameters.hpp"

#include <algorithm>

#include "models/base/angle.hpp"
#include "models/base/config.hpp"

namespace kagami {
namespace {

ServoParameters read_servo(const ConfigNode& node, ServoParameters s) {
  s.delay = node.number_or("delay_s", s.delay, {0.0, 0.2, "s"});
  s.filter_1 = node.number_or("filter_1_s", s.filter_1, {0.0, 1.0, "s"});
  s.filter_2 = node.number_or("filter_2_s", s.filter_2, {0.0, 1.0, "s"});
  s.kp = node.number_or("kp", s.kp, {0.1, 1000.0, "N m/rad"});
  s.kde = node.number_or("kde", s.kde, {0.0, 20.0, "N m s/rad"});
  s.stall_torque = node.number_or("stall_torque", s.stall_torque, {0.01, 20.0, "N m"});
  s.free_speed = node.number_or("free_speed", s.free_speed, {0.1, 50.0, "rad/s"});
  s.rotor_inertia = node.number_or("rotor_inertia", s.rotor_inertia, {0.0, 0.1, "kg m^2"});
  s.coulomb_friction = node.number_or("coulomb_friction", s.coulomb_friction, {0.0, 1.0, "N m"});
  s.dead_band = to_rad(node.number_or("dead_band_deg", to_deg(s.dead_band), {0.0, 10.0, "deg"}));
  s.backlash = to_rad(node.number_or("backlash_deg", to_deg(s.backlash), {0.0, 10.0, "deg"}));
  s.trim = to_rad(node.number_or("trim_deg", to_deg(s.trim), {-20.0, 20.0, "deg"}));
  s.viscous_friction =
      node.number_or("viscous_friction", s.viscous_friction, {0.0, 5.0, "N m s/rad"});
  s.static_friction = node.number_or("static_friction", s.static_friction, {0.0, 1.0, "N m"});
  s.stribeck_speed = node.number_or("stribeck_speed", s.stribeck_speed, {0.01, 10.0, "rad/s"});
  s.load_friction = node.number_or("load_friction", s.load_friction, {0.0, 0.9});
  s.reading_gain = node.number_or("reading_gain", s.reading_gain, {-0.5, 0.5});
  s.link_mass_scale = node.number_or("link_mass_scale", s.link_mass_scale, {0.2, 5.0});
  if (s.dead_band > 0.0 && s.backlash > 0.0) {
    node.fail("backlash_deg", "dead band and backlash exclude each other, expected one of them 0");
  }
  node.reject_unknown_keys();
  return s;
}

}  // namespace

ServoSet read_servo_set(const ConfigNode& node, const std::vector<std::string>& joint_names) {
  ServoSet set;
  const ServoParameters common = read_servo(node.object("default"), {});
  set.joints.assign(joint_names.size(), common);
  if (const auto joints = node.find_object("joints")) {
    for (const std::string& name : joints->keys()) {
      const auto found = std::find(joint_names.begin(), joint_names.end(), name);
      if (found == joint_names.end()) joints->fail(name, "the robot has no joint of this name");
      const auto index = static_cast<std::size_t>(found - joint_names.begin());
      set.joints[index] = read_servo(joints->object(name), common);
    }
  }
  if (const auto supply = node.find_object("supply")) {
    set.supply.sag = supply->number("sag", {0.0, 0.9});
    supply->reject_unknown_keys();
  }
  node.reject_unknown_keys();
  return set;
}

ServoSet read_servo_file(const ConfigDocument& document,
                         const std::vector<std::string>& joint_names) {
  const ConfigNode root = document.root();
  constexpr std::string_view kSchemas[] = {"kagami.servos/1"};
  static_cast<void>(root.one_of("schema", kSchemas));
  static_cast<void>(root.text_or("note", ""));
  static_cast<void>(root.find_object("uncertainty"));  // for people; 'kagami identify' writes it
  return read_servo_set(root, joint_names);
}

}  // namespace kagami
