/// Controllers by name from a gain set; further ones register themselves here.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "control/core/controller.hpp"
#include "models/base/config_fwd.hpp"

namespace kagami::control {

/// Builds a controller from a gain set whose "controller" is its name. Throws ConfigError naming
/// file, key, value and range; marks or reads every key.
using MakeController = std::function<std::unique_ptr<Controller>(const ConfigDocument& gains,
                                                                 const ControlPlace& place)>;

/// Set-up only. A value: copies are independent.
class ControllerFactory {
 public:
  /// Contains "pid", "balance" and "virtual-loop".
  ControllerFactory();

  /// Throws ConfigError for an empty name, one that is taken, or nothing to call.
  void add(std::string name, MakeController make);
  /// Sorted.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] bool contains(std::string_view name) const;
  /// By the gain set's key "controller". Throws ConfigError that lists the names for an unknown
  /// one, and whatever the controller's own maker throws.
  [[nodiscard]] std::unique_ptr<Controller> make(const ConfigDocument& gains,
                                                 const ControlPlace& place) const;

 private:
  std::map<std::string, MakeController, std::less<>> makers_;
};

/// The gain set's key "controller", of any `kagami.gains/1`. Throws ConfigError.
std::string controller_of(const ConfigDocument& gains);

}  // namespace kagami::control
