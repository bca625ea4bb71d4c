#include "models/robot/robot_folder.hpp"

#include <algorithm>
#include <optional>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/text_file.hpp"
#include "models/robot/model_json.hpp"
#include "models/robot/read_model.hpp"
#include "models/robot/sit_pose.hpp"

namespace kagami::models {
namespace {

std::vector<std::string> names_of(const RobotWiring& wiring) {
  std::vector<std::string> names;
  for (const JointWiring& joint : wiring.joints) names.push_back(joint.joint);
  return names;
}

void sort_wiring(const std::vector<std::string>& order, RobotWiring& wiring) {
  const auto rank = [&](const JointWiring& joint) {
    return std::find(order.begin(), order.end(), joint.joint) - order.begin();
  };
  std::sort(wiring.joints.begin(), wiring.joints.end(),
            [&](const JointWiring& a, const JointWiring& b) { return rank(a) < rank(b); });
}

RobotDescription read_texts(std::string model_text, const std::string& model_file,
                            std::string json_text, const std::string& json_file, BaseKind base) {
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
  const std::optional<ConfigNode> types = root.find_object("joint_types");
  options.joint_types = types ? &*types : nullptr;

  robot.model = read_model_text(model_text, model_file, options, robot.notices);
  robot.model = with_loops(std::move(robot.model), root);
  robot.joint_names = revolute_joint_names(robot.model);
  sort_wiring(robot.joint_names, robot.wiring);
  robot.sit_pose = read_sit_pose(root, robot.wiring);
  root.reject_unknown_keys();
  robot.servos = read_servo_set(root.object("servos"), robot.joint_names);
  robot.boxes = read_collision_boxes(model_text, robot.model, robot.notices);
  robot.urdf_text = std::move(model_text);
  robot.json_text = std::move(json_text);
  return robot;
}

}  // namespace

RobotDescription read_robot_texts(std::string urdf_text, std::string json_text,
                                  const std::string& name, BaseKind base) {
  return read_texts(std::move(urdf_text), name + "/robot.urdf", std::move(json_text),
                    name + "/robot.json", base);
}

RobotDescription with_base(const RobotDescription& robot, BaseKind base) {
  return read_robot_texts(robot.urdf_text, robot.json_text, robot.name, base);
}

RobotDescription read_robot_folder(const std::filesystem::path& folder, BaseKind base) {
  const std::filesystem::path file = find_model_file(folder);
  const std::filesystem::path json_file = folder / "robot.json";
  std::string model = read_text_file(file, kMaxModelBytes);
  std::string json = read_text_file(json_file, kMaxModelBytes);
  return read_texts(std::move(model), file.string(), std::move(json), json_file.string(), base);
}

}  // namespace kagami::models
