#include "tools/commands/replay_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>

#include "control/factory/factory.hpp"
#include "drivers/virtual/faults.hpp"
#include "models/base/errors.hpp"
#include "models/contact/method/contact_method.hpp"
#include "runtime/app/timeline.hpp"
#include "tools/cli/data_folders.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;
using runtime::ClockKind;
using runtime::OnStop;
using runtime::RealtimeWish;
using runtime::RunMode;
using runtime::Scene;

constexpr int kMostRounds = 1000;

/// Words are checked by CLI11 before; a list of pairs keeps word and meaning side by side.
template <class T, std::size_t N>
T meaning(const std::string& word, const std::array<std::pair<const char*, T>, N>& words) {
  for (const auto& [name, value] : words)
    if (word == name) return value;
  throw ConfigError("'" + word + "' is not known here");
}

RunMode mode_of(const std::string& word) {
  if (word.empty()) return RunMode::kAuto;
  return meaning<RunMode, 4>(word, {{{"keyframe", RunMode::kKeyframe},
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

void add_run_options(CLI::App& command, ReplayOptions& opt) {
  command.add_option("--speed", opt.speed, "factor on the motion's time")
      ->check(CLI::Range(0.1, 2.0))
      ->capture_default_str();
  command.add_flag("--loop", opt.loop, "again and again, until interrupted");
  command
      .add_option("--mode", opt.mode,
                  "keyframe (the boards interpolate), ramp (we do, straight, both boards in step), "
                  "stream (we do, smoothly), stored; default: where the motion has speed codes "
                  "ramp on the floor and keyframe on the stand, else stream")
      ->check(CLI::IsMember({"keyframe", "ramp", "stream", "stored"}));
  command.add_option("--read", opt.read, "read the joints in every:N rounds of the line, or off")
      ->capture_default_str();
  command.add_option("--on", opt.on, "floor, or stand: the pelvis is held")
      ->check(CLI::IsMember({"floor", "stand"}))
      ->capture_default_str();
  command.add_option("--friction", opt.friction, "of the floor")
      ->check(CLI::Range(0.0, 2.0))
      ->capture_default_str();
  command.add_option("--contact", opt.contact, "method of the model's contact with the floor")
      ->capture_default_str();
  command.add_option("--controller", opt.controller,
                     "pid, balance or virtual-loop: leads the servos after the motion");
  command
      .add_option("--more-gains", opt.more_gains,
                  "gain set of a further controller that may lead; may be given again")
      ->expected(1)
      ->take_all();
  command
      .add_option("--more-motion", opt.more_motions,
                  "further motion that may be played from a hold; may be given again")
      ->expected(1)
      ->take_all();
  command.add_option("--on-stop", opt.on_stop, "after a stop: hold, sit or release")
      ->check(CLI::IsMember({"hold", "sit", "release"}))
      ->capture_default_str();
  command.add_option("--clock", opt.clock, "real, or virtual: faster, the same bits every time")
      ->check(CLI::IsMember({"real", "virtual"}))
      ->capture_default_str();
  command.add_option("--rate", opt.rate_hz, "cycles per second")
      ->check(CLI::Range(100.0, 2000.0))
      ->capture_default_str();
  command.add_option("--realtime", opt.realtime, "real-time priority: prefer, require or off")
      ->check(CLI::IsMember({"prefer", "require", "off"}))
      ->capture_default_str();
}

void add_robot_side_options(CLI::App& command, ReplayOptions& opt) {
  command.add_option("--robot", opt.port, "virtual, or the path of a serial port")
      ->capture_default_str();
  command.add_option("--port-library", opt.port_library, "libserial or asio")
      ->check(CLI::IsMember({"libserial", "asio"}))
      ->capture_default_str();
  command.add_option("--twin", opt.twin, "servo parameters of the model")->check(CLI::ExistingFile);
  command.add_option("--board", opt.board, "how the virtual boards answer: fast, slow, burst")
      ->check(CLI::IsMember({"fast", "slow", "burst"}))
      ->capture_default_str();
  command.add_option("--latency", opt.latency_ms, "of the virtual boards' answers, ms")
      ->check(CLI::Range(0.0, 100.0));
  add_fault_option(command, opt.faults);
  command
      .add_option("--disturbances", opt.disturbances_file,
                  "file with a list 'disturbances' as in a scenario: pushes, payloads, friction, a "
                  "tilting ground, on robot or model")
      ->check(CLI::ExistingFile);
  command.add_flag("--unproven", opt.unproven, "real hardware although it is not proven yet");
  command.add_flag("--yes", opt.yes, "move a real robot without asking");
}

// what is asked for at a time of the run, where nobody is there to ask
void add_timeline_options(CLI::App& command, ReplayOptions& opt) {
  command
      .add_option("--switch", opt.switches,
                  "SECONDS:CONTROLLER: which leads from then on (pid, pid_2, a gain set's name; "
                  "motion: none); may be given again")
      ->expected(1)
      ->take_all();
  command
      .add_option("--at", opt.at,
                  "SECONDS:WORD: what is asked for at that time of the run: pause, play, "
                  "play=MOTION, play_again, step=MS, speed=FACTOR, loop, stop=slow, undo, "
                  "add=GAIN_FILE, pid/left_knee/kp=4.2; may be given again")
      ->expected(1)
      ->take_all();
}

}  // namespace

void add_fault_option(CLI::App& command, std::vector<std::string>& faults) {
  command
      .add_option("--fault", faults,
                  std::string("BOARD:FAULT of the virtual robot, board 0, 1 or *; may be given "
                              "again. Items, joined by commas: ") +
                      drivers::virtual_robot::kFaultItems)
      ->expected(1)
      ->take_all();
}

void add_live_run_options(CLI::App& command, ReplayOptions& opt) {
  add_run_options(command, opt);
  add_robot_side_options(command, opt);
  command.add_option("--out", opt.out, "folder for record and report; default: a new session");
  command.add_flag("--force", opt.force,
                   "replace a record in that folder, once the new one is finished");
  command.add_flag("--no-report", opt.no_report, "no report page beside the record");
}

void add_replay_options(CLI::App& command, ReplayOptions& opt) {
  command.add_option("motion", opt.motion, "a shipped name ('kagami motion list'), or a file")
      ->required();
  add_live_run_options(command, opt);
  add_timeline_options(command, opt);
  command.add_option("--gains", opt.gains,
                     "gain set of the controller: a shipped name or a file; default: the shipped "
                     "one for this robot");
  command.add_option(
      "--plant", opt.plant,
      "servo parameters of the virtual robot: a file, or 'twin' for the model's own");
  command.add_flag("--expect-standing", opt.expect_standing, "exit code 6 when the robot fell");
  add_robot_options(command, opt.robot);
}

namespace {

// which gain set leads; the controller's word and the set's own must agree
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
  for (const std::string& words : opt.at) config.timeline.push_back(runtime::timed_word(words));
  for (const std::string& words : opt.switches) {
    const std::size_t colon = words.find(':');
    if (colon == std::string::npos) {
      throw ConfigError("--switch '" + words + "': expected SECONDS:CONTROLLER");
    }
    config.timeline.push_back(
        runtime::timed_word(words.substr(0, colon) + ":controller=" + words.substr(colon + 1)));
  }
  config.robot = opt.port;
  config.port_library = opt.port_library;
  config.clock = opt.clock == "virtual" ? ClockKind::kVirtual : ClockKind::kReal;
  config.on = opt.on == "floor" ? Scene::kFloor : Scene::kStand;
  config.friction = opt.friction;
  config.contact = models::name(models::contact_method(opt.contact));  // refuses unknown ones
  config.speed = opt.speed;
  config.loop = opt.loop;
  config.mode = mode_of(opt.mode);
  config.read_every = read_every_of(opt.read);
  config.on_stop = meaning<OnStop, 3>(
      opt.on_stop,
      {{{"hold", OnStop::kHold}, {"sit", OnStop::kSit}, {"release", OnStop::kRelease}}});
  config.report = !opt.no_report;
  config.realtime = meaning<RealtimeWish, 3>(opt.realtime, {{{"prefer", RealtimeWish::kPrefer},
                                                             {"require", RealtimeWish::kRequire},
                                                             {"off", RealtimeWish::kOff}}});
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

int read_every_of(const std::string& words) {
  if (words == "off") return 0;
  std::string number = words;
  for (const std::string prefix : {"every:", "every "})
    if (words.rfind(prefix, 0) == 0) number = words.substr(prefix.size());
  int rounds = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), rounds);
  if (error != std::errc{} || end != number.data() + number.size() || rounds < 1 ||
      rounds > kMostRounds)
    throw ConfigError("--read '" + words + "': expected every:N with N in 1.." +
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
  throw RecordError((sessions / name).string() + ": a folder for the session cannot be made: " +
                    (error ? error.message() : "too many exist"));
}

}  // namespace kagami::tools
