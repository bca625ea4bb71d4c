#include "motions/file/motion_json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "models/base/angle.hpp"
#include "models/base/config.hpp"
#include "models/base/number_text.hpp"
#include "models/base/types.hpp"
#include "models/base/wiring.hpp"
#include "motions/file/problems.hpp"

namespace kagami::motions {
namespace {

using nlohmann::json;

constexpr std::string_view kSchema = "kagami.motion/1";
constexpr Range kAngleRange{-360.0, 360.0, "deg"};
constexpr Range kDurationRange{0.001, 600.0, "s"};
// names of Start, in its order
constexpr std::array<std::string_view, 3> kStarts{"standing", "lying_front", "lying_back"};

std::string shown(const json& value) {
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  return text.size() > 40 ? text.substr(0, 40) + "..." : text;
}

std::string element(std::string_view list, std::size_t i) {
  return "/" + std::string(list) + "/" + std::to_string(i);
}

void read_joints(const ConfigNode& root, Motion& motion, Problems& problems) {
  if (!root.has("joints") || !root.raw()["joints"].is_array()) {
    problems.add("/joints", "expected a list of joint names");
    return;
  }
  const json& joints = root.raw()["joints"];
  if (joints.empty() || joints.size() > kMaxJoints) {
    problems.add("/joints", std::to_string(joints.size()) + " joints, expected 1.." +
                                std::to_string(kMaxJoints));
    return;
  }
  std::set<std::string> seen;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (!joints[i].is_string()) {
      problems.add(element("joints", i), shown(joints[i]) + " is not a joint name");
      continue;
    }
    motion.joints.push_back(joints[i].get<std::string>());
    if (!seen.insert(motion.joints.back()).second) {
      problems.add(element("joints", i), "duplicate joint " + shown(joints[i]));
    }
  }
}

void read_angles(const json& angles, const std::string& place, std::size_t num_joints, Pose& pose,
                 Problems& problems) {
  if (!angles.is_array() || (num_joints > 0 && angles.size() != num_joints)) {
    problems.add(place,
                 (angles.is_array() ? std::to_string(angles.size()) + " values" : shown(angles)) +
                     ", expected a list of " + std::to_string(num_joints) + ", one per joint");
    return;
  }
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const json& value = angles[i];
    pose.angle.emplace_back();
    if (value.is_null()) continue;
    const double angle_deg = value.is_number() ? value.get<double>() : std::nan("");
    if (!(angle_deg >= kAngleRange.min && angle_deg <= kAngleRange.max)) {
      problems.add(place + "/" + std::to_string(i),
                   shown(value) + " is outside [-360, 360] deg, expected a number or null");
      continue;
    }
    pose.angle.back() = to_rad(angle_deg);
  }
}

Pose read_pose(const ConfigNode& node, const std::string& place, std::size_t num_joints,
               Problems& problems) {
  Pose pose;
  problems.collect([&] { pose.label = node.text_or("label", ""); });
  if (node.has("speed")) {
    problems.collect([&] {
      pose.speed = static_cast<int>(node.integer("speed", {0, kSpeedCodes - 1}));
    });
  }
  if (node.has("duration_s")) {
    problems.collect([&] { pose.duration = node.number("duration_s", kDurationRange); });
  }
  if (!node.has("speed") && !node.has("duration_s")) {
    problems.add(place, "expected \"speed\" 0..7 or \"duration_s\"");
  }
  if (node.has("angles_deg")) {
    read_angles(node.raw()["angles_deg"], place + "/angles_deg", num_joints, pose, problems);
  } else {
    problems.add(place, "\"angles_deg\" is missing");
  }
  for (const std::string& key : node.keys()) {
    if (key != "label" && key != "speed" && key != "duration_s" && key != "angles_deg") {
      problems.add(place + "/" + key,
                   "unknown key, expected: angles_deg, duration_s, label, speed");
    }
  }
  return pose;
}

void read_start(const ConfigNode& root, Motion& motion, Problems& problems) {
  if (!root.has("start")) return;
  problems.collect([&] {
    const std::string name = root.one_of("start", kStarts);
    const auto found = std::find(kStarts.begin(), kStarts.end(), name);
    motion.start = static_cast<Start>(found - kStarts.begin());
  });
}

void read_poses(const ConfigNode& root, const std::string& file, Motion& motion,
                Problems& problems) {
  if (!root.has("poses") || !root.raw()["poses"].is_array()) {
    problems.add("/poses", "expected a list of poses");
    return;
  }
  const json& poses = root.raw()["poses"];
  if (poses.empty() || poses.size() > kMaxPoses) {
    problems.add("/poses",
                 std::to_string(poses.size()) + " poses, expected 1.." + std::to_string(kMaxPoses));
    return;
  }
  motion.poses.reserve(poses.size());
  for (std::size_t i = 0; i < poses.size() && !problems.is_hopeless(); ++i) {
    const std::string place = element("poses", i);
    if (!poses[i].is_object()) {
      problems.add(place, shown(poses[i]) + " is not an object, expected { ... }");
      continue;
    }
    const ConfigNode node(poses[i], file, place);
    motion.poses.push_back(read_pose(node, place, motion.joints.size(), problems));
  }
}

