/// Reads everything that a run's core is built from: out of files, or out of a record.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "control/factory/factory.hpp"
#include "models/base/servo_parameters.hpp"
#include "models/robot/robot_folder.hpp"
#include "motions/file/motion.hpp"
#include "runtime/app/run_config.hpp"
#include "runtime/cycle/cycle_config.hpp"
#include "runtime/cycle/cycle_core.hpp"
#include "runtime/record/mcap_reader.hpp"

namespace kagami::runtime {

/// Names of a record's attachments.
inline constexpr const char* kUrdfAttachment = "robot.urdf";
inline constexpr const char* kRobotAttachment = "robot.json";
inline constexpr const char* kTwinAttachment = "twin.json";    ///< servo parameters of the shadow
inline constexpr const char* kPlantAttachment = "plant.json";  ///< those of the virtual robot
inline constexpr const char* kConfigAttachment = "config.json";
inline constexpr const char* kMotionAttachment = "motion.json";
inline constexpr const char* kGainsAttachment = "gains.json";
/// "gains.json", "gains_2.json", ...; "motion.json", "motion_2.json", ...: `index` from 0.
std::string gains_attachment(std::size_t index);
std::string motion_attachment(std::size_t index);
/// Gain set that came while the run went on: CycleInput::handover_id, from 1.
std::string live_gains_attachment(int number);

/// The base of a robot that is upright, or lies with its x axis down or up.
BasePose start_of(motions::Start start);

/// Inputs of one run. The texts are what a record keeps; the values beside them were read from
/// these very texts, so that a record gives the same values, bit for bit.
struct RunSetup {
  RunConfig config;
  models::RobotDescription robot;  ///< servos = the twin's
  motions::Motion motion{};        ///< bound
  CycleConfig cycle{};
  std::string motion_text{};
  std::string twin_text{};
  std::string gains_text{};                ///< of the first controller; empty: none
  std::vector<motions::Motion> further{};  ///< may be played from a hold; bound
  std::vector<std::string> further_texts{};
};

/// Reads robot folder, twin and motion. Throws ConfigError or ModelError.
RunSetup read_setup(const RunConfig& config);
/// The same from a record's attachments. Throws RecordError when one is missing.
RunSetup read_setup(const McapReader& record);

/// Hashes of the texts that the setup was read from, by the name that a record's header gives them.
StringMap setup_hashes(const RunSetup& setup);

/// A fresh core for this setup. Throws ConfigError for a controller or gains that do not fit.
CycleCore make_core(const RunSetup& setup,
                    const control::ControllerFactory& controllers = control::ControllerFactory());

/// "kagami.servos/1" with every parameter of every joint, all digits.
std::string servo_set_text(const ServoSet& servos, const std::vector<std::string>& joint_names);

}  // namespace kagami::runtime
