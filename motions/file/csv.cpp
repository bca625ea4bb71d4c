#include "motions/file/csv.hpp"

#include <algorithm>
#include <charconv>

#include "models/base/angle.hpp"
#include "motions/file/bind.hpp"
#include "motions/file/motion_json.hpp"
#include "motions/file/text_encoding.hpp"

namespace kagami::motions {
namespace {

constexpr std::size_t kMaxLines = 2u * kMaxPoses;
constexpr int kFirstCode = 221, kLastCode = 226;  // special codes, docs/rcb1.md
constexpr int kMaxCount = 180;                    // degrees

std::string_view trimmed(std::string_view field) {
  constexpr std::string_view kSpace = " \t\"";
  const std::size_t first = field.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return field.substr(first, field.find_last_not_of(kSpace) - first + 1);
}

std::vector<std::string_view> split_fields(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = line.find(separator, start);
    fields.push_back(trimmed(line.substr(start, end - start)));
    if (end == std::string_view::npos) break;
    start = end + 1;
  }
  while (!fields.empty() && fields.back().empty()) fields.pop_back();
  return fields;
}

}  // namespace

char separator_of(std::string_view bytes) {
  constexpr std::string_view kSeparators = ";,\t";
  const std::size_t first = std::min(bytes.find_first_of(kSeparators), bytes.size());
  const std::string_view line = bytes.substr(first, bytes.substr(first).find_first_of("\r\n"));
  char most = ',';
  for (const char separator : kSeparators) {
    if (std::count(line.begin(), line.end(), separator) >
        std::count(line.begin(), line.end(), most))
      most = separator;
  }
  return most;
}

RobotWiring channel_wiring(const SpeedTable& speed) {
  RobotWiring wiring;
  wiring.speed = speed;
  for (int channel = 1; channel <= kMotionChannels; ++channel) {
    JointWiring joint;
    joint.joint = "ch" + std::to_string(channel);
    joint.channel = channel;
    wiring.joints.push_back(std::move(joint));
  }
  return wiring;
}

std::vector<CsvLine> split_csv(std::string_view bytes, const std::string& file) {
  if (bytes.size() > kMaxMotionBytes) {
    throw ConfigError(file + ": " + std::to_string(bytes.size()) + " bytes, expected at most " +
                      std::to_string(kMaxMotionBytes));
  }
  const auto breaks = static_cast<std::size_t>(std::max(
      std::count(bytes.begin(), bytes.end(), '\n'), std::count(bytes.begin(), bytes.end(), '\r')));
  if (breaks > kMaxLines) {
    throw ConfigError(file + ": " + std::to_string(breaks) + " lines, expected at most " +
                      std::to_string(kMaxLines));
  }
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  const char separator = separator_of(bytes);
  std::vector<CsvLine> lines;
  int number = 0;
  while (!bytes.empty()) {
    ++number;
    const std::size_t end = bytes.find_first_of("\r\n");
    const std::string_view line = bytes.substr(0, end);
    CsvLine parsed{number, split_fields(line, separator)};
    if (!parsed.fields.empty()) lines.push_back(std::move(parsed));
    if (end == std::string_view::npos) break;
    const bool is_crlf = bytes[end] == '\r' && end + 1 < bytes.size() && bytes[end + 1] == '\n';
    bytes.remove_prefix(end + (is_crlf ? 2 : 1));
  }
  return lines;
}

std::string place_of(const CsvLine& line, std::size_t field) {
  return "line " + std::to_string(line.number) + ", field " + std::to_string(field + 1);
}

std::optional<int> whole_number(std::string_view field) {
  int value = 0;
  if (field.starts_with('+')) field.remove_prefix(1);
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size()) return std::nullopt;
  return value;
}

ChannelReader::ChannelReader(const RobotWiring& wiring, Values values)
    : wiring_(wiring), values_(values) {
  joint_on_.fill(-1);
  for (std::size_t j = 0; j < wiring.joints.size(); ++j)
    joint_on_.at(static_cast<std::size_t>(wiring.joints[j].channel)) = static_cast<int>(j);
}

