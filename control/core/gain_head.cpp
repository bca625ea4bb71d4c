#include "control/core/gain_head.hpp"

#include <array>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"

namespace kagami::control {

GainHead read_gain_head(const ConfigNode& root, std::string_view controller, bool any_robot) {
  constexpr std::array<std::string_view, 1> kSchema{"kagami.gains/1"};
  (void)root.one_of("schema", kSchema);
  const std::array<std::string_view, 1> names{controller};
  (void)root.one_of("controller", names);
  return {.file = root.where(),
          .name = root.text("name"),
          .note = root.text("note"),
          .date = root.text("date"),
          .robot = any_robot ? root.text_or("robot", "") : root.text("robot")};
}

void check_robot(const GainHead& head, const std::string& robot) {
  if (head.robot.empty() || head.robot == robot) return;
  throw ConfigError(head.file + "robot: the gain set '" + head.name + "' is for '" + head.robot +
                    "', this robot is '" + robot + "'");
}

}  // namespace kagami::control
