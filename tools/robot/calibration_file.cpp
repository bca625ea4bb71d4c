#include "tools/robot/calibration_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"
#include "models/base/text_file.hpp"
#include "models/base/utc_text.hpp"
#include "tools/robot/json_layout.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::string_view kCalibrationSchema = "kagami.calibration/1";
constexpr int kMostVersions = 9999;

ordered_json joint_json(const CalibratedJoint& joint) {
  ordered_json readings = ordered_json::array();
  for (const FixtureReading& reading : joint.readings) {
    readings.push_back({{"angle_deg", reading.angle_deg}, {"count", reading.count}});
  }
  return {{"name", joint.joint},
          {"channel", joint.channel},
          {"home_deg", joint.home_deg},
          {"trim_deg", joint.trim_deg},
          {"home_before_deg", joint.home_before_deg},
          {"trim_before_deg", joint.trim_before_deg},
          {"readings", readings},
          {"why", joint.why}};
}

CalibratedJoint read_calibrated_joint(const ConfigNode& node) {
  CalibratedJoint joint;
  joint.joint = node.text("name");
  joint.channel = static_cast<int>(node.integer("channel", {1, kMaxBoards * kChannelsPerBoard}));
  joint.home_deg = static_cast<int>(node.integer("home_deg", {0, 180, "deg"}));
  joint.trim_deg = static_cast<int>(node.integer("trim_deg", {-20, 19, "deg"}));
  joint.home_before_deg = static_cast<int>(node.integer("home_before_deg", {0, 180, "deg"}));
  joint.trim_before_deg = static_cast<int>(node.integer("trim_before_deg", {-20, 19, "deg"}));
  for (const ConfigNode& reading : node.list("readings")) {
    joint.readings.push_back({reading.number("angle_deg", {-180, 180, "deg"}),
                              static_cast<int>(reading.integer("count", {0, 180}))});
    reading.reject_unknown_keys();
  }
  joint.why = node.text("why");
  node.reject_unknown_keys();
  return joint;
}

const CalibratedJoint* joint_in(const CalibrationVersion& version, const std::string& name) {
  const auto found =
      std::find_if(version.joints.begin(), version.joints.end(),
                   [&](const CalibratedJoint& joint) { return joint.joint == name; });
  return found == version.joints.end() ? nullptr : &*found;
}

void add_difference(const std::string& joint, const char* value, int from, int to,
                    std::vector<std::string>& sentences) {
  if (from == to) return;
  sentences.push_back(fmt::format("{}: {} {} -> {} deg ({:+})", joint, value, from, to, to - from));
}

void write_calibration(const fs::path& robot_folder, const CalibrationVersion& version) {
  std::error_code error;
  fs::create_directories(calibration_folder(robot_folder), error);
  if (error) {
    throw RecordError(calibration_folder(robot_folder).string() +
                      ": cannot be created: " + error.message());
  }
  write_file_atomically(calibration_file(robot_folder, version.version), calibration_text(version));
}

}  // namespace

fs::path calibration_folder(const fs::path& robot_folder) {
  return robot_folder / "calibration";
}

fs::path calibration_file(const fs::path& robot_folder, int version) {
  return calibration_folder(robot_folder) / fmt::format("{:04}.json", version);
}

std::vector<int> calibration_numbers(const fs::path& robot_folder) {
  std::vector<int> numbers;
  std::error_code absent;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(calibration_folder(robot_folder), absent)) {
    const std::string stem = entry.path().stem().string();
    int number = 0;
    const auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), number);
    if (error != std::errc{} || end != stem.data() + stem.size() || number < 1) continue;
    if (entry.path().extension() == ".json" && number <= kMostVersions) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

CalibrationVersion read_calibration(const fs::path& file) {
  const ConfigDocument document = ConfigDocument::read(file);
  const ConfigNode root = document.root();
  constexpr std::string_view kSchemas[] = {kCalibrationSchema};
  static_cast<void>(root.one_of("schema", kSchemas));
  CalibrationVersion version;
  version.version = static_cast<int>(root.integer("version", {0, kMostVersions}));
  version.created = root.text("created");
  version.robot = root.text("robot");
  version.reason = root.text("reason");
  for (const double id : root.numbers("boards", -1, {0, 31})) {
    version.ids.push_back(static_cast<int>(id));
  }
  for (const ConfigNode& node : root.list("joints")) {
    version.joints.push_back(read_calibrated_joint(node));
  }
  root.reject_unknown_keys();
  return version;
}

