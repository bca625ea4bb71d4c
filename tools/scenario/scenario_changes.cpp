#include "tools/scenario/scenario_changes.hpp"

#include <nlohmann/json.hpp>
#include <optional>

#include "models/base/errors.hpp"

namespace kagami::tools {
namespace {

constexpr std::size_t kMaxDepth = 32;

// the names in a pointer, "~1" and "~0" read as "/" and "~"
std::vector<std::string> names_of(const std::string& pointer) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      names.emplace_back();
    } else if (pointer[i] == '~') {
      names.back() += pointer[++i] == '1' ? '/' : '~';
    } else {
      names.back() += pointer[i];
    }
  }
  return names;
}

// the element of a list that `name` is the number of
std::optional<std::size_t> element(const std::string& name, std::size_t size) {
  const bool is_number = !name.empty() && name.size() < 10 &&
                         name.find_first_not_of("0123456789") == std::string::npos &&
                         (name == "0" || name.front() != '0');
  if (!is_number || std::stoul(name) >= size) return std::nullopt;
  return std::stoul(name);
}

void apply_change(nlohmann::json& root, const ScenarioChange& change, const std::string& file) {
  nlohmann::json* place = &root;
  std::string where;
  const auto fail = [&](const std::string& problem) {
    throw ConfigError(file + ": " + change.at + ": " + problem);
  };
  for (const std::string& name : names_of(change.at)) {
    if (place->is_array()) {
      const auto index = element(name, place->size());
      if (!index)
        fail(where + " has " + std::to_string(place->size()) +
             " elements, counted from 0: none is '" + name + "'");
      place = &(*place)[*index];
    } else if (place->is_object() || place->is_null()) {
      place = &(*place)[name];
    } else {
      fail(where + " is " + place->dump().substr(0, 60) + ", expected an object or a list for '" +
           name + "'");
    }
    where += "/" + name;
  }
  *place = nlohmann::json::parse(change.value);
}

}  // namespace

std::string pointer_error(const std::string& pointer) {
  if (pointer.size() < 2 || pointer.front() != '/')
    return "expected a place in the file that begins with '/', as /surface/mu_static";
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    const bool is_escape =
        i + 1 < pointer.size() && (pointer[i + 1] == '0' || pointer[i + 1] == '1');
    if (pointer[i] == '~' && !is_escape) return "expected ~0 for '~' and ~1 for '/' in a name";
    if (static_cast<unsigned char>(pointer[i]) < 0x20) return "contains a control character";
  }
  if (names_of(pointer).size() > kMaxDepth)
    return "expected at most " + std::to_string(kMaxDepth) + " names";
  return "";
}

ScenarioChange change_of(const std::string& text) {
  const std::size_t end = text.find('=');
  if (end == std::string::npos)
    throw ConfigError("--set '" + text + "': expected PLACE=VALUE, as /surface/mu_static=0.3");
  ScenarioChange change{text.substr(0, end), text.substr(end + 1)};
  if (const std::string error = pointer_error(change.at); !error.empty())
    throw ConfigError("--set '" + text + "': " + error);
  if (!nlohmann::json::accept(change.value)) {
    try {
      change.value = nlohmann::json(change.value).dump();
    } catch (const nlohmann::json::exception&) {
      throw ConfigError("--set '" + change.at + "': the value is no UTF-8 text");
    }
  }
  return change;
}

std::string change_text(const ScenarioChange& change) {
  return change.at + "=" + change.value;
}

ConfigDocument with_changes(const nlohmann::json& scenario, const std::string& file,
                            const std::vector<ScenarioChange>& changes) {
  nlohmann::json json = scenario;
  for (const ScenarioChange& change : changes) apply_change(json, change, file);
  return ConfigDocument::parse(json.dump(), file);
}

ConfigDocument read_changed(const std::filesystem::path& file,
                            const std::vector<ScenarioChange>& changes) {
  ConfigDocument document = ConfigDocument::read(file);
  if (changes.empty()) return document;
  return with_changes(document.json(), file.string(), changes);
}

}  // namespace kagami::tools
