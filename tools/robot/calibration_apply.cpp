#include "tools/robot/calibration_apply.hpp"

#include <algorithm>

#include "models/base/errors.hpp"
#include "models/base/idx.hpp"

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

/// After `failure`: the boards get their earlier trim. Throws when that fails, too.
void take_trims_back(BoardSession& session, const BoardTrims& written, const BoardTrims& earlier,
                     const std::string& failure) {
  try {
    write_trims(session, written, earlier);
  } catch (const Error& error) {
    throw LinkError(failure + "; the boards may hold the new trim: " + error.what());
  }
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
  BoardTrims before;
  BoardTrims after;
  try {
    if (session != nullptr) {
      before = read_trims(*session);
      after = trims_with(version, present, before);
      write_trims(*session, before, after);
    }
    try {
      write_robot_json(folder, version);
    } catch (const Error& error) {
      if (session != nullptr) take_trims_back(*session, after, before, error.what());
      throw;
    }
  } catch (...) {
    std::error_code gone;
    std::filesystem::remove(calibration_file(folder, added.version), gone);
    throw;
  }
  return added;
}

}  // namespace kagami::tools