std::optional<int> ChannelReader::read_speed(const CsvLine& line, std::size_t field,
                                             Problems& problems) {
  const std::optional<int> speed = whole_number(line.fields[field]);
  if (!speed || *speed < 0 || *speed >= kSpeedCodes) {
    problems.add(place_of(line, field) + " (speed)",
                 shown_text(line.fields[field]) + ", expected 0..7");
    return std::nullopt;
  }
  return speed;
}

Pose ChannelReader::read(const CsvLine& line, std::size_t first, Problems& problems) {
  Pose pose;
  pose.angle.assign(wiring_.joints.size(), std::nullopt);
  for (int channel = 1; channel <= kMotionChannels; ++channel) {
    const std::size_t field = first + static_cast<std::size_t>(channel) - 1;
    const std::optional<double> angle = read_channel(line, field, channel, problems);
    const int joint = joint_on_[static_cast<std::size_t>(channel)];
    if (joint >= 0) pose.angle[static_cast<std::size_t>(joint)] = angle;
  }
  return pose;
}

std::optional<double> ChannelReader::read_channel(const CsvLine& line, std::size_t field,
                                                  int channel, Problems& problems) {
  const auto place = [&] {
    return place_of(line, field) + " (channel " + std::to_string(channel) + ")";
  };
  const std::optional<int> value = whole_number(line.fields[field]);
  if (value == kUnusedChannel) return std::nullopt;
  if (value && *value >= kFirstCode && *value <= kLastCode) {
    warn("special code " + std::to_string(*value) + " is not played, the joint stays", place());
    return std::nullopt;
  }
  // absolute tables hold a little more than 0..180; what is far outside is a wrong column
  const bool is_relative = values_ == Values::kRelativeToHome;
  const int least = values_ == Values::kAbsolute ? -20 : -kMaxCount;
  const int most = is_relative ? kMaxCount : 200;
  if (!value || *value < least || *value > most) {
    problems.add(place(), shown_text(line.fields[field]) + ", expected a whole number in [" +
                              std::to_string(least) + ", " + std::to_string(most) +
                              "] deg or a code 221..226");
    return std::nullopt;
  }
  const int index = joint_on_[static_cast<std::size_t>(channel)];
  if (index < 0) {
    if (*value != 0) {
      warn("channel " + std::to_string(channel) + " has no servo on this robot, values skipped",
           place());
    }
    return std::nullopt;
  }
  if (values_ == Values::kRaw) return to_rad(*value);
  const JointWiring& joint = wiring_.joints[static_cast<std::size_t>(index)];
  const int count = is_relative ? *value + joint.home_deg : *value;
  const int clipped = std::clamp(count, 0, kMaxCount);
  if (clipped != count) note_clipped(joint.joint, count, line, field);
  return angle_of(joint, clipped);
}

void ChannelReader::note_clipped(const std::string& joint, int count, const CsvLine& line,
                                 std::size_t field) {
  Clipped& clipped = clipped_[joint];
  const auto beyond = [](int c) { return std::max(-c, c - kMaxCount); };
  if (clipped.count++ > 0 && beyond(count) <= beyond(clipped.furthest)) return;
  clipped.furthest = count;
  clipped.place = place_of(line, field);
}

void ChannelReader::warn(const std::string& cause, const std::string& place) {
  Warning& warning = warnings_[cause];
  if (warning.count++ == 0) warning.first_place = place;
}

std::vector<std::string> ChannelReader::warnings() const {
  std::vector<std::string> texts;
  for (const auto& [joint, clipped] : clipped_) {
    const bool is_one = clipped.count == 1;
    texts.push_back(
        clipped.place + ": " + joint + ": count " + std::to_string(clipped.furthest) +
        " clipped to 0..180" +
        (is_one ? "" : ", the furthest of " + std::to_string(clipped.count) + " counts"));
  }
  for (const auto& [cause, warning] : warnings_) {
    texts.push_back(warning.first_place + ": " + cause +
                    (warning.count > 1 ? " (" + std::to_string(warning.count) + " times)" : ""));
  }
  return texts;
}

}  // namespace kagami::motions
