#include "tools/robot/calibration_apply.hpp"

#include <algorithm>

#include "models/base/idx.hpp"
#include "tools/robot/failure_text.hpp"

namespace kagami::tools {
namespace {

BoardTrims trims_with(const CalibrationVersion& version, const RobotWiring& wiring,
                      BoardTrims trims) {
  for (std::size_t j = 0; j < wiring.joints.size(); ++j) {
    const JointWiring& joint = wiring.joints[j];
    trims[idx(joint.board())][idx(joint.slot())] =
        static_cast<std::int8_t>(version.joints[j].trim_deg);
  }
  return trims;
}

}  // namespace

bool has_changes(const CalibrationVersion& version) {
  return std::any_of(version.joints.begin(), version.joints.end(), [](const CalibratedJoint& j) {
    return j.home_deg != j.home_before_deg || j.trim_deg != j.trim_before_deg;
  });
}

CalibrationVersion apply_calibration(const std::filesystem::path& folder,
                                     const RobotWiring& present, const CalibrationVersion& version,
                                     BoardSession* session) {
  const CalibrationVersion added = add_calibration(folder, present, version);
  const std::filesystem::path file = calibration_file(folder, added.version);
  bool boards_are_certain = true;
  const auto apply = [&] {
    const auto write_robot = [&] { write_robot_json(folder, version); };
    if (session == nullptr) return write_robot();
    const BoardTrims before = read_trims(*session);
    const BoardTrims after = trims_with(version, present, before);
    write_trims_and(*session, before, after, write_robot, boards_are_certain);
  };
  const auto take_file_back = [&]() -> std::string {
    if (!boards_are_certain) return "; " + file.string() + " states the new trim and is kept";
    std::error_code gone;
    std::filesystem::remove(file, gone);
    return "";
  };
  with_failure_text(apply, take_file_back);
  return added;
}

}  // namespace kagami::tools
