/// What the readers and writers of HeartToHeart4 files share.
#pragma once

#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "motions/file/flow.hpp"
#include "motions/file/motion.hpp"
#include "motions/file/motion_map.hpp"
#include "motions/file/rcb4_code.hpp"

namespace kagami::motions {

/// Throws ConfigError with the line of what is wrong.
pugi::xml_document parse_xml(std::string_view text, const std::string& file);

/// The children of `list` of type "xsi:type" = `type`.
std::vector<pugi::xml_node> typed_children(const pugi::xml_node& list, const char* type);

/// Moves as poses of all the channels that any of them names; counts what is not played.
class Rcb4Poses {
 public:
  Rcb4Poses(std::string file, double frame) : file_(std::move(file)), frame_(frame) {}

  /// The number of the pose, for a FlowStep.
  int add(const Rcb4Command& move, const std::string& label, const std::string& place);
  /// A command that does not move: a warning per kind.
  void skip(const Rcb4Command& command);
  /// The poses in the order of the flow.
  [[nodiscard]] Motion motion(Unrolled flow, const std::string& title) const;

 private:
  struct Target {
    std::string label;
    double duration = 0.0;
    std::vector<std::pair<int, double>> angles;  ///< channel, rad
  };
  std::string file_;
  double frame_;
  std::vector<Target> targets_;
  int servo_values_ = 0;
  int free_values_ = 0;
  std::vector<int> other_codes_;
};

/// The motion's poses as commands, ready for a canvas or a project: label and hexadecimal line.
std::vector<std::pair<std::string, std::string>> rcb4_lines(const Motion& motion,
                                                            const MotionMap& map, double frame);

}  // namespace kagami::motions
