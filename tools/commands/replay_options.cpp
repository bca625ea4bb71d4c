#include "tools/commands/replay_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>

#include "control/factory/factory.hpp"
#include "drivers/virtual/faults.hpp"
#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/contact/method/contact_method.hpp"
#include "runtime/app/timeline.hpp"
#include "tools/cli/data_folders.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using runtime::ClockKind;
using runtime::OnStop;
using runtime::RealtimeRequest;
using runtime::RunMode;
using runtime::Scene;

constexpr int kMostRounds = 1000;

/// The meaning of a value; CLI11 has checked it before.
template <class T, std::size_t N>
T meaning(const std::string& value, const std::array<std::pair<const char*, T>, N>& meanings) {
  for (const auto& [name, meant] : meanings)
    if (value == name) return meant;
  throw ConfigError("'" + value + "' is not a valid value");
}

RunMode mode_of(const std::string& mode) {
  if (mode.empty()) return RunMode::kAuto;
  return meaning<RunMode, 4>(mode, {{{"keyframe", RunMode::kKeyframe},
                                     {"ramp", RunMode::kRamp},
                                     {"stream", RunMode::kStream},
                                     {"stored", RunMode::kStored}}});
}

std::string local_time_text() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d_%H-%M-%S", &local);
  return text.data();
}

void add_motion_options(Command& command, ReplayOptions& opt) {
  command.start_group("Motion");
  command.add_option("--speed", opt.speed, "Factor on the speed of the motion.")
      .value("FACTOR")
      .range(0.1, 2.0)
      .with_default();
  command.add_flag("--loop", opt.loop, "Repeat the motion until interrupted.");
  command
      .add_option(
          "--mode", opt.mode,
          "How the servos get from pose to pose. keyframe: the boards interpolate. ramp: "
          "Kagami interpolates on straight lines, with both boards in step. stream: Kagami "
          "interpolates smoothly. stored: the boards play the motion from their memory. Default "
          "for a motion with speed codes: ramp on the floor, keyframe on the stand; for other "
          "motions: stream.")
      .value("keyframe|ramp|stream|stored")
      .one_of({"keyframe", "ramp", "stream", "stored"});
  command
      .add_option("--more-motion", opt.more_motions,
                  "A further motion that can be played while the robot holds a pose. May be "
                  "repeated.")
      .value("NAME|FILE")
      .repeatable();
  command
      .add_option("--on", opt.on,
                  "Where the robot is. floor: it stands on the floor. stand: its pelvis is fixed.")
      .one_of({"floor", "stand"})
      .with_default();
  command.add_option("--friction", opt.friction, "Friction coefficient of the floor.")
      .value("NUMBER")
      .range(0.0, 2.0)
      .with_default();
  command
      .add_option("--contact", opt.contact,
                  "Method that computes the contact of the model with the floor.")
      .value("relaxed|multipoint|volumetric")
      .with_default();
  command.add_option("--dynamics", opt.dynamics, kDynamicsOptionText)
      .value(kDynamicsNames)
      .with_default();
  command
      .add_option("--disturbances", opt.disturbances_file,
                  "File with pushes, payloads, friction or a tilting ground, which act on the "
                  "robot or the model. Its key 'disturbances' is the same as in a scenario.")
      .existing_file();
  command
      .add_option("--on-stop", opt.on_stop,
                  "What the servos do after a stop. hold: keep the pose. sit: go slowly to the sit "
                  "pose. release: no torque.")
      .value("hold|sit|release")
      .one_of({"hold", "sit", "release"})
      .with_default();
}

void add_controller_options(Command& command, ReplayOptions& opt) {
  command.start_group("Controller");
  command
      .add_option("--controller", opt.controller,
                  "Controller that is active from the start of the motion. Without it the motion "
                  "alone sets the servo targets.")
      .value("pid|balance|virtual-loop");
  command
      .add_option("--more-gains", opt.more_gains,
                  "Gain set of a further controller that can become active. May be repeated.")
      .value("NAME|FILE")
      .repeatable();
}

void add_robot_side_options(Command& command, ReplayOptions& opt) {
  command.start_group("Robot");
  command.add_option("--robot", opt.port, "The virtual robot, or the serial port of a real one.")
      .value("virtual|PORT")
      .with_default();
  add_real_robot_flags(command, opt.yes, opt.unproven, opt.accept);
  command.add_option("--port-library", opt.port_library, "Library that opens the serial port.")
      .one_of({"libserial", "asio"})
      .with_default();
  command
      .add_option("--read", opt.read,
                  "Read the joint angles in every N-th exchange with the boards. off: read once "
                  "before the start, so that nothing can be compared.")
      .value("every:N|off")
      .with_default();
  command
      .add_option("--twin", opt.twin,
                  "Servo parameters of the model. Default: those in the robot's folder.")
      .existing_file();
}

