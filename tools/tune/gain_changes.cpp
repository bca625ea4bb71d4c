#include "tools/tune/gain_changes.hpp"

#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "control/factory/factory.hpp"
#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/number_text.hpp"

namespace kagami::tools {
namespace {

struct IndexedChange {
  int index = 0;
  double value = 0.0;
};

bool begins_with(std::string_view text, std::string_view with) {
  return text.substr(0, with.size()) == with;
}

// the tunables that a name means: one, or one of every joint
std::vector<IndexedChange> indexed_changes(const control::Controller& controller,
                                           const control::TunableValue& change) {
  std::vector<IndexedChange> found;
  std::vector<std::string> names;
  const std::string_view kAll = "all/";
  const bool all = begins_with(change.name, kAll);
  const std::string_view gain = std::string_view(change.name).substr(all ? kAll.size() - 1 : 0);
  for (std::size_t i = 0; i < controller.tunables().size(); ++i) {
    const control::Tunable& t = controller.tunables()[i];
    names.push_back(t.name);
    const bool meant = all ? t.name.size() > gain.size() &&
                                 t.name.compare(t.name.size() - gain.size(), gain.size(), gain) == 0
                           : t.name == change.name;
    if (!meant) continue;
    if (const std::string expected = expected_instead(t, change.value); !expected.empty()) {
      throw ConfigError(t.name + ": " + number_text(change.value) + " is refused, expected " +
                        expected);
    }
    found.push_back({static_cast<int>(i), change.value});
  }
  if (found.empty()) {
    const std::string such = names.empty() ? "none: it has no parameters" : names.front();
    throw ConfigError("no gain '" + change.name + "'; expected JOINT/GAIN or all/GAIN of the " +
                      std::string(controller.name()) + " controller, such as " + such);
  }
  return found;
}

// gains that bound each other (kd by filter_time) may have to go in the other order; all or none
void apply_all(control::Controller& controller, const std::vector<IndexedChange>& all) {
  constexpr int kRounds = 2;
  std::vector<IndexedChange> before;
  for (const IndexedChange& one : all) before.push_back({one.index, controller.tunable(one.index)});
  const IndexedChange* refused = nullptr;
  for (int round = 0; round < kRounds; ++round) {
    refused = nullptr;
    for (const IndexedChange& one : all) {
      if (!controller.set_tunable(one.index, one.value)) refused = &one;
    }
    if (refused == nullptr) return;
  }
  for (int round = 0; round < kRounds; ++round) {
    for (const IndexedChange& one : before) {
      static_cast<void>(controller.set_tunable(one.index, one.value));
    }
  }
  throw ConfigError(controller.tunables()[static_cast<std::size_t>(refused->index)].name + ": " +
                    number_text(refused->value) +
                    " is not compatible with the other gains; expected " +
                    "kd < 1 + 2 filter_time / period");
}

}  // namespace

control::TunableValue gain_change_of(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view number = equals == std::string_view::npos ? "" : text.substr(equals + 1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (equals == 0 || error != std::errc() || end != number.data() + number.size() ||
      !std::isfinite(value)) {
    throw ConfigError("'" + std::string(text) +
                      "': expected JOINT/GAIN=NUMBER, such as "
                      "left_knee/kp=4.2");
  }
  std::string_view name = text.substr(0, equals);
  if (begins_with(name, "pid/")) name.remove_prefix(4);
  return {std::string(name), value};
}

void apply_gains(control::Controller& controller, std::span<const control::TunableValue> changes) {
  std::vector<IndexedChange> all;
  for (const control::TunableValue& change : changes) {
    for (const IndexedChange& one : indexed_changes(controller, change)) all.push_back(one);
  }
  apply_all(controller, all);
}

std::vector<control::TunableValue> gains_of(const control::Controller& controller) {
  std::vector<control::TunableValue> gains;
  for (std::size_t i = 0; i < controller.tunables().size(); ++i) {
    gains.push_back({controller.tunables()[i].name, controller.tunable(static_cast<int>(i))});
  }
  return gains;
}

std::vector<control::TunableValue> gains_of(const control::Controller& controller,
                                            std::string_view joint) {
  std::vector<control::TunableValue> own;
  const std::string head = std::string(joint) + "/";
  for (control::TunableValue& gain : gains_of(controller)) {
    if (begins_with(gain.name, head)) own.push_back(std::move(gain));
  }
  return own;
}

std::string gain_set_text(const std::string& base, std::span<const control::TunableValue> gains,
                          const std::string& name, const std::string& note) {
  const ConfigDocument document = ConfigDocument::parse(base, "gains");
  if (const std::string controller = control::controller_of(document); controller != "pid") {
    throw ConfigError("gains: the set is for '" + controller + "', expected one for 'pid'");
  }
  nlohmann::json set = document.json();
  set["name"] = name;
  set["note"] = note;
  std::map<std::string, nlohmann::json> joints;
  for (const control::TunableValue& gain : gains) {
    const std::size_t slash = gain.name.find('/');
    if (slash == std::string::npos)
      throw ConfigError("gains: '" + gain.name + "' does not name a joint");
    joints[gain.name.substr(0, slash)][gain.name.substr(slash + 1)] = gain.value;
  }
  for (auto& [joint, values] : joints) {
    for (const char* key : {"kp", "ki", "kd"}) {
      if (!values.contains(key)) throw ConfigError("gains: joint " + joint + " has no " + key);
    }
    nlohmann::json& own = set["joints"][joint];
    if (!own.is_object()) own = nlohmann::json::object();
    for (const char* key : {"ti", "td"}) own.erase(key);
    own["form"] = "parallel";
    own.update(values);
  }
  return set.dump(1) + "\n";
}

}  // namespace kagami::tools
