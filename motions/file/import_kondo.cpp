#include "motions/file/import_kondo.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "motions/file/bind.hpp"
#include "motions/file/text_encoding.hpp"

namespace kagami::motions {
namespace {

// fields of a line: mark, name, speed, channels 1..24 (docs/motion_files.md)
constexpr std::size_t kSpeedField = 2;
constexpr std::size_t kFirstChannel = 3;
constexpr std::size_t kFields = kFirstChannel + kMotionChannels;

// The header's wording is not known. A line of data is one that is long enough to hold the first
// board and has a number as speed or, the speed being wrong, as first channel.
bool is_header(const CsvLine& line) {
  return line.fields.size() < kFirstChannel + kChannelsPerBoard - 1 ||
         (!whole_number(line.fields[kSpeedField]) && !whole_number(line.fields[kFirstChannel]));
}

// both leading fields, decoded; their use by the original program is not known
std::string label_of(const CsvLine& line, bool& has_replacements) {
  const DecodedText mark = decode_text(line.fields[0]);
  const DecodedText name = decode_text(line.fields[1]);
  has_replacements = has_replacements || mark.has_replacements || name.has_replacements;
  return mark.text + (mark.text.empty() || name.text.empty() ? "" : " ") + name.text;
}

constexpr int kMaxPauses = 4000;  // after one pose, 10 min

// commas and line ends would be other fields
std::string one_field(const std::string& label) {
  std::string text = encode_cp932(label);
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return c == ',' || c == '"' || c == '\r' || c == '\n'; }, ' ');
  return text;
}

std::string pose_line(const std::string& label, int speed, const Pose& pose,
                      const RobotWiring& wiring) {
  std::array<int, kMotionChannels> value{};
  value.fill(kUnusedChannel);
  for (std::size_t j = 0; j < wiring.joints.size(); ++j) {
    const JointWiring& joint = wiring.joints[j];
    value.at(static_cast<std::size_t>(joint.channel - 1)) =
        count_of(joint, pose.angle[j].value_or(0.0)) - joint.home_deg;
  }
  std::string text = "," + label + "," + std::to_string(speed);
  for (const int v : value) text += "," + std::to_string(v);
  return text + "\r\n";
}

}  // namespace

Motion parse_kondo_csv(std::string_view bytes, const std::string& file, const RobotWiring& wiring,
                       ChannelReader::Values values) {
  const std::vector<CsvLine> lines = split_csv(bytes, file);
  Problems problems(file);
  ChannelReader channels(wiring, values);
  Motion motion;
  motion.file = file;
  motion.name = std::filesystem::path(file).stem().string();
  motion.source = "HeartToHeart 1 CSV " + std::filesystem::path(file).filename().string();
  for (const JointWiring& joint : wiring.joints) motion.joints.push_back(joint.joint);

  bool in_header = true;
  bool has_replacements = false;
  for (const CsvLine& line : lines) {
    if (problems.is_hopeless()) break;
    if (in_header && is_header(line)) continue;
    in_header = false;
    if (line.fields.size() != kFields) {
      problems.add("line " + std::to_string(line.number),
                   std::to_string(line.fields.size()) + " fields, expected " +
                       std::to_string(kFields) + ": mark, name, speed, 24 channels");
      continue;
    }
    const std::optional<int> speed = ChannelReader::read_speed(line, kSpeedField, problems);
    Pose pose = channels.read(line, kFirstChannel, problems);
    pose.speed = speed;
    pose.label = label_of(line, has_replacements);
    motion.poses.push_back(std::move(pose));
  }
  if (in_header) problems.add("poses", "no line with a speed in field 3, expected 1 or more poses");
  if (motion.poses.size() > kMaxPoses) {
    problems.add("poses", std::to_string(motion.poses.size()) + " poses, expected at most " +
                              std::to_string(kMaxPoses));
  }
  problems.throw_if_any();

  motion.warnings = channels.warnings();
  if (has_replacements) {
    motion.warnings.push_back(
        "labels: bytes that are neither UTF-8 nor code page 932 were replaced");
  }
  if (motion.poses.size() > kMaxStoredPoses) {
    motion.warnings.push_back(std::to_string(motion.poses.size()) +
                              " poses; a board stores at most " + std::to_string(kMaxStoredPoses));
  }
  return motion;
}

std::string kondo_csv_text(const Motion& bound, const RobotWiring& wiring) {
  std::string text = "No,Name,Speed";
  for (int channel = 1; channel <= kMotionChannels; ++channel)
    text += ",CH" + std::to_string(channel);
  text += "\r\n";
  for (std::size_t p = 0; p < bound.poses.size(); ++p) {
    const Pose& pose = bound.poses[p];
    const Pose& before = bound.poses[p == 0 ? bound.poses.size() - 1 : p - 1];
    const double travel_deg = largest_travel_deg(before, pose);
    const int speed =
        pose.speed ? *pose.speed : nearest_speed_code(wiring.speed, travel_deg, pose.duration);
    const std::string label = one_field(pose.label);
    text += pose_line(label, speed, pose, wiring);
    if (p == 0) continue;  // its time counts in a loop alone
    double rest = pose.duration - wiring.speed.duration(speed, travel_deg);
    const double shortest = wiring.speed.duration(0, 0.0);
    for (int pauses = 0; pauses < kMaxPauses && rest > shortest / 2.0; ++pauses) {
      int code = kSpeedCodes - 1;
      while (code > 0 && wiring.speed.duration(code, 0.0) > rest + shortest / 2.0) --code;
      text += pose_line(label, code, pose, wiring);
      rest -= wiring.speed.duration(code, 0.0);
    }
  }
  return text;
}

}  // namespace kagami::motions
