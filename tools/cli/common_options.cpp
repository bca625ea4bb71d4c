#include "tools/cli/common_options.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "models/base/errors.hpp"
#include "tools/cli/data_folders.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecordName = "run.mcap";  // in a session's folder

fs::path newest_record(const fs::path& sessions) {
  fs::path newest;
  fs::file_time_type newest_time;
  std::error_code unreadable;
  for (const fs::directory_entry& entry : fs::directory_iterator(sessions, unreadable)) {
    const fs::path file = entry.path() / kRecordName;
    const fs::file_time_type time = fs::last_write_time(file, unreadable);
    if (unreadable || (!newest.empty() && time < newest_time)) continue;
    newest = file;
    newest_time = time;
  }
  if (newest.empty()) {
    throw ConfigError("latest: no session with a record in '" + sessions.string() +
                      "'; 'kagami replay MOTION' makes one");
  }
  return newest;
}

/// Levenshtein distance.
std::size_t edits_between(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

std::string with_hint(std::string sentence, const std::string& name,
                      const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(name, candidates);
  if (!nearest.empty()) sentence += ", did you mean '" + nearest + "'?";
  return sentence;
}

}  // namespace

void add_common_options(Command& command, Console& io, const std::string& example_1,
                        const std::string& example_2) {
  command.start_group("General");
  command.add_flag("-q,--quiet", io.quiet, "Print results, warnings and errors only.");
  command.add_flag("-v,--verbose", io.verbose, "Print more details to standard error.");
  command.add_flag("--no-color", io.no_color,
                   "Print without colours. The variable NO_COLOR has the same effect.");
  command.start_group("Options");  // subcommands inherit it
  command.set_examples(example_1, example_2);
}

void add_json_option(Command& command, Console& io) {
  command.add_flag("--json", io.json, "Print one JSON object to standard output.").group("General");
}

void add_record_argument(Command& command, std::string& record) {
  command
      .add_option("record", record,
                  "Record of a run: an .mcap file, the folder of a session, or latest.")
      .value("FILE|DIR|latest")
      .required();
}

std::string record_file(const std::string& name, const Console& io) {
  std::error_code missing;
  if (fs::is_regular_file(name, missing)) return name;
  if (name == "latest") return newest_record(sessions_folder(io)).string();
  const fs::path inside = fs::path(name) / kRecordName;
  if (fs::is_regular_file(inside, missing)) return inside.string();
  if (fs::is_directory(name, missing)) {
    throw ConfigError("folder '" + name + "' has no " + kRecordName +
                      "; expected the folder of a session");
  }
  throw ConfigError("record '" + name +
                    "' does not exist; expected an .mcap file, the folder of a session, or latest");
}

std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates) {
  std::string nearest;
  std::size_t fewest = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t edits = edits_between(name, candidate);
    if (edits < fewest) {
      fewest = edits;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string unknown_name(const Command& app, std::span<const std::string> args) {
  Command command = app;
  for (const std::string& arg : args) {
    const std::vector<std::string> names = command.command_names();
    if (arg.size() > 1 && arg[0] == '-') {
      const std::string name = arg.substr(0, arg.find('='));
      const std::vector<std::string> options = command.option_names();
      const bool is_number = name.find_first_not_of("-.0123456789e") == std::string::npos;
      if (is_number || std::count(options.begin(), options.end(), name) > 0) continue;
      const bool is_bundle = name[1] != '-' && name.size() > 2;  // -qv, or -Q with its value
      if (is_bundle && std::count(options.begin(), options.end(), name.substr(0, 2)) > 0) continue;
      return with_hint("unknown option '" + name + "'", name, options);
    }
    if (names.empty()) continue;
    const std::optional<Command> named = command.find_command(arg);
    if (!named) return with_hint("unknown command '" + arg + "'", arg, names);
    command = *named;
  }
  return "";
}

}  // namespace kagami::tools
