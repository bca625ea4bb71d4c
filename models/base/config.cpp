#include "models/base/config.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"
#include "models/base/text_file.hpp"

namespace kagami {
namespace {

constexpr std::size_t kMaxBytes = 64u << 20;
constexpr std::size_t kMaxNesting = 64;
constexpr std::size_t kMaxShown = 60;  // characters of a wrong value that an error shows

std::string shown(const nlohmann::json& value) {
  std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (text.size() > kMaxShown) text = text.substr(0, kMaxShown) + "...";
  return text;
}

std::string range_text(Range range) {
  std::string text = "[" + number_text(range.min) + ", " + number_text(range.max) + "]";
  if (!range.unit.empty()) text += " " + std::string(range.unit);
  return text;
}

// Finds what the parser accepts silently, before it builds anything: deep nesting, and keys that
// occur twice in one object. (A callback of the parser itself takes quadratic time.)
class HiddenFaults : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool is_too_deep = false;
  std::string duplicate;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return enter(); }
  bool key(string_t& name) override {
    if (!keys_.back().insert(name).second && duplicate.empty()) duplicate = name;
    return true;
  }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;  // the parser reports it
  }

 private:
  bool enter() {
    keys_.emplace_back();
    is_too_deep = keys_.size() > kMaxNesting;
    return !is_too_deep;
  }
  bool leave() {
    keys_.pop_back();
    return true;
  }
  std::vector<std::set<std::string>> keys_;  // of the objects and lists around
};

}  // namespace

ConfigDocument::ConfigDocument(std::unique_ptr<nlohmann::json> json, std::string file)
    : json_(std::move(json)), file_(std::move(file)) {}

ConfigDocument::ConfigDocument(ConfigDocument&&) noexcept = default;
ConfigDocument& ConfigDocument::operator=(ConfigDocument&&) noexcept = default;
ConfigDocument::~ConfigDocument() = default;

ConfigDocument ConfigDocument::parse(std::string_view text, std::string file) {
  if (text.size() > kMaxBytes) {
    throw ConfigError(file + ": " + std::to_string(text.size()) + " bytes, expected at most " +
                      std::to_string(kMaxBytes));
  }
  HiddenFaults faults;
  nlohmann::json::sax_parse(text, &faults);
  if (faults.is_too_deep) {
    throw ConfigError(file + ": nested deeper than " + std::to_string(kMaxNesting) + " levels");
  }
  auto json = std::make_unique<nlohmann::json>();
  try {
    *json = nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& e) {
    const std::string what = e.what();
    const std::size_t start = what.find("parse error");
    throw ConfigError(file + ": " + (start == std::string::npos ? what : what.substr(start)));
  }
  if (!faults.duplicate.empty()) {
    throw ConfigError(file + ": duplicate key '" + faults.duplicate + "' in one object");
  }
  return {std::move(json), std::move(file)};
}

ConfigDocument ConfigDocument::read(const std::filesystem::path& file) {
  return parse(read_text_file(file, kMaxBytes), file.string());
}

ConfigNode ConfigDocument::root() const {
  if (!json_->is_object()) {
    throw ConfigError(file_ + ": " + shown(*json_) + " is not an object, expected { ... }");
  }
  return {*json_, file_, ""};
}

ConfigNode::ConfigNode(const nlohmann::json& value, std::string file, std::string path)
    : value_(&value), file_(std::move(file)), path_(std::move(path)) {}

std::string ConfigNode::where() const {
  return file_ + ": " + (path_.empty() ? "/" : path_);
}

void ConfigNode::fail(std::string_view key, std::string_view problem) const {
  throw ConfigError(file_ + ": " + path_ + "/" + std::string(key) + ": " + std::string(problem));
}

bool ConfigNode::has(std::string_view key) const {
  return value_->contains(key);
}

const nlohmann::json& ConfigNode::at(std::string_view key) const {
  read_.emplace(key);
  const auto found = value_->find(key);
  if (found == value_->end()) fail(key, "is missing");
  return *found;
}

double ConfigNode::checked_number(std::string_view key, const nlohmann::json& value,
                                  Range range) const {
  if (!value.is_number())
    fail(key, shown(value) + " is not a number, expected " + range_text(range));
  const double number = value.get<double>();
  if (!std::isfinite(number) || number < range.min || number > range.max) {
    fail(key, shown(value) + " is outside " + range_text(range));
  }
  return number;
}

double ConfigNode::number(std::string_view key, Range range) const {
  return checked_number(key, at(key), range);
}

double ConfigNode::number_or(std::string_view key, double fallback, Range range) const {
  return has(key) ? number(key, range) : fallback;
}

