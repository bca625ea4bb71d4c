#include "tools/cli/data_folders.hpp"

#include <algorithm>
#include <optional>

#include "models/base/errors.hpp"
#include "tools/cli/words.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;

std::optional<DataFolders> data_below(const fs::path& folder) {
  std::error_code missing;
  for (const DataFolders& data : {DataFolders{folder / "robots", folder / "motions"},
                                  DataFolders{folder / "models/data", folder / "motions/data"}})
    if (fs::is_directory(data.robots, missing) && fs::is_directory(data.motions, missing))
      return data;
  return std::nullopt;
}

DataFolders named_data(const std::string& folder, const std::string& origin) {
  if (const auto data = data_below(folder)) return *data;
  throw ConfigError(origin + ": '" + folder + "' holds no folders robots and motions");
}

/// Names of what lies in `folder`, sorted: folders, or files that end in `extension`.
std::vector<std::string> names_in(const fs::path& folder, const std::string& extension) {
  std::vector<std::string> names;
  std::error_code unreadable;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, unreadable)) {
    const bool counts =
        extension.empty() ? entry.is_directory() : entry.path().extension() == extension;
    if (counts) names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

bool is_path(const std::string& name) {
  return name.find('/') != std::string::npos || name.find('.') != std::string::npos;
}

}  // namespace

DataFolders find_data(const Console& io, const std::string& named) {
  if (!named.empty()) return named_data(named, "--data");
  if (const auto folder = io.environment("KAGAMI_DATA")) return named_data(*folder, "KAGAMI_DATA");
  const fs::path installed = fs::path(io.program()).parent_path() / "../share/kagami";
  if (!io.program().empty())
    if (const auto data = data_below(installed)) return *data;
  if (const auto data = data_below(KAGAMI_SOURCE_TREE)) return *data;
  throw ConfigError("no robots and motions found in '" + installed.lexically_normal().string() +
                    "' nor in '" KAGAMI_SOURCE_TREE "'; name a folder with --data or KAGAMI_DATA");
}

fs::path find_robot(const DataFolders& data, const std::string& name) {
  std::error_code missing;
  if (is_path(name)) {
    if (fs::is_directory(name, missing)) return name;
    throw ConfigError("robot folder '" + name + "' does not exist");
  }
  if (fs::is_directory(data.robots / name, missing)) return data.robots / name;
  if (fs::is_directory(name, missing)) return name;
  throw ConfigError("unknown robot '" + name + "', shipped: " + joined(names_in(data.robots, "")) +
                    "; or name a folder");
}

fs::path find_motion(const DataFolders& data, const std::string& name) {
  std::error_code missing;
  const fs::path shipped = data.motions / (name + ".json");
  if (!is_path(name) && fs::is_regular_file(shipped, missing)) return shipped;
  if (fs::is_regular_file(name, missing)) return name;
  if (is_path(name)) throw ConfigError("motion file '" + name + "' does not exist");
  const std::string nearest = nearest_word(name, shipped_motions(data));
  throw ConfigError("unknown motion '" + name + "'" +
                    (nearest.empty() ? "" : ", did you mean '" + nearest + "'?") +
                    "; 'kagami motion list' shows what is shipped, a file is named by its path");
}

std::vector<std::string> shipped_motions(const DataFolders& data) {
  return names_in(data.motions, ".json");
}

fs::path sessions_folder(const Console& io) {
  if (const auto data = io.environment("XDG_DATA_HOME"); data && !data->empty())
    return fs::path(*data) / "kagami/sessions";
  if (const auto home = io.environment("HOME"); home && !home->empty())
    return fs::path(*home) / ".local/share/kagami/sessions";
  return "kagami-sessions";
}

}  // namespace kagami::tools
