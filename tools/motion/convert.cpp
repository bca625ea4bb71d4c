#include "tools/motion/convert.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
#include "motions/edit/edit.hpp"
#include "motions/file/bind.hpp"
#include "tools/cli/table.hpp"

namespace kagami::tools {
namespace {

using motions::Motion;

constexpr double kLimitSlack = 1e-9;  // rad

double rounded_deg(double angle) {
  return std::round(to_deg(angle) * 1e4) / 1e4;
}

// the file that was written, as a reader of it sees it
Motion read_back(const Conversion& conversion, const RobotWiring& wiring, motions::ReadOptions read,
                 const ConvertSettings& settings) {
  // these describe the old file alone
  read.step.reset();
  read.unit.reset();
  read.branches.clear();
  const bool is_mapped = motions::needs_map(conversion.to);
  read.map = is_mapped ? settings.write.map : nullptr;
  read.frame = settings.write.frame;
  read.entry = settings.write.entry;
  return motions::bind_motion(
      motions::parse_motion(conversion.text, "the written file", wiring, read), wiring);
}

int channel_of(const std::string& joint, const motions::MotionMap* map) {
  if (map == nullptr) return -1;
  for (const motions::ChannelMap& entry : map->channels) {
    if (entry.joint == joint) return entry.channel;
  }
  return -1;
}

// at the poses of both if they have the same, else at equal shares of the duration
void note_changes(const Motion& before, const Motion& after, std::vector<double>& largest) {
  const motions::PosePath path_1(before), path_2(after);
  const double scale =
      path_1.times().back() > 0.0 ? path_2.times().back() / path_1.times().back() : 0.0;
  const bool has_same_poses = before.poses.size() == after.poses.size();
  for (std::size_t p = 0; p < before.poses.size(); ++p) {
    const double at = path_1.times()[p] * scale;
    const std::vector<double> now = path_2.at(has_same_poses ? path_2.times()[p] : at);
    for (std::size_t j = 0; j < now.size(); ++j)
      largest[j] = std::max(largest[j], std::abs(now[j] - *before.poses[p].angle[j]));
  }
}

}  // namespace

std::vector<int> clip_to_limits(Motion& motion, const RobotWiring& wiring) {
  std::vector<int> clipped(wiring.joints.size(), 0);
  for (std::size_t j = 0; j < wiring.joints.size(); ++j) {
    const JointWiring& joint = wiring.joints[j];
    const auto column = std::find(motion.joints.begin(), motion.joints.end(), joint.joint);
    if (column == motion.joints.end()) continue;
    const double end_1 = motions::angle_of(joint, 0), end_2 = motions::angle_of(joint, 180);
    const double least = std::max(joint.soft_min, std::min(end_1, end_2));
    const double most = std::min(joint.soft_max, std::max(end_1, end_2));
    for (motions::Pose& pose : motion.poses) {
      auto& angle = pose.angle[static_cast<std::size_t>(column - motion.joints.begin())];
      if (!angle || (*angle >= least - kLimitSlack && *angle <= most + kLimitSlack)) continue;
      angle = std::clamp(*angle, least, most);
      ++clipped[j];
    }
  }
  return clipped;
}

Conversion convert(const MotionSource& source, const RobotWiring& wiring,
                   const motions::ReadOptions& read, const ConvertSettings& settings) {
  if (read.map != nullptr && motions::channel_number(source.own.joints.front()) >= 0)
    motions::check_map(*read.map, wiring);
  Conversion conversion;
  conversion.from = source.format;
  conversion.to = settings.to;
  Motion motion = source.motion;
  std::vector<int> clipped(wiring.joints.size(), 0);
  if (settings.clip) clipped = clip_to_limits(motion, wiring);
  Motion bound;
  try {
    bound = motions::bind_motion(motion, wiring);
  } catch (const ConfigError& error) {
    if (settings.clip) throw;
    throw ConfigError(std::string(error.what()) +
                      "\n--clip puts such angles to the nearest that the robot reaches");
  }
  conversion.text = motions::motion_text(bound, settings.to, wiring, settings.write);
  const Motion back = read_back(conversion, wiring, read, settings);
  conversion.poses_from = static_cast<int>(source.own.poses.size());
  conversion.poses_to = static_cast<int>(back.poses.size());
  conversion.duration_from = bound.duration();
  conversion.duration_to = back.duration();
  conversion.warnings = bound.warnings;
  conversion.warnings.insert(conversion.warnings.end(), back.warnings.begin(), back.warnings.end());

  std::vector<double> written(wiring.joints.size(), 0.0);
  note_changes(bound, back, written);
  for (std::size_t j = 0; j < wiring.joints.size(); ++j) {
    ConvertedJoint joint;
    joint.joint = wiring.joints[j].joint;
    joint.channel = channel_of(joint.joint, read.map);
    joint.clipped = clipped[j];
    const auto column =
        std::find(source.motion.joints.begin(), source.motion.joints.end(), joint.joint);
    double now = 0.0;
    for (std::size_t p = 0; p < bound.poses.size(); ++p) {
      if (column != source.motion.joints.end()) {
        const auto place = static_cast<std::size_t>(column - source.motion.joints.begin());
        now = source.motion.poses[p].angle[place].value_or(now);
      }
      joint.from_min = p == 0 ? now : std::min(joint.from_min, now);
      joint.from_max = p == 0 ? now : std::max(joint.from_max, now);
      joint.largest = std::max(joint.largest, std::abs(*bound.poses[p].angle[j] - now));
    }
    joint.largest = std::max(joint.largest, written[j]);
    for (std::size_t p = 0; p < back.poses.size(); ++p) {
      const double angle = *back.poses[p].angle[j];
      joint.to_min = p == 0 ? angle : std::min(joint.to_min, angle);
      joint.to_max = p == 0 ? angle : std::max(joint.to_max, angle);
    }
    conversion.joints.push_back(std::move(joint));
  }
  return conversion;
}

std::string conversion_text(const Conversion& conversion, int width) {
  Table table({{"joint", Align::kLeft},
               {"channel"},
               {"before deg"},
               {"after deg"},
               {"change deg"},
               {"clipped"}});
  const auto range = [](double least, double most) {
    return fixed(to_deg(least), 1) + " .. " + fixed(to_deg(most), 1);
  };
  for (const ConvertedJoint& joint : conversion.joints) {
    table.add_row({joint.joint, joint.channel < 0 ? "-" : std::to_string(joint.channel),
                   range(joint.from_min, joint.from_max), range(joint.to_min, joint.to_max),
                   fixed(to_deg(joint.largest), 2),
                   joint.clipped == 0 ? "-" : std::to_string(joint.clipped)});
  }
  return std::string(motions::format_name(conversion.from)) + " to " +
         motions::format_name(conversion.to) + "\n" + std::to_string(conversion.poses_from) +
         " poses, " + fixed(conversion.duration_from, 3) + " s before; " +
         std::to_string(conversion.poses_to) + " poses, " + fixed(conversion.duration_to, 3) +
         " s after\n\n" + table.text(width);
}

nlohmann::json conversion_json(const Conversion& conversion) {
  nlohmann::json joints = nlohmann::json::array();
  for (const ConvertedJoint& joint : conversion.joints) {
    joints.push_back(
        {{"joint", joint.joint},
         {"channel", joint.channel < 0 ? nlohmann::json(nullptr) : nlohmann::json(joint.channel)},
         {"before_deg", {rounded_deg(joint.from_min), rounded_deg(joint.from_max)}},
         {"after_deg", {rounded_deg(joint.to_min), rounded_deg(joint.to_max)}},
         {"largest_change_deg", rounded_deg(joint.largest)},
         {"clipped_poses", joint.clipped}});
  }
  return {{"from", motions::format_key(conversion.from)},
          {"to", motions::format_key(conversion.to)},
          {"poses", {conversion.poses_from, conversion.poses_to}},
          {"duration_s", {conversion.duration_from, conversion.duration_to}},
          {"joints", joints},
          {"warnings", conversion.warnings}};
}

}  // namespace kagami::tools
