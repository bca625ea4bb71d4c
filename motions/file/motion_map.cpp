#include "motions/file/motion_map.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/base/angle.hpp"
#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "motions/file/problems.hpp"

namespace kagami::motions {
namespace {

constexpr int kMaxChannel = 40;
constexpr double kStill = 1e-6;  // rad

ChannelMap read_channel(const ConfigNode& node, std::set<int>& channels,
                        std::set<std::string>& joints) {
  ChannelMap map;
  map.channel = static_cast<int>(node.integer("channel", {0, kMaxChannel}));
  map.joint = node.text("joint");
  map.sign = static_cast<int>(node.integer_or("sign", 1, {-1, 1}));
  if (map.sign == 0) node.fail("sign", "0, expected 1 or -1");
  map.zero = to_rad(node.number_or("zero_deg", 0.0, {-360.0, 360.0, "deg"}));
  if (!channels.insert(map.channel).second) node.fail("channel", "is mapped twice");
  if (!joints.insert(map.joint).second) node.fail("joint", "'" + map.joint + "' is mapped twice");
  node.reject_unknown_keys();
  return map;
}

// every angle of a channel that is not the first one given
bool moves(const Motion& motion, std::size_t j) {
  std::optional<double> first;
  for (const Pose& pose : motion.poses) {
    if (!pose.angle[j]) continue;
    if (first && std::abs(*pose.angle[j] - *first) > kStill) return true;
    if (!first) first = pose.angle[j];
  }
  return false;
}

}  // namespace

const ChannelMap* MotionMap::of_channel(int channel) const {
  const auto found = std::find_if(channels.begin(), channels.end(),
                                  [&](const ChannelMap& c) { return c.channel == channel; });
  return found == channels.end() ? nullptr : &*found;
}

MotionMap parse_motion_map(std::string_view text, const std::string& file) {
  const ConfigDocument document = ConfigDocument::parse(text, file);
  const ConfigNode root = document.root();
  Problems problems(file);
  MotionMap map;
  map.file = file;
  constexpr std::string_view kSchemas[] = {"kagami.motion_map/1"};
  problems.collect([&] { static_cast<void>(root.one_of("schema", kSchemas)); });
  problems.throw_if_any();
  problems.collect([&] { map.name = root.text("name"); });
  problems.collect([&] { map.note = root.text_or("note", ""); });
  std::set<int> channels;
  std::set<std::string> joints;
  problems.collect([&] {
    for (const ConfigNode& node : root.list("channels")) {
      problems.collect([&] { map.channels.push_back(read_channel(node, channels, joints)); });
    }
  });
  problems.collect([&] {
    if (!root.has("ignored")) return;
    for (const double channel : root.numbers("ignored", -1, {0, kMaxChannel})) {
      map.ignored.insert(static_cast<int>(std::lround(channel)));
    }
  });
  problems.collect([&] {
    const auto missing = root.find_object("missing");
    if (!missing) return;
    for (const std::string& joint : missing->keys()) {
      if (joints.contains(joint)) missing->fail(joint, "has a channel, it cannot be missing");
      map.missing[joint] = to_rad(missing->number(joint, {-360.0, 360.0, "deg"}));
    }
  });
  problems.collect([&] { root.reject_unknown_keys(); });
  problems.throw_if_any();
  return map;
}

void check_map(const MotionMap& map, const RobotWiring& wiring) {
  std::set<std::string> known;
  for (const auto& [joint, angle] : map.missing) known.insert(joint);
  for (const ChannelMap& entry : map.channels) known.insert(entry.joint);
  Problems problems(map.file);
  for (const JointWiring& joint : wiring.joints) {
    if (known.erase(joint.joint) == 0) {
      problems.add("/missing", "joint '" + joint.joint +
                                   "' of the robot has no channel, expected its angle here");
    }
  }
  for (const std::string& joint : known)
    problems.add("/channels", "joint '" + joint + "' is not one of the robot's");
  problems.throw_if_any();
}

int channel_number(std::string_view joint) {
  if (!joint.starts_with("ch")) return -1;
  joint.remove_prefix(2);
  int channel = -1;
  const auto [end, error] = std::from_chars(joint.data(), joint.data() + joint.size(), channel);
  return error == std::errc() && end == joint.data() + joint.size() ? channel : -1;
}

std::string channel_name(int channel) {
  return "ch" + std::to_string(channel);
}

Motion map_channels(const Motion& motion, const MotionMap& map) {
  struct Source {
    std::size_t column;
    const ChannelMap* map;
  };
  std::vector<Source> sources;
  Motion mapped = motion;
  mapped.joints.clear();
  for (std::size_t j = 0; j < motion.joints.size(); ++j) {
    const int channel = channel_number(motion.joints[j]);
    if (const ChannelMap* entry = map.of_channel(channel)) {
      sources.push_back({j, entry});
      mapped.joints.push_back(entry->joint);
    } else if (!map.ignored.contains(channel) && moves(motion, j)) {
      mapped.warnings.push_back("channel " + std::to_string(channel) +
                                " moves and has no joint in " + map.file + ", it is left out");
    }
  }
  if (sources.empty()) {
    throw ConfigError(
        map.file + ": maps no channel of " + motion.file + ", which has " +
        (motion.joints.empty() ? "none" : motion.joints.front() + " to " + motion.joints.back()));
  }
  for (const auto& [joint, angle] : map.missing) mapped.joints.push_back(joint);
  for (Pose& pose : mapped.poses) {
    const std::vector<std::optional<double>> values = std::move(pose.angle);
    pose.angle.clear();
    for (const Source& source : sources) {
      const std::optional<double>& value = values[source.column];
      pose.angle.push_back(value ? std::optional(source.map->sign * (*value - source.map->zero))
                                 : std::nullopt);
    }
    for (const auto& [joint, angle] : map.missing) pose.angle.emplace_back(angle);
  }
  return mapped;
}

Motion unmap_channels(const Motion& motion, const MotionMap& map) {
  Motion written = motion;
  written.joints.clear();
  std::vector<std::pair<std::size_t, const ChannelMap*>> sources;
  for (const ChannelMap& entry : map.channels) {
    const auto found = std::find(motion.joints.begin(), motion.joints.end(), entry.joint);
    if (found == motion.joints.end()) continue;
    sources.emplace_back(found - motion.joints.begin(), &entry);
    written.joints.push_back(channel_name(entry.channel));
  }
  for (std::size_t j = 0; j < motion.joints.size(); ++j) {
    const bool has_channel =
        std::any_of(sources.begin(), sources.end(), [&](const auto& s) { return s.first == j; });
    if (!has_channel && moves(motion, j)) {
      written.warnings.push_back(motion.joints[j] + " moves and has no channel in " + map.file +
                                 ", it is left out");
    }
  }
  if (sources.empty()) throw ConfigError(map.file + ": maps no joint of " + motion.name);
  for (Pose& pose : written.poses) {
    const std::vector<std::optional<double>> angles = std::move(pose.angle);
    pose.angle.clear();
    for (const auto& [column, entry] : sources) {
      const std::optional<double>& angle = angles[column];
      pose.angle.push_back(angle ? std::optional(entry->sign * *angle + entry->zero)
                                 : std::nullopt);
    }
  }
  return written;
}

}  // namespace kagami::motions
