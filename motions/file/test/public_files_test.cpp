// The motion files that other people published, read where they lie: in the folder that
// KAGAMI_PUBLIC_MOTIONS names, else in shared/motions-public beside the checkout. Without them the
// test is skipped. docs/public_motions.md has the table of what becomes of each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/text_file.hpp"
#include "models/base/wiring.hpp"
#include "motions/file/formats.hpp"
#include "motions/file/text_encoding.hpp"

namespace kagami::motions {
namespace {

namespace fs = std::filesystem;

fs::path public_folder() {
  const char* named = std::getenv("KAGAMI_PUBLIC_MOTIONS");
  return named != nullptr ? fs::path(named)
                          : fs::path(KAGAMI_SOURCE_DIR).parent_path() / "shared/motions-public";
}

/// "file: 13 poses" or "file: refused", as the table says it.
std::string outcome_of(const fs::path& file, const RobotWiring& wiring) {
  const std::string folder = std::string(KAGAMI_SOURCE_DIR) + "/motions/data/maps/";
  const std::string text = file_text(read_text_file(file), file.filename().string());
  const std::string name = file.parent_path().filename().string() + "/" + file.filename().string();
  try {
    const MotionFormat format = recognise(text, name);
    MotionMap map;
    ReadOptions options;
    options.step = 0.1;
    if (needs_map(format)) {
      const std::string map_file =
          folder + (format == MotionFormat::kHth3 ? "khr2hv.json" : "khr3hv.json");
      map = parse_motion_map(read_text_file(map_file), map_file);
      options.map = &map;
    }
    if (format == MotionFormat::kHth4Project) {
      const auto entries = list_hth4_project(text, name);
      for (const ProjectEntry& entry : entries) {
        options.entry = entry.key;
        parse_motion(text, name, wiring, options);
      }
      return name + ": " + std::to_string(entries.size()) + " motions";
    }
    const Motion motion = parse_motion(text, name, wiring, options);
    return name + ": " + std::to_string(motion.poses.size()) + " poses";
  } catch (const ConfigError& error) {
    const std::string why = error.what();
    EXPECT_EQ(std::count(why.begin(), why.end(), '\n'), 0) << why;
    return name + ": refused";
  }
}

// rows "| `folder/file` | 13 poses | ..." of the document
std::set<std::string> table_of_the_document() {
  std::istringstream in(read_text_file(KAGAMI_SOURCE_DIR "/docs/public_motions.md"));
  std::set<std::string> rows;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("| `")) continue;
    const std::size_t end = line.find("` | ");
    if (end == std::string::npos || line.substr(3, end - 3).find('/') == std::string::npos)
      continue;
    const std::string result = line.substr(end + 4);
    rows.insert(line.substr(3, end - 3) + ": " + result.substr(0, result.find(" |")));
  }
  return rows;
}

TEST(PublicFiles, EveryOneIsReadOrRefusedAsTheDocumentSays) {
  std::error_code missing;
  if (!fs::is_directory(public_folder(), missing))
    GTEST_SKIP() << "the public motion files are not here, expected in " << public_folder();
  const ConfigDocument robot =
      ConfigDocument::read(KAGAMI_SOURCE_DIR "/models/data/khr1/robot.json");
  const RobotWiring wiring = read_wiring(robot.root());
  std::set<std::string> found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(public_folder())) {
    if (entry.is_regular_file() && entry.path().extension() != ".md")
      found.insert(outcome_of(entry.path(), wiring));
  }
  const std::set<std::string> rows = table_of_the_document();
  for (const std::string& outcome : found) EXPECT_TRUE(rows.contains(outcome)) << outcome;
  for (const std::string& row : rows) EXPECT_TRUE(found.contains(row)) << row;
}

}  // namespace
}  // namespace kagami::motions