// shortest degrees that read back to the same radians
std::string degrees_text(double angle) {
  std::array<char, 40> buffer{};
  const double angle_deg = to_deg(angle);
  for (int digits = 1; digits <= 17; ++digits) {
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), angle_deg,
                                   std::chars_format::general, digits);
    double read = 0.0;
    std::from_chars(buffer.data(), end.ptr, read);
    if (to_rad(read) == angle) return number_text(read == 0.0 ? 0.0 : read);
  }
  return number_text(angle_deg);
}

std::string quoted(const std::string& text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string pose_text(const Pose& pose) {
  std::string text = "    {";
  if (!pose.label.empty()) text += "\"label\": " + quoted(pose.label) + ", ";
  if (pose.speed) text += "\"speed\": " + std::to_string(*pose.speed) + ", ";
  if (pose.duration > 0.0) text += "\"duration_s\": " + number_text(pose.duration) + ", ";
  text += "\"angles_deg\": [";
  for (std::size_t i = 0; i < pose.angle.size(); ++i) {
    text += (i == 0 ? "" : ", ") + (pose.angle[i] ? degrees_text(*pose.angle[i]) : "null");
  }
  return text + "]}";
}

}  // namespace

Motion parse_motion_json(std::string_view text, const std::string& file) {
  if (text.size() > kMaxMotionBytes) {
    throw ConfigError(file + ": " + std::to_string(text.size()) + " bytes, expected at most " +
                      std::to_string(kMaxMotionBytes));
  }
  const ConfigDocument document = ConfigDocument::parse(text, file);
  const ConfigNode root = document.root();
  Problems problems(file);
  Motion motion;
  motion.file = file;
  constexpr std::string_view kSchemas[] = {kSchema};
  problems.collect([&] { static_cast<void>(root.one_of("schema", kSchemas)); });
  problems.throw_if_any();  // another schema: further problems would be meaningless

  problems.collect([&] {
    motion.name = root.text("name");
    if (motion.name.empty()) root.fail("name", "is empty, expected a name");
  });
  problems.collect([&] { motion.note = root.text_or("note", ""); });
  problems.collect([&] { motion.source = root.text_or("source", ""); });
  problems.collect([&] { motion.loop = root.boolean_or("loop", false); });
  if (root.has("easing")) {
    problems.collect([&] {
      constexpr std::string_view kNames[] = {"spline", "minimum_jerk"};
      motion.easing =
          root.one_of("easing", kNames) == kNames[0] ? Easing::kSpline : Easing::kMinimumJerk;
    });
  }
  read_start(root, motion, problems);
  read_joints(root, motion, problems);
  read_poses(root, file, motion, problems);
  for (const std::string& key : root.keys()) {
    static const std::set<std::string> kKnown = {"schema", "name",  "note",   "source", "loop",
                                                 "easing", "start", "joints", "poses"};
    if (!kKnown.contains(key)) {
      problems.add(
          "/" + key,
          "unknown key, expected: easing, joints, loop, name, note, poses, schema, source, start");
    }
  }
  problems.throw_if_any();
  return motion;
}

std::string motion_json_text(const Motion& motion) {
  std::string text = "{\n  \"schema\": " + quoted(std::string(kSchema)) + ",\n";
  text += "  \"name\": " + quoted(motion.name) + ",\n";
  if (!motion.note.empty()) text += "  \"note\": " + quoted(motion.note) + ",\n";
  if (!motion.source.empty()) text += "  \"source\": " + quoted(motion.source) + ",\n";
  text += std::string("  \"loop\": ") + (motion.loop ? "true" : "false") + ",\n";
  if (motion.easing == Easing::kMinimumJerk) text += "  \"easing\": \"minimum_jerk\",\n";
  if (motion.start != Start::kStanding) {
    text +=
        "  \"start\": " + quoted(std::string(kStarts.at(static_cast<std::size_t>(motion.start)))) +
        ",\n";
  }
  text += "  \"joints\": [";
  for (std::size_t i = 0; i < motion.joints.size(); ++i) {
    text += (i == 0 ? "" : i % 4 == 0 ? ",\n             " : ", ") + quoted(motion.joints[i]);
  }
  text += "],\n  \"poses\": [\n";
  for (std::size_t i = 0; i < motion.poses.size(); ++i) {
    text += pose_text(motion.poses[i]) + (i + 1 < motion.poses.size() ? ",\n" : "\n");
  }
  return text + "  ]\n}\n";
}

}  // namespace kagami::motions
