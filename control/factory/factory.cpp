#include "control/factory/factory.hpp"

#include <array>
#include <utility>

#include "control/balance/balance_controller.hpp"
#include "control/pid/pid_controller.hpp"
#include "control/virtual/virtual_loop_controller.hpp"
#include "models/base/config.hpp"
#include "models/base/errors.hpp"

namespace kagami::control {

ControllerFactory::ControllerFactory() {
  add("pid", make_pid_controller);
  add("balance", make_balance_controller);
  add("virtual-loop", make_virtual_loop_controller);
}

void ControllerFactory::add(std::string name, MakeController make) {
  if (name.empty()) throw ConfigError("controller factory: a controller needs a name");
  if (!make)
    throw ConfigError("controller factory: no function creates the controller '" + name + "'");
  if (contains(name)) throw ConfigError("controller factory: '" + name + "' is registered already");
  makers_.emplace(std::move(name), std::move(make));
}

std::vector<std::string> ControllerFactory::names() const {
  std::vector<std::string> names;
  names.reserve(makers_.size());
  for (const auto& [name, make] : makers_) names.push_back(name);
  return names;
}

bool ControllerFactory::contains(std::string_view name) const {
  return makers_.find(name) != makers_.end();
}

std::unique_ptr<Controller> ControllerFactory::make(const ConfigDocument& gains,
                                                    const ControlPlace& place) const {
  const std::string name = controller_of(gains);
  const auto found = makers_.find(name);
  if (found == makers_.end()) {
    std::string known;
    for (const auto& [other, make] : makers_) known += (known.empty() ? "" : ", ") + other;
    gains.root().fail("controller", "'" + name + "' is unknown, expected one of: " + known);
  }
  std::unique_ptr<Controller> made = found->second(gains, place);
  if (!made)
    throw ConfigError("controller factory: the function for '" + name + "' returned no controller");
  return made;
}

std::string controller_of(const ConfigDocument& gains) {
  constexpr std::array<std::string_view, 1> kSchema{"kagami.gains/1"};
  const ConfigNode root = gains.root();
  (void)root.one_of("schema", kSchema);
  return root.text("controller");
}

}  // namespace kagami::control
