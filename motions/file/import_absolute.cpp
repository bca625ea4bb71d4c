#include "motions/file/import_absolute.hpp"

#include <filesystem>

#include "motions/file/csv.hpp"

namespace kagami::motions {

Motion parse_absolute_csv(std::string_view bytes, const std::string& file,
                          const RobotWiring& wiring) {
  const std::vector<CsvLine> lines = split_csv(bytes, file);
  Problems problems(file);
  ChannelReader channels(wiring, ChannelReader::Values::kAbsolute);
  Motion motion;
  motion.file = file;
  motion.name = std::filesystem::path(file).stem().string();
  for (const JointWiring& joint : wiring.joints) motion.joints.push_back(joint.joint);

  if (lines.empty() || lines[0].fields.size() < 2 || lines[0].fields[0] != "pos" ||
      lines[0].fields[1] != "speed") {
    problems.add("line 1", "expected the header pos,speed[,wait_s],ch1..ch24");
    problems.throw_if_any();
  }
  const bool has_wait = lines[0].fields.size() > 2 && lines[0].fields[2] == "wait_s";
  const std::size_t first_channel = has_wait ? 3 : 2;
  const std::size_t num_fields = first_channel + kMotionChannels;
  for (std::size_t i = 1; i < lines.size() && !problems.is_hopeless(); ++i) {
    const CsvLine& line = lines[i];
    if (line.fields.size() != num_fields) {
      problems.add(
          "line " + std::to_string(line.number),
          std::to_string(line.fields.size()) + " fields, expected " + std::to_string(num_fields));
      continue;
    }
    const std::optional<int> speed = ChannelReader::read_speed(line, 1, problems);
    Pose pose = channels.read(line, first_channel, problems);
    pose.speed = speed;
    motion.poses.push_back(std::move(pose));
  }
  if (lines.size() < 2) problems.add("poses", "the motion is empty, expected at least 1 pose");
  if (motion.poses.size() > kMaxPoses) {
    problems.add("poses", std::to_string(motion.poses.size()) + " poses, expected at most " +
                              std::to_string(kMaxPoses));
  }
  problems.throw_if_any();
  motion.warnings = channels.warnings();
  if (has_wait) motion.warnings.push_back("wait_s is not kept: the speed code sets the time");
  return motion;
}

}  // namespace kagami::motions
