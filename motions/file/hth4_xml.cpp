#include "motions/file/hth4_xml.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "motions/file/motion_json.hpp"
#include "motions/file/problems.hpp"

namespace kagami::motions {
namespace {

constexpr int kHold = 32767, kFree = 32768;  // instead of a position
constexpr long kMostFrames = 255;

}  // namespace

pugi::xml_document parse_xml(std::string_view text, const std::string& file) {
  if (text.size() > kMaxMotionBytes) {
    throw ConfigError(file + ": " + std::to_string(text.size()) + " bytes, expected at most " +
                      std::to_string(kMaxMotionBytes));
  }
  pugi::xml_document document;
  const pugi::xml_parse_result result =
      document.load_buffer(text.data(), text.size(), pugi::parse_default | pugi::parse_declaration);
  if (!result) {
    const auto at = text.begin() + std::min<std::ptrdiff_t>(result.offset, std::ssize(text));
    throw ConfigError(file + ": line " + std::to_string(1 + std::count(text.begin(), at, '\n')) +
                      ": " + result.description());
  }
  return document;
}

std::vector<pugi::xml_node> typed_children(const pugi::xml_node& list, const char* type) {
  std::vector<pugi::xml_node> found;
  for (const pugi::xml_node& node : list.children()) {
    if (std::string_view(node.attribute("xsi:type").value()) == type) found.push_back(node);
  }
  return found;
}

int Rcb4Poses::add(const Rcb4Command& move, const std::string& label, const std::string& place) {
  Target target;
  target.label = label;
  target.duration = std::max(1, move.frames) * frame_;
  for (const auto& [channel, position] : move.positions) {
    if (position == kFree) ++free_values_;
    if (position == kFree || position == kHold) continue;
    if (std::abs(position - kRcb4Centre) > kRcb4Furthest) {
      throw ConfigError(place + ": channel " + std::to_string(channel) + " is " +
                        std::to_string(position) + ", expected 7500 +- 5334");
    }
    target.angles.emplace_back(channel, to_rad((position - kRcb4Centre) / kRcb4CountsPerDegree));
  }
  targets_.push_back(std::move(target));
  return static_cast<int>(targets_.size()) - 1;
}

void Rcb4Poses::skip(const Rcb4Command& command) {
  if (command.kind == Rcb4Command::Kind::kServoValue) {
    ++servo_values_;
  } else if (command.kind == Rcb4Command::Kind::kOther) {
    other_codes_.push_back(command.code);
  }
}

Motion Rcb4Poses::motion(Unrolled flow, const std::string& title) const {
  Motion motion;
  motion.file = file_;
  motion.name = std::filesystem::path(file_).stem().string();
  motion.note = title;
  motion.source = "HeartToHeart4 " + std::filesystem::path(file_).filename().string();
  motion.loop = flow.loops;
  motion.warnings = std::move(flow.warnings);
  if (flow.poses.empty()) throw ConfigError(file_ + ": the flow holds no position");
  std::set<int> channels;
  for (const int pose : flow.poses) {
    for (const auto& [channel, angle] : targets_[static_cast<std::size_t>(pose)].angles)
      channels.insert(channel);
  }
  for (const int channel : channels) motion.joints.push_back(channel_name(channel));
  for (const int index : flow.poses) {
    const Target& target = targets_[static_cast<std::size_t>(index)];
    Pose pose;
    pose.label = target.label;
    pose.duration = target.duration;
    pose.angle.resize(channels.size());
    for (const auto& [channel, angle] : target.angles) {
      const auto place = std::distance(channels.begin(), channels.find(channel));
      pose.angle[static_cast<std::size_t>(place)] = angle;
    }
    motion.poses.push_back(std::move(pose));
  }
  if (servo_values_ > 0) {
    motion.warnings.push_back(std::to_string(servo_values_) +
                              " commands set values of the servos (stretch, speed), not played");
  }
  if (free_values_ > 0) {
    motion.warnings.push_back(std::to_string(free_values_) +
                              " values switch a servo off, which is not played: the joint stays");
  }
  if (!other_codes_.empty()) {
    motion.warnings.push_back(std::to_string(other_codes_.size()) +
                              " commands are not known and not played, the first has code " +
                              std::to_string(other_codes_.front()));
  }
  return motion;
}

std::vector<std::pair<std::string, std::string>> rcb4_lines(const Motion& motion,
                                                            const MotionMap& map, double frame) {
  const Motion written = unmap_channels(motion, map);
  std::vector<std::pair<int, std::size_t>> columns;
  for (std::size_t j = 0; j < written.joints.size(); ++j) {
    columns.emplace_back(channel_number(written.joints[j]), j);
    if (columns.back().first >= kRcb4Channels) {
      throw ConfigError(map.file + ": channel " + std::to_string(columns.back().first) +
                        ", HeartToHeart4 has 0..39");
    }
  }
  std::sort(columns.begin(), columns.end());
  Problems problems(motion.name);
  std::vector<std::pair<std::string, std::string>> lines;
  for (std::size_t p = 0; p < written.poses.size(); ++p) {
    const Pose& pose = written.poses[p];
    const std::string label = pose.label.empty() ? "Pos" + std::to_string(p + 1) : pose.label;
    std::vector<std::pair<int, int>> positions;
    for (const auto& [channel, column] : columns) {
      if (!pose.angle[column]) continue;
      const double angle_deg = to_deg(*pose.angle[column]);
      const long position = kRcb4Centre + std::lround(angle_deg * kRcb4CountsPerDegree);
      if (std::abs(position - kRcb4Centre) > kRcb4Furthest) {
        problems.add(
            "pose " + std::to_string(p + 1) + ", channel " + std::to_string(channel),
            number_text(std::round(angle_deg)) + " deg, expected at most 180 from the centre");
        continue;
      }
      positions.emplace_back(channel, static_cast<int>(position));
    }
    // a longer time than a command holds: the rest of it is spent in the pose
    for (long frames = std::max(1L, std::lround(pose.duration / frame)); frames > 0;
         frames -= kMostFrames) {
      lines.emplace_back(
          label, encode_rcb4_move(positions, static_cast<int>(std::min(frames, kMostFrames))));
    }
  }
  problems.throw_if_any();
  return lines;
}

}  // namespace kagami::motions