std::int64_t ConfigNode::integer(std::string_view key, Range range) const {
  const nlohmann::json& value = at(key);
  if (!value.is_number_integer()) {
    fail(key, shown(value) + " is not a whole number, expected " + range_text(range));
  }
  checked_number(key, value, range);
  return value.get<std::int64_t>();
}

std::int64_t ConfigNode::integer_or(std::string_view key, std::int64_t fallback,
                                    Range range) const {
  return has(key) ? integer(key, range) : fallback;
}

bool ConfigNode::boolean(std::string_view key) const {
  const nlohmann::json& value = at(key);
  if (!value.is_boolean()) fail(key, shown(value) + " is not true or false");
  return value.get<bool>();
}

bool ConfigNode::boolean_or(std::string_view key, bool fallback) const {
  return has(key) ? boolean(key) : fallback;
}

std::string ConfigNode::text(std::string_view key) const {
  const nlohmann::json& value = at(key);
  if (!value.is_string()) fail(key, shown(value) + " is not a text");
  return value.get<std::string>();
}

std::string ConfigNode::text_or(std::string_view key, std::string_view fallback) const {
  return has(key) ? text(key) : std::string(fallback);
}

std::string ConfigNode::one_of(std::string_view key,
                               std::span<const std::string_view> names) const {
  const std::string value = text(key);
  std::string expected;
  for (const std::string_view name : names) {
    if (name == value) return value;
    expected += (expected.empty() ? "" : ", ") + std::string(name);
  }
  fail(key, "'" + value + "' is unknown, expected one of: " + expected);
}

std::vector<double> ConfigNode::numbers(std::string_view key, int count, Range range) const {
  const nlohmann::json& value = at(key);
  const std::size_t most = count < 0 ? 100'000u : static_cast<std::size_t>(count);
  if (!value.is_array() || value.size() > most || (count >= 0 && value.size() != most)) {
    fail(key, shown(value) + " is not a list of " + (count < 0 ? "at most " : "") +
                  std::to_string(most) + " numbers");
  }
  std::vector<double> result;
  result.reserve(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    result.push_back(checked_number(std::string(key) + "/" + std::to_string(i), value[i], range));
  }
  return result;
}

std::vector<double> ConfigNode::matrix(std::string_view key, int rows, int columns,
                                       Range range) const {
  const nlohmann::json& value = at(key);
  const auto fits = [](const nlohmann::json& list, int count) {
    return list.is_array() && list.size() == static_cast<std::size_t>(count);
  };
  if (!fits(value, rows)) {
    fail(key, shown(value) + " is not a list of " + std::to_string(rows) + " rows");
  }
  std::vector<double> result;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string row = std::string(key) + "/" + std::to_string(i);
    if (!fits(value[i], columns)) {
      fail(row, shown(value[i]) + " is not a list of " + std::to_string(columns) + " numbers");
    }
    for (std::size_t k = 0; k < value[i].size(); ++k) {
      result.push_back(checked_number(row + "/" + std::to_string(k), value[i][k], range));
    }
  }
  return result;
}

ConfigNode ConfigNode::object(std::string_view key) const {
  const nlohmann::json& value = at(key);
  if (!value.is_object()) fail(key, shown(value) + " is not an object, expected { ... }");
  return {value, file_, path_ + "/" + std::string(key)};
}

std::optional<ConfigNode> ConfigNode::find_object(std::string_view key) const {
  if (!has(key)) return std::nullopt;
  return object(key);
}

std::vector<ConfigNode> ConfigNode::list(std::string_view key) const {
  const nlohmann::json& value = at(key);
  if (!value.is_array()) fail(key, shown(value) + " is not a list");
  std::vector<ConfigNode> nodes;
  nodes.reserve(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string place = std::string(key) + "/" + std::to_string(i);
    if (!value[i].is_object()) fail(place, shown(value[i]) + " is not an object, expected { ... }");
    nodes.emplace_back(value[i], file_, path_ + "/" + place);
  }
  return nodes;
}

std::vector<std::string> ConfigNode::keys() const {
  std::vector<std::string> names;
  for (const auto& item : value_->items()) names.push_back(item.key());
  return names;
}

void ConfigNode::reject_unknown_keys() const {
  std::string unknown;
  for (const auto& item : value_->items()) {
    if (!read_.contains(item.key())) unknown += (unknown.empty() ? "'" : ", '") + item.key() + "'";
  }
  if (unknown.empty()) return;
  std::string expected;
  for (const std::string& key : read_) expected += (expected.empty() ? "" : ", ") + key;
  throw ConfigError(where() + ": unknown key " + unknown + ", expected: " + expected);
}

}  // namespace kagami
