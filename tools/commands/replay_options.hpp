/// The options of `kagami replay` and the run that they describe.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime/app/run_config.hpp"
#include "tools/cli/command.hpp"
#include "tools/cli/console.hpp"
#include "tools/cli/robot_choice.hpp"

namespace kagami::tools {

struct ReplayOptions {
  RobotChoice robot;
  std::string motion;
  std::string port = "virtual";  ///< --robot
  std::string on = "floor";
  double friction = 0.5;
  std::string contact = "relaxed";
  std::string dynamics = "aba";
  std::string clock = "real";
  std::string mode;         ///< empty = what the motion suits
  std::optional<int> slot;  ///< of the boards' motions, with mode stored
  bool slot_overwrite = false;
  bool slot_restore = false;
  std::string read = "every:1";
  std::string on_stop = "hold";
  std::string realtime = "prefer";
  std::string out;     ///< empty = a new session folder
  bool force = false;  ///< a record in `out` is replaced by the finished new one
  std::string twin;
  std::string plant;
  std::string board = "fast";
  std::string port_library = "libserial";
  std::string controller;                 ///< empty = the motion alone, or that of the gain set
  std::string gains;                      ///< empty = a shipped one of the controller
  std::vector<std::string> more_gains;    ///< of further controllers that may lead
  std::vector<std::string> more_motions;  ///< that may be played from a hold
  std::vector<std::string> at;            ///< "SECONDS:REQUEST", see runtime/app/timeline.hpp
  std::vector<std::string> switches;      ///< "SECONDS:CONTROLLER"
  std::vector<Disturbance> disturbances;  ///< of a scenario
  std::string disturbances_file;          ///< --disturbances, in their place
  std::vector<std::string> faults;        ///< "BOARD:FAULT" of the virtual robot
  double speed = 1.0;
  double rate_hz = 1000.0;
  std::optional<double> latency_ms;
  bool loop = false;
  bool no_report = false;
  bool unproven = false;
  bool yes = false;
  std::string accept;  ///< "amber", "red"; empty = a green check alone
  bool expect_standing = false;
};

void add_replay_options(Command& command, ReplayOptions& opt);
/// The same but for motion, gain set, plant, robot and timeline, for a command that has
/// options of its own for them.
void add_live_run_options(Command& command, ReplayOptions& opt);

/// Help of `--dynamics`, and the names that it takes.
inline constexpr const char* kDynamicsOptionText =
    "Algorithm that computes the accelerations of the models. hybrid: generated code of the robot.";
inline constexpr const char* kDynamicsNames = "aba|crba|ada|dca|hybrid";
/// What `--dynamics` names. Throws ConfigError that lists the names.
models::Algorithm dynamics_of(const std::string& name);

/// Help of `--board`.
inline constexpr const char* kBoardOptionText =
    "How the virtual boards answer. fast: after 1 ms. slow: after 2 ms, readings after 20 ms. "
    "burst: "
    "as fast, but streamed poses are queued.";

/// `--fault BOARD:FAULT`, of the virtual robot; may be given again.
void add_fault_option(Command& command, std::vector<std::string>& faults);

/// Resolves names and paths. Throws ConfigError. `out_dir` is empty without --out: a SessionFolder.
runtime::RunConfig run_config_of(const ReplayOptions& opt, const Console& io);

/// Plays as the options state and prints the answer: what `kagami replay` does. Throws as `run`
/// does.
void replay(const ReplayOptions& opt, Console& io);

/// "every:3", "every 3", "3": 3; "off": 0. Throws ConfigError otherwise.
int read_every_of(const std::string& text);

/// The folder of a run that begins: the one of --out, or a new session. What was made for it and is
/// empty at the end is removed.
class SessionFolder {
 public:
  /// Sets `config.out_dir` where it is empty. Throws RecordError.
  SessionFolder(runtime::RunConfig& config, const Console& io);
  ~SessionFolder();
  SessionFolder(const SessionFolder&) = delete;
  SessionFolder& operator=(const SessionFolder&) = delete;

 private:
  std::filesystem::path made_;
};

/// Creates SESSIONS/2026-11-27_23-31-27-NAME, or with -2, -3, ... where that exists already: no two
/// calls, of whatever process, get the same folder. Throws RecordError.
std::filesystem::path make_session(const std::filesystem::path& sessions,
                                   const std::string& motion);

}  // namespace kagami::tools