void add_timing_options(Command& command, ReplayOptions& opt) {
  command.start_group("Timing");
  command
      .add_option("--clock", opt.clock,
                  "Clock of the run. real: real time. virtual: a simulated clock, faster, with the "
                  "same result every time.")
      .one_of({"real", "virtual"})
      .with_default();
  command.add_option("--rate", opt.rate_hz, "Control cycles per second.")
      .value("HZ")
      .range(100.0, 2000.0)
      .with_default();
  command
      .add_option("--realtime", opt.realtime,
                  "Real-time priority and locked memory. prefer: use them if permitted. require: "
                  "fail without them. off: do not request them.")
      .one_of({"prefer", "require", "off"})
      .with_default();
}

void add_virtual_robot_options(Command& command, ReplayOptions& opt) {
  command.start_group("Virtual robot");
  command.add_option("--board", opt.board, kBoardOptionText)
      .one_of({"fast", "slow", "burst"})
      .with_default();
  command
      .add_option("--latency", opt.latency_ms,
                  "Time before every answer of the virtual boards, ms. Default: set by --board.")
      .value("MS")
      .range(0.0, 100.0);
  add_fault_option(command, opt.faults);
}

void add_output_options(Command& command, ReplayOptions& opt) {
  command.start_group("Output");
  add_out_options(command, opt.out, opt.force);
  command.add_flag("--no-report", opt.no_report, "Write the record only, no report page.");
}

// requests at a time of the run
void add_timeline_options(Command& command, ReplayOptions& opt) {
  command.start_group("Controller");
  command
      .add_option(
          "--switch", opt.switches,
          "Controller that is active from that time on: pid, pid_2, the name of a gain set, "
          "or motion for none. May be repeated.")
      .value("SECONDS:CONTROLLER")
      .repeatable();
  command
      .add_option("--at", opt.at,
                  "Request at that time of the run: pause, play, play=MOTION, play_again, step=MS, "
                  "speed=FACTOR, loop, stop=slow, undo, add=GAIN_FILE, or a gain such as "
                  "pid/left_knee/kp=4.2. May be repeated.")
      .value("SECONDS:REQUEST")
      .repeatable();
}

}  // namespace

void add_fault_option(Command& command, std::vector<std::string>& faults) {
  command
      .add_option("--fault", faults,
                  std::string("Fault of the virtual robot on board 0, 1 or *. May be repeated. One "
                              "fault, or several joined by commas: ") +
                      drivers::virtual_robot::kFaultItems + ".")
      .value("BOARD:FAULT")
      .repeatable();
}

void add_live_run_options(Command& command, ReplayOptions& opt) {
  add_motion_options(command, opt);
  add_controller_options(command, opt);
  add_robot_side_options(command, opt);
  add_timing_options(command, opt);
  add_virtual_robot_options(command, opt);
  add_output_options(command, opt);
}

void add_replay_options(Command& command, ReplayOptions& opt) {
  command
      .add_option("motion", opt.motion,
                  "Name of a shipped motion ('kagami motion list' prints them), or a motion file.")
      .value("NAME|FILE")
      .required();
  add_live_run_options(command, opt);
  add_timeline_options(command, opt);
  command
      .add_option("--gains", opt.gains,
                  "Gain set of the controller: a shipped name or a file. Default: the one shipped "
                  "for this robot.")
      .value("NAME|FILE");
  command.start_group("Virtual robot");
  add_plant_option(command, opt.plant);
  command.start_group("Motion");
  command.add_flag("--expect-standing", opt.expect_standing,
                   "Exit with code 6 if the robot or the model fell.");
  command
      .add_option("--slot", opt.slot,
                  "With --mode stored: number of the boards' motion, 0..39. Default: 39.")
      .value("N")
      .range(0, 39);
  command.add_flag("--slot-overwrite", opt.slot_overwrite,
                   "With --mode stored: replace another motion that the boards hold there.");
  command.add_flag("--slot-restore", opt.slot_restore,
                   "With --mode stored: write back after the run what the boards held there.");
  add_robot_options(command, opt.robot);
}

namespace {

// the gain set of the controller; both must name the same controller
fs::path gains_of(const ReplayOptions& opt, const DataFolders& data, const fs::path& robot_folder) {
  if (opt.controller.empty() && opt.gains.empty()) return {};
  if (opt.gains.empty()) {
    const std::string robot = ConfigDocument::read(robot_folder / "robot.json").root().text("name");
    return default_gains(data, opt.controller, robot, opt.on == "floor");
  }
  const fs::path file = find_gains(data, opt.gains);
  const std::string named = control::controller_of(ConfigDocument::read(file));
  if (!opt.controller.empty() && named != opt.controller) {
    throw ConfigError("--controller " + opt.controller + ": the gain set '" + file.string() +
                      "' is for '" + named + "'");
  }
  return file;
}

std::vector<Disturbance> disturbances_of(const ReplayOptions& opt) {
  if (opt.disturbances_file.empty()) return opt.disturbances;
  const ConfigDocument document = ConfigDocument::read(opt.disturbances_file);
  const ConfigNode root = document.root();
  constexpr std::array<std::string_view, 1> kSchemas = {"kagami.disturbances/1"};
  static_cast<void>(root.one_of("schema", kSchemas));
  std::vector<Disturbance> all = read_disturbances(root, DisturbanceScope::kRun);
  root.reject_unknown_keys();
  return all;
}

}  // namespace