std::string calibration_text(const CalibrationVersion& version) {
  ordered_json joints = ordered_json::array();
  for (const CalibratedJoint& joint : version.joints) joints.push_back(joint_json(joint));
  return json_lines({{"schema", kCalibrationSchema},
                     {"version", version.version},
                     {"created", version.created},
                     {"robot", version.robot},
                     {"reason", version.reason},
                     {"boards", version.ids},
                     {"joints", joints}});
}

CalibrationVersion present_calibration(const RobotWiring& wiring, const std::string& robot) {
  CalibrationVersion version;
  version.created = utc_now_text();
  version.robot = robot;
  for (const BoardWiring& board : wiring.boards) version.ids.push_back(board.id);
  for (const JointWiring& joint : wiring.joints) {
    version.joints.push_back({.joint = joint.joint,
                              .channel = joint.channel,
                              .home_deg = joint.home_deg,
                              .trim_deg = joint.trim_deg,
                              .home_before_deg = joint.home_deg,
                              .trim_before_deg = joint.trim_deg,
                              .readings = {},
                              .why = ""});
  }
  return version;
}

std::vector<std::string> calibration_differences(const CalibrationVersion& from,
                                                 const CalibrationVersion& to) {
  std::vector<std::string> sentences;
  for (const CalibratedJoint& joint : to.joints) {
    const CalibratedJoint* before = joint_in(from, joint.joint);
    if (before == nullptr) {
      sentences.push_back(joint.joint + ": only in the second");
      continue;
    }
    add_difference(joint.joint, "channel", before->channel, joint.channel, sentences);
    add_difference(joint.joint, "home", before->home_deg, joint.home_deg, sentences);
    add_difference(joint.joint, "trim", before->trim_deg, joint.trim_deg, sentences);
  }
  for (const CalibratedJoint& joint : from.joints) {
    if (joint_in(to, joint.joint) == nullptr) {
      sentences.push_back(joint.joint + ": only in the first");
    }
  }
  return sentences;
}

void write_robot_json(const fs::path& robot_folder, const CalibrationVersion& version) {
  const fs::path file = robot_folder / "robot.json";
  const std::string text = read_text_file(file);
  const ConfigDocument checked = ConfigDocument::parse(text, file.string());
  const RobotWiring before = read_wiring(checked.root());
  for (const JointWiring& joint : before.joints) {
    const CalibratedJoint* wanted = joint_in(version, joint.joint);
    if (wanted != nullptr && wanted->channel == joint.channel) continue;
    throw ConfigError(file.string() + ": joint '" + joint.joint + "' on channel " +
                      std::to_string(joint.channel) + " is not in the calibration");
  }
  if (version.joints.size() != before.joints.size()) {
    throw ConfigError(file.string() + " has " + std::to_string(before.joints.size()) +
                      " joints, the calibration " + std::to_string(version.joints.size()));
  }
  ordered_json robot = ordered_json::parse(text);
  for (ordered_json& joint : robot["joints"]) {
    const CalibratedJoint& wanted = *joint_in(version, joint["name"].get<std::string>());
    joint["home_deg"] = wanted.home_deg;
    joint["trim_deg"] = wanted.trim_deg;
  }
  const std::string changed = json_lines(robot);
  const ConfigDocument document = ConfigDocument::parse(changed, file.string());
  static_cast<void>(read_wiring(document.root()));  // refuses what no robot may have
  write_file_atomically(file, changed);
}

CalibrationVersion add_calibration(const fs::path& robot_folder, const RobotWiring& present,
                                   CalibrationVersion version) {
  std::vector<int> numbers = calibration_numbers(robot_folder);
  if (numbers.empty()) {
    CalibrationVersion first = present_calibration(present, version.robot);
    first.version = 1;
    first.reason = "robot.json before the first calibration";
    write_calibration(robot_folder, first);
    numbers.push_back(1);
  }
  if (numbers.back() >= kMostVersions) {
    throw RecordError(calibration_folder(robot_folder).string() +
                      " is full: " + std::to_string(kMostVersions) + " versions");
  }
  version.version = numbers.back() + 1;
  write_calibration(robot_folder, version);
  return version;
}

}  // namespace kagami::tools
