#include "motions/file/import_kondo.hpp"

#include <filesystem>

#include "motions/file/csv.hpp"

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
  const DecodedText mark = decode_cp932(line.fields[0]);
  const DecodedText name = decode_cp932(line.fields[1]);
  has_replacements = has_replacements || mark.has_replacements || name.has_replacements;
  return mark.text + (mark.text.empty() || name.text.empty() ? "" : " ") + name.text;
}

}  // namespace

Motion parse_kondo_csv(std::string_view bytes, const std::string& file, const RobotWiring& wiring) {
  const std::vector<CsvLine> lines = split_csv(bytes, file);
  Problems problems(file);
  ChannelReader channels(wiring, ChannelReader::Values::kRelativeToHome);
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
    motion.warnings.push_back("labels: bytes that are not code page 932 were replaced");
  }
  if (motion.poses.size() > kMaxStoredPoses) {
    motion.warnings.push_back(std::to_string(motion.poses.size()) +
                              " poses; a board stores at most " + std::to_string(kMaxStoredPoses));
  }
  return motion;
}

}  // namespace kagami::motions
