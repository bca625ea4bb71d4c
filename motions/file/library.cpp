#include "motions/file/library.hpp"

#include <algorithm>

#include "models/base/errors.hpp"
#include "models/base/text_file.hpp"
#include "motions/file/bind.hpp"
#include "motions/file/motion_json.hpp"
#include "motions/file/text_encoding.hpp"

namespace kagami::motions {
namespace {

namespace fs = std::filesystem;

std::string lower_extension(const fs::path& file) {
  std::string extension = file.extension().string();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return extension;
}

std::vector<fs::path> json_files(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    if (lower_extension(entry.path()) == ".json") files.push_back(entry.path());
  }
  if (error) {
    throw ConfigError(directory.string() +
                      ": cannot be listed as a directory of motions: " + error.message());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Motion read_motion(const fs::path& file, const RobotWiring& wiring, const ReadOptions& options) {
  const std::string text = file_text(read_text_file(file, kMaxMotionBytes), file.string());
  return parse_motion(text, file.string(), wiring, options);
}

Motion load_motion(const fs::path& file, const RobotWiring& wiring) {
  return bind_motion(read_motion(file, wiring), wiring);
}

std::vector<MotionEntry> list_motions(const fs::path& directory, const RobotWiring& wiring) {
  std::vector<MotionEntry> entries;
  for (const fs::path& file : json_files(directory)) {
    MotionEntry entry;
    entry.name = file.stem().string();
    entry.file = file;
    try {
      const Motion motion = read_motion(file, wiring);
      entry.note = motion.note;
      entry.num_poses = static_cast<int>(motion.poses.size());
      entry.has_speed_codes = motion.has_speed_codes();
      entry.duration = bind_motion(motion, wiring).duration();
    } catch (const ConfigError& problem) {
      entry.problem = problem.what();
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace kagami::motions
