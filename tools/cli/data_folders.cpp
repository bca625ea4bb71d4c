#include "tools/cli/data_folders.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <tuple>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "tools/cli/common_options.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;

std::optional<DataFolders> data_below(const fs::path& folder) {
  std::error_code missing;
  for (const DataFolders& data :
       {DataFolders{folder / "robots", folder / "motions", folder / "gains", {}},
        DataFolders{
            folder / "models/data", folder / "motions/data", folder / "control/data/gains", {}}})
    if (fs::is_directory(data.robots, missing) && fs::is_directory(data.motions, missing))
      return data;
  return std::nullopt;
}

DataFolders named_data(const std::string& folder, const std::string& origin) {
  if (const auto data = data_below(folder)) return *data;
  throw ConfigError(origin + ": '" + folder + "' does not contain the folders robots and motions");
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

/// A name with its first run of digits taken out, so that the robots of a family share it.
struct Numbered {
  std::string before, after;
  long number = -1;  ///< -1: none

  explicit Numbered(const std::string& name) {
    const std::size_t from = name.find_last_of('_') + 1;
    std::size_t to = from;
    while (to < name.size() && std::isdigit(static_cast<unsigned char>(name[to])) != 0) ++to;
    before = name.substr(0, from);
    after = name.substr(to);
    if (to > from && to - from < 9) number = std::stol(name.substr(from, to - from));
  }
  [[nodiscard]] bool is_family_of(const Numbered& other) const {
    return number >= 0 && other.number >= 0 && before == other.before && after == other.after;
  }
  auto key() const { return std::tie(before, after, number); }
};

/// "khr1, chain_1 to chain_12": families of three and more as their first and last.
std::string joined(std::vector<std::string> names) {
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return Numbered(a).key() < Numbered(b).key();
  });
  std::string text;
  for (std::size_t i = 0; i < names.size();) {
    std::size_t end = i + 1;
    while (end < names.size() && Numbered(names[i]).is_family_of(Numbered(names[end]))) ++end;
    if (end - i < 3) end = i + 1;
    text += (text.empty() ? "" : ", ") + names[i];
    if (end - i > 1) text += " to " + names[end - 1];
    i = end;
  }
  return text;
}

bool is_path(const std::string& name) {
  return name.find('/') != std::string::npos || name.find('.') != std::string::npos;
}

DataFolders program_data(const Console& io, const std::string& named) {
  if (!named.empty()) return named_data(named, "--data");
  if (const auto folder = io.environment("KAGAMI_DATA")) return named_data(*folder, "KAGAMI_DATA");
  const fs::path installed = fs::path(io.program()).parent_path() / "../share/kagami";
  if (!io.program().empty())
    if (const auto data = data_below(installed)) return *data;
  if (const auto data = data_below(KAGAMI_SOURCE_TREE)) return *data;
  throw ConfigError("no robots and motions found in '" + installed.lexically_normal().string() +
                    "' nor in '" KAGAMI_SOURCE_TREE "'; name a folder with --data or KAGAMI_DATA");
}

}  // namespace

DataFolders find_data(const Console& io, const std::string& named) {
  DataFolders data = program_data(io, named);
  data.saved_gains = sessions_folder(io).parent_path() / "gains";
  return data;
}

fs::path find_robot(const DataFolders& data, const std::string& name) {
  std::error_code missing;
  if (is_path(name)) {
    if (fs::is_directory(name, missing)) return name;
    throw ConfigError("robot folder '" + name + "' does not exist");
  }
  if (fs::is_directory(data.robots / name, missing)) return data.robots / name;
  if (fs::is_directory(name, missing)) return name;
  std::vector<std::string> shipped = names_in(data.robots, "");
  std::erase(shipped, "scenes");  // scenarios, which lie beside the robots they use
  const std::string nearest = nearest_name(name, shipped);
  throw ConfigError("unknown robot '" + name + "', shipped: " + joined(shipped) +
                    (nearest.empty() ? "" : "; did you mean '" + nearest + "'?") +
                    "; or name a folder");
}

fs::path find_motion(const DataFolders& data, const std::string& name) {
  std::error_code missing;
  const fs::path shipped = data.motions / (name + ".json");
  if (!is_path(name) && fs::is_regular_file(shipped, missing)) return shipped;
  if (fs::is_regular_file(name, missing)) return name;
  if (is_path(name)) throw ConfigError("motion file '" + name + "' does not exist");
  const std::string nearest = nearest_name(name, shipped_motions(data));
  throw ConfigError("unknown motion '" + name + "'" +
                    (nearest.empty() ? "" : ", did you mean '" + nearest + "'?") +
                    "; 'kagami motion list' shows what is shipped, a file is named by its path");
}

namespace {

/// What a shipped gain set is for.
struct ShippedGains {
  std::string name;
  std::string controller;
  std::string robot;           // empty: any
  bool on_floor_only = false;  // of a virtual loop: on the floor, not on the stand
};

std::vector<ShippedGains> shipped_gains(const DataFolders& data) {
  std::vector<ShippedGains> sets;
  for (const std::string& name : names_in(data.gains, ".json")) {
    const ConfigDocument set = ConfigDocument::read(data.gains / (name + ".json"));
    sets.push_back({name, set.root().text("controller"), set.root().text_or("robot", ""),
                    set.root().has("stands_on")});
  }
  return sets;
}

// "awa_2009 (pid), khr1_balance (balance, khr1)"
std::string list_of(const std::vector<ShippedGains>& sets) {
  std::string text;
  for (const ShippedGains& set : sets) {
    text += (text.empty() ? "" : ", ") + set.name + " (" + set.controller +
            (set.robot.empty() ? "" : ", " + set.robot) + ")";
  }
  return text.empty() ? "none" : text;
}

}  // namespace

fs::path find_gains(const DataFolders& data, const std::string& name) {
  std::error_code missing;
  const fs::path shipped = data.gains / (name + ".json");
  if (!is_path(name) && fs::is_regular_file(shipped, missing)) return shipped;
  if (fs::is_regular_file(name, missing)) return name;
  for (const fs::path& saved : {fs::path(name + ".json"), data.saved_gains / (name + ".json")})
    if (!is_path(name) && fs::is_regular_file(saved, missing)) return saved;
  if (is_path(name)) throw ConfigError("gain set file '" + name + "' does not exist");
  throw ConfigError("unknown gain set '" + name + "', shipped: " + list_of(shipped_gains(data)) +
                    "; a file is named by its path");
}

fs::path default_gains(const DataFolders& data, const std::string& controller,
                       const std::string& robot, bool on_floor) {
  const std::vector<ShippedGains> sets = shipped_gains(data);
  for (const std::string& wanted : {robot, std::string()}) {
    for (const ShippedGains& set : sets) {
      const bool fits = controller != "virtual-loop" || set.on_floor_only == on_floor;
      if (set.controller == controller && set.robot == wanted && fits) {
        return data.gains / (set.name + ".json");
      }
    }
  }
  throw ConfigError("--controller '" + controller + "': no gain set of it is shipped for '" +
                    robot + "', expected one of: " + list_of(sets) + "; or a file with --gains");
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
