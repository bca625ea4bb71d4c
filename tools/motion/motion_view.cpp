#include "tools/motion/motion_view.hpp"

#include <algorithm>
#include <cmath>

#include "models/base/angle.hpp"
#include "tools/cli/table.hpp"

namespace kagami::tools {
namespace {

using motions::Motion;
using motions::Pose;

// whole degrees without digits, others with one
std::string degrees(const std::optional<double>& angle) {
  if (!angle) return "-";
  const double angle_deg = to_deg(*angle);
  const bool is_whole = std::abs(angle_deg - std::round(angle_deg)) < 0.05;
  return fixed(angle_deg, is_whole ? 0 : 1);
}

/// One line per pose, with the joints of `columns` under their headers.
Table pose_table(const Motion& motion, const std::vector<std::size_t>& joints,
                 const std::vector<std::string>& headers) {
  std::vector<Table::Column> columns = {
      {"pose"}, {"label", Align::kLeft}, {"speed"}, {"takes s"}, {"at s"}};
  for (const std::string& header : headers) columns.push_back({header});
  Table table(columns);
  double at = 0.0;
  for (std::size_t i = 0; i < motion.poses.size(); ++i) {
    const Pose& pose = motion.poses[i];
    if (i > 0) at += pose.duration;
    std::vector<std::string> cells = {std::to_string(i + 1), pose.label,
                                      pose.speed ? std::to_string(*pose.speed) : "-",
                                      fixed(pose.duration, 3), fixed(at, 3)};
    for (const std::size_t j : joints) cells.push_back(degrees(pose.angle[j]));
    table.add_row(cells);
  }
  return table;
}

std::string heading(const Motion& motion) {
  std::string text = motion.name + ": " + std::to_string(motion.poses.size()) + " poses, " +
                     fixed(motion.duration(), 2) + " s" + (motion.loop ? ", loops" : "") + "\n";
  if (!motion.note.empty()) text += motion.note + "\n";
  if (!motion.source.empty()) text += "source: " + motion.source + "\n";
  return text;
}

}  // namespace

std::vector<std::size_t> moving_joints(const Motion& motion) {
  std::vector<std::size_t> moving;
  for (std::size_t j = 0; j < motion.joints.size(); ++j) {
    const auto moves = [&](const Pose& pose) {
      return pose.angle[j] != motion.poses.front().angle[j];
    };
    if (std::any_of(motion.poses.begin(), motion.poses.end(), moves)) moving.push_back(j);
  }
  return moving;
}

std::string motion_text(const Motion& bound, const RobotWiring& wiring, int width) {
  const std::vector<std::size_t> moving = moving_joints(bound);
  std::vector<std::string> headers;
  Table legend({{"channel"}, {"joint", Align::kLeft}});
  for (const std::size_t j : moving) {
    const std::string channel = std::to_string(wiring.joints[j].channel);
    headers.push_back("ch" + channel);
    legend.add_row({channel, bound.joints[j]});
  }
  return heading(bound) +
         "\nJoint angles in degrees from the factory home; joints that never move are left "
         "out.\n\n" +
         pose_table(bound, moving, headers).text(width) +
         (moving.empty() ? "" : "\n" + legend.text());
}

std::string channels_text(const Motion& own, int width) {
  std::vector<std::size_t> given;
  std::vector<std::string> headers;
  for (std::size_t j = 0; j < own.joints.size(); ++j) {
    const auto has = [&](const Pose& pose) { return pose.angle[j].has_value(); };
    if (!std::any_of(own.poses.begin(), own.poses.end(), has)) continue;
    given.push_back(j);
    headers.push_back(own.joints[j]);
  }
  return heading(own) +
         "\nValues of the file's channels in degrees; channels without values are left out.\n"
         "'kagami motion convert FILE --map MAP' makes a motion of this robot from it.\n\n" +
         pose_table(own, given, headers).text(width);
}

}  // namespace kagami::tools
