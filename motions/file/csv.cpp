#include "motions/file/csv.hpp"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "motions/file/bind.hpp"
#include "motions/file/motion_json.hpp"

namespace kagami::motions {
namespace {

constexpr std::size_t kMaxLines = 2u * kMaxPoses;
constexpr int kUnused = 225;                      // channel not used: leave it alone
constexpr int kFirstCode = 221, kLastCode = 226;  // special codes, docs/rcb1.md
constexpr int kMaxCount = 180;                    // degrees

std::string_view trimmed(std::string_view field) {
  constexpr std::string_view kSpace = " \t\"";
  const std::size_t first = field.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return field.substr(first, field.find_last_not_of(kSpace) - first + 1);
}

std::vector<std::string_view> split_fields(std::string_view line) {
  std::vector<std::string_view> fields;
  std::size_t start = 0;
  while (true) {
    const std::size_t comma = line.find(',', start);
    fields.push_back(trimmed(line.substr(start, comma - start)));
    if (comma == std::string_view::npos) break;
    start = comma + 1;
  }
  while (!fields.empty() && fields.back().empty()) fields.pop_back();
  return fields;
}

std::string shown(std::string_view field) {
  std::string text = decode_cp932(field.substr(0, 40)).text;
  return "'" + text + (field.size() > 40 ? "..." : "") + "'";
}

// closes the conversion descriptor on every path
class Converter {
 public:
  Converter() : handle_(iconv_open("UTF-8", "CP932")) {}
  ~Converter() {
    if (is_open()) iconv_close(handle_);
  }
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;
  [[nodiscard]] bool is_open() const { return reinterpret_cast<std::intptr_t>(handle_) != -1; }
  [[nodiscard]] iconv_t handle() const { return handle_; }

 private:
  iconv_t handle_;
};

}  // namespace

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
  std::vector<CsvLine> lines;
  int number = 0;
  while (!bytes.empty()) {
    ++number;
    const std::size_t end = bytes.find_first_of("\r\n");
    const std::string_view line = bytes.substr(0, end);
    CsvLine parsed{number, split_fields(line)};
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

DecodedText decode_cp932(std::string_view bytes) {
  DecodedText result;
  const bool is_ascii = std::all_of(bytes.begin(), bytes.end(),
                                    [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (is_ascii) {
    result.text = bytes;
    return result;
  }
  const Converter converter;
  std::string input(bytes);
  char* in = input.data();
  std::size_t in_left = input.size();
  while (in_left > 0) {
    std::array<char, 256> buffer{};
    char* out = buffer.data();
    std::size_t out_left = buffer.size();
    const std::size_t before = in_left;
    if (converter.is_open()) iconv(converter.handle(), &in, &in_left, &out, &out_left);
    result.text.append(buffer.data(), buffer.size() - out_left);
    if (in_left == before && out_left == buffer.size()) {
      // a byte that starts no character of the code page
      result.text += "\xEF\xBF\xBD";
      result.has_replacements = true;
      ++in;
      --in_left;
    }
  }
  return result;
}

ChannelReader::ChannelReader(const RobotWiring& wiring, Values values)
    : wiring_(wiring), values_(values) {}

std::optional<int> ChannelReader::read_speed(const CsvLine& line, std::size_t field,
                                             Problems& problems) {
  const std::optional<int> speed = whole_number(line.fields[field]);
  if (!speed || *speed < 0 || *speed >= kSpeedCodes) {
    problems.add(place_of(line, field) + " (speed)", shown(line.fields[field]) + ", expected 0..7");
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
    if (const JointWiring* joint = joint_on(channel); joint != nullptr) {
      pose.angle[static_cast<std::size_t>(joint - wiring_.joints.data())] = angle;
    }
  }
  return pose;
}

std::optional<double> ChannelReader::read_channel(const CsvLine& line, std::size_t field,
                                                  int channel, Problems& problems) {
  const std::string name = "channel " + std::to_string(channel);
  const std::string place = place_of(line, field) + " (" + name + ")";
  const std::optional<int> value = whole_number(line.fields[field]);
  if (value == kUnused) return std::nullopt;
  if (value && *value >= kFirstCode && *value <= kLastCode) {
    warn("special code " + std::to_string(*value) + " is not played, the joint stays", place);
    return std::nullopt;
  }
  // absolute tables hold a little more than 0..180; what is far outside is a wrong column
  const int least = values_ == Values::kAbsolute ? -20 : -kMaxCount;
  const int most = values_ == Values::kAbsolute ? 200 : kMaxCount;
  if (!value || *value < least || *value > most) {
    problems.add(place, shown(line.fields[field]) + ", expected a whole number in [" +
                            std::to_string(least) + ", " + std::to_string(most) +
                            "] deg or a code 221..226");
    return std::nullopt;
  }
  const JointWiring* joint = joint_on(channel);
  if (joint == nullptr) {
    if (*value != 0) warn(name + " has no servo on this robot, values skipped", place);
    return std::nullopt;
  }
  const int count = values_ == Values::kAbsolute ? *value : *value + joint->home_deg;
  const int clipped = std::clamp(count, 0, kMaxCount);
  if (clipped != count) {
    warn(joint->joint + ": count " + std::to_string(count) + " clipped to " +
             std::to_string(clipped),
         place);
  }
  return angle_of(*joint, clipped);
}

const JointWiring* ChannelReader::joint_on(int channel) const {
  const auto found = std::find_if(wiring_.joints.begin(), wiring_.joints.end(),
                                  [&](const JointWiring& j) { return j.channel == channel; });
  return found == wiring_.joints.end() ? nullptr : &*found;
}

void ChannelReader::warn(const std::string& cause, const std::string& place) {
  Warning& warning = warnings_[cause];
  if (warning.count++ == 0) warning.first_place = place;
}

std::vector<std::string> ChannelReader::warnings() const {
  std::vector<std::string> texts;
  for (const auto& [cause, warning] : warnings_) {
    texts.push_back(warning.first_place + ": " + cause +
                    (warning.count > 1 ? " (" + std::to_string(warning.count) + " times)" : ""));
  }
  return texts;
}

}  // namespace kagami::motions
