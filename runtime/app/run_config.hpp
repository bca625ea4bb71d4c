/// Everything that a run is: what `kagami replay` parses from its options and a record keeps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "models/base/config_fwd.hpp"
#include "models/base/disturbance.hpp"
#include "models/forward/dynamics_choice.hpp"
#include "runtime/clock/ticker.hpp"
#include "runtime/cycle/cycle_config.hpp"
#include "runtime/threads/realtime.hpp"

namespace kagami::runtime {

enum class ClockKind : std::uint8_t { kReal, kVirtual };
enum class Scene : std::uint8_t { kFloor, kStand };
enum class RunMode : std::uint8_t {
  kAuto,  ///< where every pose has a speed code ramp on the floor, keyframe on the stand; else
          ///< stream
  kKeyframe,
  kStream,
  kStored,  ///< the motion is played from the boards' memory
  kRamp,    ///< straight lines of ours, both boards in step
};

/// A request at a time of the run's clock, as through LiveControl; see timeline.hpp.
struct TimedCommand {
  double at_s = 0.0;    ///< s, 0..86400
  std::string request;  ///< "pause", "controller=pid_2", "pid/left_knee/kp=4.2"
};

/// What a check of the motion found before it moved a real robot (tools/check), and how a person
/// accepted that.
struct Preflight {
  std::string verdict;   ///< "green", "amber", "red"
  std::string findings;  ///< their kinds; "" for none
  std::string accepted;  ///< "--accept amber", ...; "" where nothing had to be accepted
};

/// Plain values; paths are already resolved. `check_run_config` reports what does not fit together.
struct RunConfig {
  std::filesystem::path robot_folder;  ///< robot.urdf and robot.json
  std::filesystem::path motion_file;
  std::string robot = "virtual";           ///< "virtual", or the path of a serial port
  std::string port_library = "libserial";  ///< "libserial" or "asio"
  ClockKind clock = ClockKind::kReal;
  Scene on = Scene::kStand;  ///< `kagami replay` sets kFloor
  double friction = 0.5;     ///< of the floor, 0..2
  /// Forward dynamics of shadow, loop twin and reference model (docs/cycle.md).
  models::Algorithm dynamics = models::Algorithm::kAba;
  std::string contact = "relaxed";  ///< the shadow's contact method; read_setup checks it
  double speed = 1.0;               ///< factor on the motion's time, 0.1..2
  bool loop = false;
  RunMode mode = RunMode::kAuto;
  int stored_slot = 39;  ///< of the boards' motions 0..39, with RunMode::kStored
  int read_every = 1;    ///< positions are read in each n-th round; 0 = once before the start
  OnStop on_stop = OnStop::kHold;
  std::filesystem::path out_dir;  ///< run.mcap goes here; created when missing
  /// A record that is there already gives way to the finished new one; not kept in the record.
  bool replace_record = false;
  bool report = true;  ///< a comparison report beside the record (written by tools)
  RealtimeRequest realtime = RealtimeRequest::kPrefer;
  double rate_hz = 1000.0;  ///< of the cycle, 100..2000
  LatePolicy late = LatePolicy::kSkip;
  std::filesystem::path twin_file;  ///< servo parameters of the twin; empty = those of robot.json
  std::string plant;                ///< of the virtual robot: empty = plant.json, "twin", or a file
  std::string board = "fast";       ///< preset of the virtual boards
  std::optional<double> answer_latency;  ///< s, overrides the preset's for all answers, 0..0.1
  /// Gain set (kagami.gains/1) of the controller that leads; empty = the motion alone.
  std::filesystem::path gains_file;
  /// Disturbances of the robot and its twin from the first tick on (docs/scenarios.md).
  std::vector<Disturbance> disturbances;
  std::vector<std::string> board_faults;            ///< "BOARD:FAULT" of the virtual robot
  std::vector<std::filesystem::path> more_gains;    ///< of further controllers that may lead
  std::vector<std::filesystem::path> more_motions;  ///< may be played from a hold; LiveControl
  /// Further controllers may be added during the run (a run with LiveControl); set by `run`.
  bool live = false;
  std::vector<TimedCommand> timeline;  ///< by time
  bool unproven = false;               ///< the user accepts that real hardware is not finished yet
  std::optional<Preflight> preflight;  ///< in the record's metadata, not in its configuration
};

/// Reads the form of `run_config_json`. Throws ConfigError for unknown keys, names and values out
/// of range.
RunConfig read_run_config(const ConfigNode& node);
/// {"schema": "kagami.config/1", ...}: every field, by name.
nlohmann::json run_config_json(const RunConfig& config);

/// Where the record of such a run is written.
std::filesystem::path record_file(const RunConfig& config);

/// Throws ConfigError for what no single range can say: a serial port in virtual time, a real robot
/// without `unproven` or with disturbances of its own, what this version cannot do yet.
void check_run_config(const RunConfig& config);

}  // namespace kagami::runtime
