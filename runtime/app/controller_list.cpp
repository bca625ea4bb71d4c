#include "runtime/app/controller_list.hpp"

#include <algorithm>
#include <utility>

#include "models/base/config.hpp"
#include "runtime/app/assemble.hpp"

namespace kagami::runtime {
namespace {

std::string key_of(std::string type) {
  std::replace(type.begin(), type.end(), '-', '_');
  return type;
}

}  // namespace

ControllerList::ControllerList(const std::vector<ControllerDescription>& described,
                               const std::vector<std::string>& gains) {
  for (std::size_t k = 0; k < described.size(); ++k) {
    const ConfigDocument set = ConfigDocument::parse(gains[k], "gains");
    all_.push_back({.key = key_for(described[k].name, -1),
                    .gains = set.root().text_or("name", ""),
                    .text = gains[k],
                    .type = described[k].name,
                    .tunables = described[k].tunables,
                    .files = described[k].values});
  }
}

std::vector<std::string> ControllerList::keys() const {
  std::vector<std::string> keys;
  for (const ListedController& c : all_) keys.push_back(c.key);
  return keys;
}

int ControllerList::find(std::string_view name) const {
  for (std::size_t k = 0; k < all_.size(); ++k) {
    if (all_[k].key == name) return static_cast<int>(k);
  }
  for (std::size_t k = 0; k < all_.size(); ++k) {
    if (all_[k].gains == name || all_[k].type == name) return static_cast<int>(k);
  }
  return -1;
}

std::vector<std::string> ControllerList::known_names() const {
  std::vector<std::string> names;
  for (const ListedController& c : all_) {
    for (const std::string& name : {c.key, c.gains, c.type}) {
      const bool is_known = std::find(names.begin(), names.end(), name) != names.end();
      if (!name.empty() && !is_known) names.push_back(name);
    }
  }
  return names;
}

std::string ControllerList::key_for(const std::string& type, int place) const {
  const std::string base = key_of(type);
  std::string key = base;
  const auto is_taken = [&] {
    for (int k = 0; k < size(); ++k) {
      if (k != place && all_[static_cast<std::size_t>(k)].key == key) return true;
    }
    return false;
  };
  for (int k = 2; is_taken(); ++k) key = base + "_" + std::to_string(k);
  return key;
}

std::vector<std::string> ControllerList::value_names() const {
  std::vector<std::string> names;
  for (const ListedController& c : all_) {
    for (const control::Tunable& t : c.tunables) names.push_back(c.key + "/" + t.name);
  }
  return names;
}

std::vector<double> ControllerList::file_values() const {
  std::vector<double> values;
  for (const ListedController& c : all_) {
    values.insert(values.end(), c.files.begin(), c.files.end());
  }
  return values;
}

std::size_t ControllerList::first_value(int place) const {
  std::size_t at = 0;
  for (int k = 0; k < place; ++k) at += all_[static_cast<std::size_t>(k)].tunables.size();
  return at;
}

EventNames ControllerList::event_names(const RunSetup& setup) const {
  EventNames names{.values = value_names(), .motions = {setup.motion.name}};
  for (const motions::Motion& motion : setup.further) names.motions.push_back(motion.name);
  for (const ListedController& c : all_) {
    names.controllers.push_back(c.key + (c.gains.empty() ? "" : " (" + c.gains + ")"));
  }
  return names;
}

void ControllerList::put(int place, ListedController controller) {
  if (place < size()) {
    all_[static_cast<std::size_t>(place)] = std::move(controller);
  } else {
    all_.push_back(std::move(controller));
  }
}

void ControllerList::set_files(int place, std::vector<double> values) {
  all_[static_cast<std::size_t>(place)].files = std::move(values);
}

}  // namespace kagami::runtime
