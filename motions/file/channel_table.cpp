#include "motions/file/channel_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "models/base/angle.hpp"
#include "models/base/number_text.hpp"
#include "motions/file/bind.hpp"
#include "motions/file/text_encoding.hpp"

namespace kagami::motions {
namespace {

constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);
constexpr double kLongestWait = 600.0;  // s
constexpr double kSameWait = 1e-6;      // s

/// Where the columns are, from 0.
struct Columns {
  std::size_t speed = kNoColumn;
  std::size_t wait = kNoColumn;
  std::size_t first_channel = kNoColumn;
};

Columns columns_of(const CsvLine& header, Problems& problems) {
  Columns columns;
  for (std::size_t i = 0; i < header.fields.size(); ++i) {
    const std::string_view name = header.fields[i];
    if (name == "speed") columns.speed = i;
    if (name == "wait_s") columns.wait = i;
    if (name == "ch1") columns.first_channel = i;
  }
  for (int channel = 1; channel <= kMotionChannels; ++channel) {
    const std::size_t field = columns.first_channel + static_cast<std::size_t>(channel) - 1;
    const std::string name = "ch" + std::to_string(channel);
    if (field >= header.fields.size() || header.fields[field] != name) {
      problems.add("line " + std::to_string(header.number),
                   "the column " + name +
                       " is missing or not in its place, expected "
                       "[pos,][speed,][wait_s,]ch1..ch24");
      break;
    }
  }
  problems.throw_if_any();
  return columns;
}

double read_wait(const CsvLine& line, std::size_t field, Problems& problems) {
  const std::string_view text = line.fields[field];
  double wait = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), wait);
  if (error != std::errc() || end != text.data() + text.size() ||
      !(wait >= 0.0 && wait <= kLongestWait)) {
    problems.add(place_of(line, field) + " (wait_s)",
                 shown_text(text) + ", expected seconds in [0, 600]");
    return 0.0;
  }
  return wait;
}

// the boards cannot arrive earlier than their speed table says
void lengthen_short_waits(const RobotWiring& wiring, Motion& motion) {
  int lengthened = 0;
  std::vector<double> at(motion.joints.size(), 0.0);
  for (std::size_t p = 0; p < motion.poses.size(); ++p) {
    Pose& pose = motion.poses[p];
    double travel_deg = 0.0;
    for (std::size_t j = 0; j < at.size(); ++j) {
      const double angle = pose.angle[j].value_or(at[j]);
      travel_deg = std::max(travel_deg, std::abs(to_deg(angle - at[j])));
      at[j] = angle;
    }
    if (p == 0 || !pose.speed || pose.duration == 0.0) continue;
    if (pose.duration >= wiring.speed.duration(*pose.speed, travel_deg)) continue;
    pose.duration = 0.0;
    ++lengthened;
  }
  if (lengthened > 0) {
    motion.warnings.push_back("wait_s of " + std::to_string(lengthened) +
                              " poses is shorter than the boards need, their time is used");
  }
}

}  // namespace

bool is_channel_table(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, bytes.find_first_of("\r\n"));
  for (const char separator : {',', ';', '\t'}) {
    if (line.find(std::string("ch1") + separator + "ch2") != std::string_view::npos) return true;
  }
  return false;
}

Motion parse_channel_table(std::string_view bytes, const std::string& file,
                           const RobotWiring& wiring, std::optional<double> step,
                           ChannelReader::Values values) {
  const std::vector<CsvLine> lines = split_csv(bytes, file);
  Problems problems(file);
  ChannelReader channels(wiring, values);
  Motion motion;
  motion.file = file;
  motion.name = std::filesystem::path(file).stem().string();
  for (const JointWiring& joint : wiring.joints) motion.joints.push_back(joint.joint);

  if (lines.size() < 2) problems.add("poses", "the motion is empty, expected at least 1 pose");
  problems.throw_if_any();
  const Columns columns = columns_of(lines[0], problems);
  const bool has_time = columns.speed != kNoColumn || columns.wait != kNoColumn;
  if (!has_time && !step) {
    throw ConfigError(file +
                      ": the table has neither speeds nor times; name the seconds from row to row "
                      "with --step");
  }
  for (std::size_t i = 1; i < lines.size() && !problems.is_hopeless(); ++i) {
    const CsvLine& line = lines[i];
    if (line.fields.size() != lines[0].fields.size()) {
      problems.add("line " + std::to_string(line.number),
                   std::to_string(line.fields.size()) + " fields, expected " +
                       std::to_string(lines[0].fields.size()) + " as in the header");
      continue;
    }
    Pose pose = channels.read(line, columns.first_channel, problems);
    if (columns.speed != kNoColumn)
      pose.speed = ChannelReader::read_speed(line, columns.speed, problems);
    if (columns.wait != kNoColumn) pose.duration = read_wait(line, columns.wait, problems);
    if (!has_time) pose.duration = *step;
    motion.poses.push_back(std::move(pose));
  }
  if (motion.poses.size() > kMaxPoses) {
    problems.add("poses", std::to_string(motion.poses.size()) + " poses, expected at most " +
                              std::to_string(kMaxPoses));
  }
  problems.throw_if_any();
  motion.warnings = channels.warnings();
  if (columns.wait != kNoColumn && columns.speed != kNoColumn) lengthen_short_waits(wiring, motion);
  return motion;
}

std::string channel_table_text(const Motion& bound, const RobotWiring& wiring) {
  const bool has_speeds = bound.has_speed_codes();
  bool has_waits = !has_speeds;
  for (std::size_t p = 1; p < bound.poses.size() && !has_waits; ++p) {
    const Pose& pose = bound.poses[p];
    const double travel_deg = largest_travel_deg(bound.poses[p - 1], pose);
    has_waits = pose.duration > wiring.speed.duration(*pose.speed, travel_deg) + kSameWait;
  }
  std::string text = "pos";
  if (has_speeds) text += ",speed";
  if (has_waits) text += ",wait_s";
  for (int channel = 1; channel <= kMotionChannels; ++channel)
    text += ",ch" + std::to_string(channel);
  text += "\n";
  for (std::size_t p = 0; p < bound.poses.size(); ++p) {
    const Pose& pose = bound.poses[p];
    std::array<int, kMotionChannels> count{};
    count.fill(kUnusedChannel);
    for (std::size_t j = 0; j < wiring.joints.size(); ++j) {
      const JointWiring& joint = wiring.joints[j];
      count.at(static_cast<std::size_t>(joint.channel - 1)) =
          count_of(joint, pose.angle[j].value_or(0.0));
    }
    text += std::to_string(p);
    if (has_speeds) text += "," + std::to_string(*pose.speed);
    if (has_waits) text += "," + number_text(pose.duration);
    for (const int c : count) text += "," + std::to_string(c);
    text += "\n";
  }
  return text;
}

}  // namespace kagami::motions
