#include "motions/file/formats.hpp"

#include <algorithm>
#include <array>

#include "models/base/errors.hpp"
#include "motions/file/channel_table.hpp"
#include "motions/file/hth3.hpp"
#include "motions/file/import_kondo.hpp"
#include "motions/file/motion_json.hpp"
#include "motions/file/text_encoding.hpp"

namespace kagami::motions {
namespace {

struct FormatNames {
  MotionFormat format;
  const char* key;
  const char* name;
};
constexpr std::array<FormatNames, 7> kFormats{{
    {MotionFormat::kKagami, "kagami", "Kagami motion (.json)"},
    {MotionFormat::kHth1, "hth1", "HeartToHeart 1 motion (.csv)"},
    {MotionFormat::kChannelTable, "counts", "table of servo counts (.csv)"},
    {MotionFormat::kJointTable, "csv", "table of joint angles (.csv)"},
    {MotionFormat::kHth3, "hth3", "HeartToHeart3 motion (.RCB)"},
    {MotionFormat::kHth4, "hth4", "HeartToHeart4 motion (.xml)"},
    {MotionFormat::kHth4Project, "h4p", "HeartToHeart4 project (.h4p)"},
}};

/// Files that are often mistaken for motions, by their first bytes.
struct OtherFile {
  std::string_view start;
  const char* name;
};
constexpr std::array<OtherFile, 8> kOthers{{
    {"\x89MCAP", "a record; 'kagami compare' and 'kagami verify' read it"},
    {"PK\x03\x04", "a ZIP file or a spreadsheet; save the table as CSV"},
    {"\xD0\xCF\x11\xE0", "a document of an office program; save the table as CSV"},
    {"%PDF", "a PDF document"},
    {"\x89PNG", "a picture"},
    {"\x7f"
     "ELF",
     "a program"},
    {"\x1f\x8b", "compressed; unpack it first"},
    {"#!", "a script"},
}};

[[noreturn]] void refuse(const std::string& file, const std::string& what) {
  throw ConfigError(file + ": is " + what + "; motions are " +
                    "kagami.motion/1 JSON, CSV, HeartToHeart3 .RCB, HeartToHeart4 .xml and .h4p");
}

std::string_view without_space(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

// the name of an XML document's root
std::string root_of(std::string_view text) {
  while (true) {
    const std::size_t start = text.find('<');
    if (start == std::string_view::npos || start + 1 >= text.size()) return "";
    text.remove_prefix(start + 1);
    if (text.front() != '?' && text.front() != '!') break;
  }
  return std::string(text.substr(0, std::min<std::size_t>(text.find_first_of(" \t\r\n/>"), 40)));
}

MotionFormat recognise_xml(std::string_view text, const std::string& file) {
  const std::string root = root_of(text);
  if (root == "CanvasData" || root == "ArrayOfAnyType") return MotionFormat::kHth4;
  if (root == "Rcb4") return MotionFormat::kHth4Project;
  refuse(file, "an XML file of <" + root + ">");
}

bool has_section(std::string_view text, std::string_view name) {
  return text.starts_with(name) || text.find("\n" + std::string(name)) != std::string_view::npos;
}

// one of the first lines has fields for a board's channels
bool has_channel_lines(std::string_view text) {
  constexpr int kLines = 100;
  for (int i = 0; i < kLines && !text.empty(); ++i) {
    const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
    for (const char separator : {',', ';', '\t'}) {
      if (std::count(line.begin(), line.end(), separator) >= kChannelsPerBoard) return true;
    }
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return false;
}

}  // namespace

const char* format_name(MotionFormat format) {
  return kFormats.at(static_cast<std::size_t>(format)).name;
}

const char* format_key(MotionFormat format) {
  return kFormats.at(static_cast<std::size_t>(format)).key;
}

MotionFormat format_of_key(std::string_view key) {
  std::string keys;
  for (const FormatNames& names : kFormats) {
    if (names.key == key) return names.format;
    keys += (keys.empty() ? "" : ", ") + std::string(names.key);
  }
  throw ConfigError("format '" + std::string(key) + "', expected one of: " + keys);
}

bool needs_map(MotionFormat format) {
  return format == MotionFormat::kHth3 || format == MotionFormat::kHth4 ||
         format == MotionFormat::kHth4Project;
}

MotionFormat recognise(std::string_view text, const std::string& file) {
  for (const OtherFile& other : kOthers) {
    if (text.starts_with(other.start)) refuse(file, other.name);
  }
  const std::string_view start = without_space(text);
  if (start.empty()) throw ConfigError(file + ": is empty, expected a motion");
  if (start.front() == '{') return MotionFormat::kKagami;
  if (start.front() == '<') return recognise_xml(start, file);
  if (has_section(start, "[GraphicalEdit]") || has_section(start, "[TrimData]"))
    return MotionFormat::kHth3;
  if (start.front() == '[') {
    refuse(file, "a text file with the section " +
                     shown_text(start.substr(0, start.find_first_of("\r\n"))));
  }
  if (is_channel_table(start)) return MotionFormat::kChannelTable;
  if (is_joint_table(start)) return MotionFormat::kJointTable;
  if (!has_channel_lines(start)) refuse(file, "another text file");
  return MotionFormat::kHth1;
}

Motion parse_unmapped(std::string_view text, const std::string& file, const RobotWiring& wiring,
                      const ReadOptions& options) {
  using Values = ChannelReader::Values;
  const MotionFormat format = recognise(text, file);
  const bool is_raw = options.map != nullptr;
  const RobotWiring channels = channel_wiring(wiring.speed);
  switch (format) {
    case MotionFormat::kKagami:
      return parse_motion_json(text, file);
    case MotionFormat::kHth1:
      return is_raw ? parse_kondo_csv(text, file, channels, Values::kRaw)
                    : parse_kondo_csv(text, file, wiring);
    case MotionFormat::kChannelTable:
      return is_raw ? parse_channel_table(text, file, channels, options.step, Values::kRaw)
                    : parse_channel_table(text, file, wiring, options.step);
    case MotionFormat::kJointTable:
      return parse_joint_table(text, file, options.unit);
    case MotionFormat::kHth3:
      return parse_hth3(text, file, options.branches);
    case MotionFormat::kHth4:
      return parse_hth4(text, file, options.frame, options.branches);
    case MotionFormat::kHth4Project:
      return parse_hth4_project(text, file, options.entry, options.frame, options.branches);
  }
  throw ConfigError(file + ": unknown format");
}

Motion parse_motion(std::string_view text, const std::string& file, const RobotWiring& wiring,
                    const ReadOptions& options) {
  const MotionFormat format = recognise(text, file);
  Motion motion = parse_unmapped(text, file, wiring, options);
  if (needs_map(format) && options.map == nullptr) {
    throw ConfigError(file + ": is a " + format_name(format) +
                      ", whose channels are another robot's; 'kagami motion convert FILE --map "
                      "MAP' makes a motion of this robot from it");
  }
  const bool has_channels = !motion.joints.empty() && channel_number(motion.joints.front()) >= 0;
  return options.map != nullptr && has_channels ? map_channels(motion, *options.map) : motion;
}

std::string motion_text(const Motion& bound, MotionFormat format, const RobotWiring& wiring,
                        const WriteOptions& options) {
  if (needs_map(format) && options.map == nullptr) {
    throw ConfigError(std::string("a ") + format_name(format) +
                      " has the channels of another robot, name them with --map");
  }
  switch (format) {
    case MotionFormat::kKagami:
      return motion_json_text(bound);
    case MotionFormat::kHth1:
      return kondo_csv_text(bound, wiring);
    case MotionFormat::kChannelTable:
      return channel_table_text(bound, wiring);
    case MotionFormat::kJointTable:
      return joint_table_text(bound);
    case MotionFormat::kHth3:
      return hth3_text(bound, *options.map);
    case MotionFormat::kHth4:
      return hth4_text(bound, *options.map, options.frame);
    case MotionFormat::kHth4Project:
      if (options.project.empty()) {
        throw ConfigError(
            "a HeartToHeart4 project also holds the robot's trims and settings; name the project "
            "that takes the motion with --project, and --entry");
      }
      return hth4_project_text(options.project, options.project_file, options.entry, bound,
                               *options.map, options.frame);
  }
  throw ConfigError("unknown format");
}

}  // namespace kagami::motions
