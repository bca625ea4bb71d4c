/// The controllers of a run by name, and their tunable values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "control/core/controller.hpp"
#include "runtime/channels/event.hpp"
#include "runtime/cycle/controller_instance.hpp"

namespace kagami::runtime {

struct RunSetup;

struct ListedController {
  std::string key;    ///< "pid", "virtual_loop", "pid_2": before its tunables' names
  std::string gains;  ///< name of its gain set
  std::string text;   ///< of its gain set
  std::string type;   ///< name in the factory
  std::vector<control::Tunable> tunables;
  std::vector<double> files;  ///< values of the gain file, or as saved last
};

/// In the order of the cycle's. Values and names of all follow each other in this order.
class ControllerList {
 public:
  /// Those of a run's set-up; `gains`: the texts of their sets.
  ControllerList() = default;
  ControllerList(const std::vector<ControllerDescription>& described,
                 const std::vector<std::string>& gains);

  [[nodiscard]] const std::vector<ListedController>& all() const noexcept { return all_; }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(all_.size()); }
  [[nodiscard]] std::vector<std::string> keys() const;
  /// -1: none of this key, gain set or type.
  [[nodiscard]] int find(std::string_view name) const;
  /// Every name that `find` accepts.
  [[nodiscard]] std::vector<std::string> known_names() const;
  /// "pid", then "pid_2", ...; `place`: whose own key is free again, -1: none.
  [[nodiscard]] std::string key_for(const std::string& type, int place) const;

  /// "pid/left_knee/kp", of all.
  [[nodiscard]] std::vector<std::string> value_names() const;
  /// ListedController::files, of all.
  [[nodiscard]] std::vector<double> file_values() const;
  [[nodiscard]] std::size_t first_value(int place) const;
  /// What sentences call controllers, gains and motions: "pid (awa_2009)", "pid/left_knee/kp".
  [[nodiscard]] EventNames event_names(const RunSetup& setup) const;

  /// In place of the one there, or behind the last.
  void put(int place, ListedController controller);
  void set_files(int place, std::vector<double> values);

 private:
  std::vector<ListedController> all_;
};

}  // namespace kagami::runtime
