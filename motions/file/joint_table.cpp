#include "motions/file/joint_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>
#include <vector>

#include "models/base/angle.hpp"
#include "models/base/number_text.hpp"
#include "models/base/types.hpp"
#include "motions/file/csv.hpp"
#include "motions/file/text_encoding.hpp"

namespace kagami::motions {
namespace {

constexpr double kLongestStep = 600.0;  // s
constexpr double kFurthest = 360.0;     // deg

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

// s per unit of the time column; 0: it is not one
double time_unit(std::string_view name) {
  const std::string text = lower(name);
  for (const char* seconds : {"time_s", "time", "t", "t_s", "time [s]", "time (s)", "t [s]"}) {
    if (text == seconds) return 1.0;
  }
  for (const char* milliseconds : {"time_ms", "t_ms", "time [ms]", "time (ms)"}) {
    if (text == milliseconds) return 1e-3;
  }
  return 0.0;
}

/// A column: the joint and its unit as far as the header says it.
struct Column {
  std::string joint;
  std::optional<AngleUnit> unit;
};

Column column_of(std::string_view name) {
  struct Suffix {
    std::string_view text;
    AngleUnit unit;
  };
  static constexpr std::array<Suffix, 10> kSuffixes{{{"_deg", AngleUnit::kDegrees},
                                                     {" [deg]", AngleUnit::kDegrees},
                                                     {" (deg)", AngleUnit::kDegrees},
                                                     {"[deg]", AngleUnit::kDegrees},
                                                     {"(deg)", AngleUnit::kDegrees},
                                                     {"_rad", AngleUnit::kRadians},
                                                     {" [rad]", AngleUnit::kRadians},
                                                     {" (rad)", AngleUnit::kRadians},
                                                     {"[rad]", AngleUnit::kRadians},
                                                     {"(rad)", AngleUnit::kRadians}}};
  for (const Suffix& suffix : kSuffixes) {
    if (!name.ends_with(suffix.text)) continue;
    name.remove_suffix(suffix.text.size());
    return {decode_text(name).text, suffix.unit};
  }
  return {decode_text(name).text, std::nullopt};
}

bool is_comment(const CsvLine& line) {
  return line.fields[0].starts_with('#');
}

// "# unit: deg" in one of the comments
std::optional<AngleUnit> unit_of(const CsvLine& comment) {
  const std::string text = lower(comment.fields[0]);
  if (text.find("unit") == std::string::npos) return std::nullopt;
  if (text.find("deg") != std::string::npos) return AngleUnit::kDegrees;
  if (text.find("rad") != std::string::npos) return AngleUnit::kRadians;
  return std::nullopt;
}

std::optional<double> number_in(std::string_view field) {
  std::array<char, 64> text{};
  if (field.empty() || field.size() >= text.size()) return std::nullopt;
  if (field.starts_with('+')) field.remove_prefix(1);
  std::replace_copy(field.begin(), field.end(), text.begin(), ',', '.');
  double value = 0.0;
  const char* end = text.data() + field.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || last != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

class JointTableReader {
 public:
  JointTableReader(std::string_view bytes, const std::string& file)
      : lines_(split_csv(bytes, file)), problems_(file) {
    motion_.file = file;
    motion_.name = std::filesystem::path(file).stem().string();
  }

  Motion read(std::optional<AngleUnit> unit) {
    std::size_t row = 0;
    for (; row < lines_.size() && is_comment(lines_[row]); ++row) {
      if (!unit) unit = unit_of(lines_[row]);
    }
    if (row == lines_.size()) problems_.add("line 1", "the file is empty, expected a header");
    problems_.throw_if_any();
    read_header(lines_[row], unit);
    problems_.throw_if_any();
    for (++row; row < lines_.size() && !problems_.is_hopeless(); ++row) {
      if (!is_comment(lines_[row])) read_row(lines_[row]);
    }
    if (motion_.poses.empty())
      problems_.add("poses", "the motion is empty, expected 1 or more rows");
    if (motion_.poses.size() > kMaxPoses) {
      problems_.add("poses", std::to_string(motion_.poses.size()) + " poses, expected at most " +
                                 std::to_string(kMaxPoses));
    }
    problems_.throw_if_any();
    return std::move(motion_);
  }

 private:
  void read_header(const CsvLine& header, std::optional<AngleUnit> unit) {
    time_unit_ = time_unit(header.fields[0]);
    if (time_unit_ == 0.0) {
      problems_.add(place_of(header, 0), shown_text(header.fields[0]) +
                                             ", expected a column of time: time_s or time_ms");
    }
    std::set<std::string> seen;
    if (header.fields.size() < 2 || header.fields.size() > kMaxJoints + 1) {
      problems_.add("line " + std::to_string(header.number),
                    std::to_string(header.fields.size() - 1) + " joints, expected 1.." +
                        std::to_string(kMaxJoints));
    }
    for (std::size_t i = 1; i < header.fields.size(); ++i) {
      Column column = column_of(header.fields[i]);
      if (!column.unit) column.unit = unit;
      if (!column.unit) {
        problems_.add(place_of(header, i),
                      shown_text(header.fields[i]) +
                          " has no unit, expected _deg or _rad at its end, or --unit deg|rad");
      }
      if (!seen.insert(column.joint).second)
        problems_.add(place_of(header, i), "joint " + shown_text(column.joint) + " is there twice");
      is_radians_.push_back(column.unit == AngleUnit::kRadians);
      motion_.joints.push_back(std::move(column.joint));
    }
  }

  void read_row(const CsvLine& line) {
    if (line.fields.size() > motion_.joints.size() + 1) {
      problems_.add("line " + std::to_string(line.number),
                    std::to_string(line.fields.size()) + " fields, expected " +
                        std::to_string(motion_.joints.size() + 1) +
                        "; decimal commas need ';' between the fields");
      return;
    }
    const std::optional<double> time = number_in(line.fields[0]);
    if (!time) {
      problems_.add(place_of(line, 0), shown_text(line.fields[0]) + ", expected the time");
      return;
    }
    const double at = *time * time_unit_;
    Pose pose;
    pose.duration = at - last_time_;
    const bool is_first = motion_.poses.empty();
    if (!(pose.duration <= kLongestStep) || pose.duration < 0.0 ||
        (!is_first && pose.duration == 0.0)) {
      problems_.add(place_of(line, 0), "time " + shown_text(line.fields[0]) +
                                           ", expected later than the row before by at most 600 s");
    }
    last_time_ = at;
    for (std::size_t j = 0; j < motion_.joints.size(); ++j) {
      const bool is_given = j + 1 < line.fields.size() && !line.fields[j + 1].empty();
      pose.angle.push_back(is_given ? angle_in(line, j) : std::nullopt);
    }
    if (motion_.poses.size() == 1 && motion_.poses[0].duration == 0.0)
      motion_.poses[0].duration = pose.duration;
    motion_.poses.push_back(std::move(pose));
  }

  std::optional<double> angle_in(const CsvLine& line, std::size_t j) {
    const std::optional<double> value = number_in(line.fields[j + 1]);
    const double most = is_radians_[j] ? to_rad(kFurthest) : kFurthest;
    if (!value || std::abs(*value) > most) {
      problems_.add(place_of(line, j + 1) + " (" + motion_.joints[j] + ")",
                    shown_text(line.fields[j + 1]) + ", expected an angle in [-" +
                        number_text(is_radians_[j] ? std::round(most * 1e3) / 1e3 : most) + ", " +
                        number_text(is_radians_[j] ? std::round(most * 1e3) / 1e3 : most) + "] " +
                        (is_radians_[j] ? "rad" : "deg"));
      return std::nullopt;
    }
    return is_radians_[j] ? *value : to_rad(*value);
  }

  std::vector<CsvLine> lines_;
  Problems problems_;
  Motion motion_;
  double time_unit_ = 1.0;
  double last_time_ = 0.0;
  std::vector<bool> is_radians_;
};

}  // namespace

bool is_joint_table(std::string_view bytes) {
  const char separator = separator_of(bytes);
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find_first_of("\r\n"), bytes.size());
    std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    if (line.empty() || line.starts_with('#')) continue;
    line = line.substr(0, line.find(separator));
    while (!line.empty() && (line.front() == '"' || line.front() == ' ')) line.remove_prefix(1);
    while (!line.empty() && (line.back() == '"' || line.back() == ' ')) line.remove_suffix(1);
    return time_unit(line) != 0.0;
  }
  return false;
}

Motion parse_joint_table(std::string_view bytes, const std::string& file,
                         std::optional<AngleUnit> unit) {
  return JointTableReader(bytes, file).read(unit);
}

std::string joint_table_text(const Motion& motion) {
  std::string text = "time_s";
  for (const std::string& joint : motion.joints) text += "," + joint + "_deg";
  text += "\n";
  double at = 0.0;
  for (const Pose& pose : motion.poses) {
    at += pose.duration;
    text += number_text(std::round(at * 1e9) / 1e9);
    for (const std::optional<double>& angle : pose.angle)
      text += "," + (angle ? number_text(to_deg(*angle)) : std::string());
    text += "\n";
  }
  return text;
}

}  // namespace kagami::motions
