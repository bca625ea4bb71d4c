#include "models/robot/robot_folder.hpp"

#include <algorithm>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/robot/model_urdf.hpp"

namespace kagami::models {
namespace {

constexpr std::size_t kMaxFileBytes = 4u << 20;

std::vector<std::string> names_of(const RobotWiring& wiring) {
  std::vector<std::string> names;
  for (const JointWiring& joint : wiring.joints) names.push_back(joint.joint);
  return names;
}

// joints of the model in its own order; the base is none
std::vector<std::string> actuated_joints(const Model& model) {
  std::vector<std::string> names;
  for (int i = 0; i < model.num_bodies(); ++i) {
    if (model.body(i).joint.type == JointType::kRevolute) names.push_back(model.body(i).joint_name);
  }
  return names;
}

void sort_wiring(const std::vector<std::string>& order, RobotWiring& wiring) {
  const auto rank = [&](const JointWiring& joint) {
    return std::find(order.begin(), order.end(), joint.joint) - order.begin();
  };
  std::sort(wiring.joints.begin(), wiring.joints.end(),
            [&](const JointWiring& a, const JointWiring& b) { return rank(a) < rank(b); });
}

}  // namespace

RobotDescription read_robot_texts(std::string urdf_text, std::string json_text,
                                  const std::string& name, BaseKind base) {
  const std::string urdf_file = name + "/robot.urdf";
  const std::string json_file = name + "/robot.json";
  const ConfigDocument document = ConfigDocument::parse(json_text, json_file);
  const ConfigNode root = document.root();
  constexpr std::string_view kSchemas[] = {"kagami.robot/1"};
  static_cast<void>(root.one_of("schema", kSchemas));
  static_cast<void>(root.text_or("note", ""));

  RobotDescription robot;
  robot.name = root.text("name");
  robot.wiring = read_wiring(root);
  UrdfOptions options;
  options.base = base;
  options.joint_order = names_of(robot.wiring);
  options.joint_order_source = json_file;
  const ServoSet servos = read_servo_set(root.object("servos"), options.joint_order);
  for (const ServoParameters& s : servos.joints) options.rotor_inertia.push_back(s.rotor_inertia);
  root.reject_unknown_keys();

  robot.model = read_urdf(urdf_text, urdf_file, options, robot.notices);
  robot.joint_names = actuated_joints(robot.model);
  sort_wiring(robot.joint_names, robot.wiring);
  robot.servos = read_servo_set(root.object("servos"), robot.joint_names);
  robot.urdf_text = std::move(urdf_text);
  robot.json_text = std::move(json_text);
  return robot;
}

RobotDescription read_robot_folder(const std::filesystem::path& folder, BaseKind base) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    throw ConfigError(folder.string() +
                      ": no such robot folder, expected robot.urdf and robot.json in it");
  }
  std::string urdf = read_text_file(folder / "robot.urdf", kMaxFileBytes);
  std::string json = read_text_file(folder / "robot.json", kMaxFileBytes);
  return read_robot_texts(std::move(urdf), std::move(json), folder.string(), base);
}

}  // namespace kagami::models