runtime::RunConfig run_config_of(const ReplayOptions& opt, const Console& io) {
  const DataFolders data = find_data(io, opt.robot.data);
  runtime::RunConfig config;
  config.robot_folder = find_robot(data, opt.robot.model);
  config.motion_file = find_motion(data, opt.motion);
  config.gains_file = gains_of(opt, data, config.robot_folder);
  for (const std::string& gains : opt.more_gains) {
    config.more_gains.push_back(find_gains(data, gains));
  }
  for (const std::string& motion : opt.more_motions) {
    config.more_motions.push_back(find_motion(data, motion));
  }
  for (const std::string& request : opt.at) {
    config.timeline.push_back(runtime::timed_command(request));
  }
  for (const std::string& text : opt.switches) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) {
      throw ConfigError("--switch '" + text + "': expected SECONDS:CONTROLLER");
    }
    config.timeline.push_back(
        runtime::timed_command(text.substr(0, colon) + ":controller=" + text.substr(colon + 1)));
  }
  config.robot = opt.port;
  config.port_library = opt.port_library;
  config.clock = opt.clock == "virtual" ? ClockKind::kVirtual : ClockKind::kReal;
  config.on = opt.on == "floor" ? Scene::kFloor : Scene::kStand;
  config.friction = opt.friction;
  config.contact = models::name(models::contact_method(opt.contact));  // refuses unknown ones
  config.dynamics = dynamics_of(opt.dynamics);
  config.speed = opt.speed;
  config.loop = opt.loop;
  config.mode = mode_of(opt.mode);
  if (opt.slot) config.stored_slot = *opt.slot;
  config.read_every = read_every_of(opt.read);
  config.on_stop = meaning<OnStop, 3>(
      opt.on_stop,
      {{{"hold", OnStop::kHold}, {"sit", OnStop::kSit}, {"release", OnStop::kRelease}}});
  config.report = !opt.no_report;
  config.realtime =
      meaning<RealtimeRequest, 3>(opt.realtime, {{{"prefer", RealtimeRequest::kPrefer},
                                                  {"require", RealtimeRequest::kRequire},
                                                  {"off", RealtimeRequest::kOff}}});
  config.rate_hz = opt.rate_hz;
  config.twin_file = opt.twin;
  config.plant = opt.plant;
  config.board = opt.board;
  if (opt.latency_ms) config.answer_latency = *opt.latency_ms * 1e-3;
  config.disturbances = disturbances_of(opt);
  for (const std::string& fault : opt.faults) {
    static_cast<void>(drivers::virtual_robot::parse_placed_faults(fault));  // refused here
    config.board_faults.push_back(fault);
  }
  config.unproven = opt.unproven;
  config.out_dir = opt.out;
  config.replace_record = opt.force;
  return config;
}

models::Algorithm dynamics_of(const std::string& name) {
  try {
    return models::algorithm(name);
  } catch (const ConfigError& error) {
    throw ConfigError(std::string("--dynamics: ") + error.what());
  }
}

int read_every_of(const std::string& text) {
  if (text == "off") return 0;
  std::string number = text;
  for (const std::string prefix : {"every:", "every "})
    if (text.rfind(prefix, 0) == 0) number = text.substr(prefix.size());
  int rounds = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), rounds);
  if (error != std::errc{} || end != number.data() + number.size() || rounds < 1 ||
      rounds > kMostRounds)
    throw ConfigError("--read '" + text + "': expected every:N with N in 1.." +
                      std::to_string(kMostRounds) + ", or off");
  return rounds;
}

SessionFolder::SessionFolder(runtime::RunConfig& config, const Console& io) {
  if (!config.out_dir.empty()) return;
  made_ = make_session(sessions_folder(io), config.motion_file.stem().string());
  config.out_dir = made_;
}

SessionFolder::~SessionFolder() {
  std::error_code is_used;
  if (!made_.empty()) fs::remove(made_, is_used);  // refuses a folder that holds something
}

fs::path make_session(const fs::path& sessions, const std::string& motion) {
  constexpr int kMostSessions = 10000;  // of one second
  std::string name = local_time_text() + "-" + motion;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return c <= 0x20 || c == '/' || c == 0x7F; },
      '_');
  std::error_code error;
  fs::create_directories(sessions, error);
  for (int k = 1; !error && k < kMostSessions; ++k) {
    const fs::path folder = sessions / (k == 1 ? name : name + "-" + std::to_string(k));
    if (fs::create_directory(folder, error)) return folder;
    if (error == std::errc::file_exists) error.clear();  // a file of that name
  }
  throw RecordError((sessions / name).string() + ": a folder for the session cannot be created: " +
                    (error ? error.message() : "too many exist"));
}

}  // namespace kagami::tools
