#include "tools/dashboard/session_list.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMost = 200;
// "2026-11-27_23-31-27-NAME", as new_session names them
constexpr std::size_t kTimeLength = 19;

bool begins_with_a_time(const std::string& name) {
  constexpr std::string_view kForm = "0000-00-00_00-00-00-";
  if (name.size() <= kForm.size()) return false;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool is_digit = name[i] >= '0' && name[i] <= '9';
    if (kForm[i] == '0' ? !is_digit : name[i] != kForm[i]) return false;
  }
  return true;
}

nlohmann::json entry(const fs::path& folder) {
  const std::string name = folder.filename().string();
  std::error_code missing;
  const std::uintmax_t bytes = fs::file_size(folder / "run.mcap", missing);
  nlohmann::json session = {{"name", name},
                            {"path", (folder / "run.mcap").string()},
                            {"report", fs::exists(folder / "report.html", missing)}};
  if (bytes != static_cast<std::uintmax_t>(-1)) session["bytes"] = bytes;
  if (begins_with_a_time(name)) {
    std::string started = name.substr(0, kTimeLength);
    started[10] = ' ';
    started[13] = started[16] = ':';
    session["started"] = started;
    session["motion"] = name.substr(kTimeLength + 1);
  }
  return session;
}

}  // namespace

nlohmann::json session_list(const fs::path& sessions) {
  std::vector<fs::path> folders;
  std::error_code missing;
  for (const fs::directory_entry& e : fs::directory_iterator(sessions, missing)) {
    std::error_code gone;
    if (fs::is_regular_file(e.path() / "run.mcap", gone)) folders.push_back(e.path());
  }
  std::sort(folders.rbegin(), folders.rend());  // their names begin with the time
  if (folders.size() > kMost) folders.resize(kMost);
  nlohmann::json list = nlohmann::json::array();
  for (const fs::path& folder : folders) list.push_back(entry(folder));
  return list;
}

}  // namespace kagami::tools
