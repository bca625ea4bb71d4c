#include "models/robot/read_model.hpp"

#include <algorithm>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/text_file.hpp"
#include "models/robot/builder.hpp"
#include "models/robot/model_json.hpp"
#include "models/robot/robot_folder.hpp"

namespace kagami::models {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// the joints of a model JSON against robot.json's list, as read_urdf does it for a URDF
Model with_servo_joints(Model model, const std::string& file, const UrdfOptions& options) {
  if (options.joint_order.empty()) return model;
  const std::vector<std::string> have = revolute_joint_names(model);
  for (const std::string& name : have) {
    if (contains(options.joint_order, name)) continue;
    throw ModelError(options.joint_order_source + ": /joints: moving joint '" + name + "' of " +
                     file + " is missing");
  }
  ModelBuilder builder(model);
  for (std::size_t i = 0; i < options.joint_order.size(); ++i) {
    const std::string& name = options.joint_order[i];
    if (!contains(have, name)) {
      throw ModelError(file + ": revolute joint '" + name + "' is missing, " +
                       options.joint_order_source + " lists it");
    }
    if (i < options.rotor_inertia.size()) {
      builder.set_rotor_inertia(model.find_joint(name), options.rotor_inertia[i]);
    }
  }
  return builder.build();
}

// name and loops of a robot.json without wiring; joint types went into the options before
void add_pure_robot_json(const ConfigNode& root, ModelDescription& result) {
  static_cast<void>(root.text_or("schema", ""));
  static_cast<void>(root.text_or("note", ""));
  result.name = root.text_or("name", result.name);
  result.model = with_loops(std::move(result.model), root);
  root.reject_unknown_keys();
}

Model read_one(const std::string& text, const std::string& file, std::optional<BaseKind> base,
               const ConfigNode* joint_types, std::vector<std::string>& notices) {
  if (is_json(text) && joint_types == nullptr) {
    const ConfigDocument document = ConfigDocument::parse(text, file);
    return read_model_json(document.root(), base, notices);
  }
  UrdfOptions options;
  options.base = base.value_or(BaseKind::kFixed);
  options.joint_types = joint_types;
  return read_model_text(text, file, options, notices);
}

ModelDescription read_pure_folder(const std::string& file, const std::string& json_file,
                                  std::optional<BaseKind> base, ModelDescription result) {
  if (result.json_text.empty()) {
    result.model = read_one(result.model_text, file, base, nullptr, result.notices);
    return result;
  }
  const ConfigDocument document = ConfigDocument::parse(result.json_text, json_file);
  const ConfigNode root = document.root();
  const std::optional<ConfigNode> types = root.find_object("joint_types");
  result.model = read_one(result.model_text, file, base, types ? &*types : nullptr, result.notices);
  add_pure_robot_json(root, result);
  return result;
}

ModelDescription read_folder(const std::filesystem::path& folder, std::optional<BaseKind> base) {
  const std::filesystem::path file = find_model_file(folder);
  const std::filesystem::path json_file = folder / "robot.json";
  ModelDescription result;
  result.name = folder.filename().empty() ? folder.parent_path().filename().string()
                                          : folder.filename().string();
  result.model_text = read_text_file(file, kMaxModelBytes);
  if (std::filesystem::exists(json_file)) {
    result.json_text = read_text_file(json_file, kMaxModelBytes);
    const ConfigDocument document = ConfigDocument::parse(result.json_text, json_file.string());
    if (document.root().has("joints")) {
      RobotDescription robot = read_robot_folder(folder, base.value_or(BaseKind::kFixed));
      result.name = robot.name;
      result.model = std::move(robot.model);
      result.notices = std::move(robot.notices);
      return result;
    }
  }
  return read_pure_folder(file.string(), json_file.string(), base, std::move(result));
}

ModelDescription read_file(const std::filesystem::path& file, std::optional<BaseKind> base) {
  ModelDescription result;
  result.name = file.stem().string();
  result.model_text = read_text_file(file, kMaxModelBytes);
  result.model = read_one(result.model_text, file.string(), base, nullptr, result.notices);
  return result;
}

}  // namespace

ModelDescription read_model(const std::filesystem::path& path, std::optional<BaseKind> base) {
  std::error_code error;
  ModelDescription result =
      std::filesystem::is_directory(path, error) ? read_folder(path, base) : read_file(path, base);
  result.joint_names = moving_joint_names(result.model);
  return result;
}

bool is_json(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{';
}

std::filesystem::path find_model_file(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    throw ConfigError(folder.string() +
                      ": no such robot folder, expected robot.urdf and robot.json in it");
  }
  std::filesystem::path found;
  for (const char* name : {"robot.urdf", "robot.model.json", "model.json"}) {
    if (!std::filesystem::exists(folder / name, error)) continue;
    if (!found.empty()) {
      throw ConfigError(folder.string() + ": has " + found.filename().string() + " and " + name +
                        ", expected one model");
    }
    found = folder / name;
  }
  if (found.empty()) {
    throw ConfigError((folder / "robot.urdf").string() +
                      ": no such file, and neither robot.model.json nor model.json beside it");
  }
  return found;
}

Model read_model_text(const std::string& text, const std::string& file, const UrdfOptions& options,
                      std::vector<std::string>& notices) {
  if (!is_json(text)) return read_urdf(text, file, options, notices);
  if (options.joint_types != nullptr) {
    throw ConfigError(options.joint_types->where() + ": is for a URDF, " + file +
                      " states the types of its joints itself");
  }
  const ConfigDocument document = ConfigDocument::parse(text, file);
  return with_servo_joints(read_model_json(document.root(), options.base, notices), file, options);
}

std::vector<std::string> moving_joint_names(const Model& model) {
  std::vector<std::string> names;
  for (int i = 0; i < model.num_bodies(); ++i) {
    const Body& b = model.body(i);
    if (b.nv > 0 && b.joint.type != JointType::kFloating) names.push_back(b.joint_name);
  }
  return names;
}

std::vector<std::string> revolute_joint_names(const Model& model) {
  std::vector<std::string> names;
  for (int i = 0; i < model.num_bodies(); ++i) {
    if (model.body(i).joint.type == JointType::kRevolute) names.push_back(model.body(i).joint_name);
  }
  return names;
}

}  // namespace kagami::models
