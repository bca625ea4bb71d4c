/// A model from any source: a robot folder, a URDF file or a model JSON file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/robot/model.hpp"
#include "models/robot/model_urdf.hpp"

namespace kagami::models {

/// Largest file of a robot that is read.
inline constexpr std::size_t kMaxModelBytes = 4u << 20;

/// What mechanics needs, without wiring and servos (those are in robot_folder.hpp).
struct ModelDescription {
  std::string name;  ///< from robot.json or the model file, else the folder's or file's own name
  Model model;       ///< loops included
  std::vector<std::string> joint_names;  ///< joints that move, in model order, the base left out
  std::string model_text;                ///< the model file, for hashes and records
  std::string json_text;                 ///< robot.json, empty where there is none
  std::vector<std::string> notices;      ///< what was ignored or put in, one sentence each
};

/// Reads `path`:
/// - a folder: robot.urdf, robot.model.json or model.json in it, one of them; robot.json beside it
///   may be absent, or hold only "name", "note", "loops" and "joint_types", or be a whole one;
/// - a file that ends in .urdf, or else in JSON as model_json.hpp describes it.
/// `base`: nullopt keeps what a model JSON states and holds the root of a URDF fixed.
/// Throws ConfigError or ModelError that names file, place, value and what was expected. Set-up.
ModelDescription read_model(const std::filesystem::path& path,
                            std::optional<BaseKind> base = std::nullopt);

/// Whether a model file's text is JSON: its first character is '{'.
bool is_json(const std::string& text);

/// The one model file of a robot folder. Throws ConfigError when there is none or more than one.
std::filesystem::path find_model_file(const std::filesystem::path& folder);

/// A model file's text, JSON when it starts with '{', else URDF. For JSON, too, the options' joint
/// list must name every revolute joint and no other, and their rotor inertias are put in.
Model read_model_text(const std::string& text, const std::string& file, const UrdfOptions& options,
                      std::vector<std::string>& notices);

/// Joints that move, in model order, the floating base left out.
std::vector<std::string> moving_joint_names(const Model& model);
/// Those of them that a servo can drive: the revolute ones.
std::vector<std::string> revolute_joint_names(const Model& model);

}  // namespace kagami::models
