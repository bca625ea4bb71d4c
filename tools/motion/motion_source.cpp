#include "tools/motion/motion_source.hpp"

#include <charconv>

#include "models/base/errors.hpp"
#include "models/base/text_file.hpp"
#include "motions/file/library.hpp"
#include "motions/file/motion_json.hpp"
#include "motions/file/text_encoding.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;

std::set<int> numbers_of(const std::vector<std::string>& texts) {
  std::set<int> numbers;
  for (const std::string& text : texts) {
    int number = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 0) {
      throw ConfigError("--branch '" + text + "': expected the number of a comparison, 0 or more");
    }
    numbers.insert(number);
  }
  return numbers;
}

}  // namespace

void add_source_options(Command& command, SourceOptions& options) {
  command.start_group("Source");
  command
      .add_option("--map", options.map,
                  "Which channel moves which joint: khr2hv, khr3hv or a file. Needed for "
                  "HeartToHeart3 and 4.")
      .value("NAME|FILE");
  command
      .add_option("--step", options.step,
                  "Time from row to row of a table of counts without times, s.")
      .value("SECONDS")
      .range(0.001, 600.0);
  command
      .add_option("--unit", options.unit, "Unit of a table of joint angles whose header has none.")
      .one_of({"deg", "rad"});
  command
      .add_option("--entry", options.entry,
                  "Motion of a HeartToHeart4 project: number (M005) or name.")
      .value("NAME");
  command
      .add_option("--branch", options.branches,
                  "Take the branch of this comparison, as if its condition held. May be repeated.")
      .value("NUMBER")
      .repeatable();
  command.add_option("--frame-ms", options.frame_ms, "Length of a frame of HeartToHeart4, ms.")
      .range(1.0, 100.0)
      .with_default();
}

motions::MotionMap read_map(const DataFolders& data, const std::string& name) {
  std::error_code missing;
  const fs::path shipped = data.motions / "maps" / (name + ".json");
  const fs::path file = fs::is_regular_file(shipped, missing) ? shipped : fs::path(name);
  if (!fs::is_regular_file(file, missing)) {
    throw ConfigError("--map '" + name + "': no such map, expected khr2hv, khr3hv or a file");
  }
  return motions::parse_motion_map(read_text_file(file), file.string());
}

motions::ReadOptions read_options(const SourceOptions& options, const motions::MotionMap* map) {
  motions::ReadOptions read;
  read.step = options.step;
  if (!options.unit.empty())
    read.unit = options.unit == "deg" ? motions::AngleUnit::kDegrees : motions::AngleUnit::kRadians;
  read.entry = options.entry;
  read.branches = numbers_of(options.branches);
  read.frame = options.frame_ms * 1e-3;
  read.map = map;
  return read;
}

MotionSource read_source(const fs::path& file, const RobotWiring& wiring,
                         const motions::ReadOptions& options) {
  const std::string text =
      motions::file_text(read_text_file(file, motions::kMaxMotionBytes), file.string());
  MotionSource source;
  source.file = file;
  source.format = motions::recognise(text, file.string());
  source.own = motions::parse_unmapped(text, file.string(), wiring, options);
  const bool has_channels = motions::channel_number(source.own.joints.front()) >= 0;
  source.motion = has_channels && options.map != nullptr
                      ? motions::map_channels(source.own, *options.map)
                      : source.own;
  return source;
}

motions::Motion bound_motion(const DataFolders& data, const std::string& name,
                             const RobotWiring& wiring) {
  return motions::load_motion(find_motion(data, name), wiring);
}

}  // namespace kagami::tools
