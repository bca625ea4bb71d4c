#include "runtime/app/assemble.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "models/base/angle.hpp"
#include "models/base/config.hpp"
#include "models/base/errors.hpp"
#include "models/base/hash.hpp"
#include "models/base/text_file.hpp"
#include "motions/file/bind.hpp"
#include "motions/file/library.hpp"
#include "motions/file/motion_json.hpp"

namespace kagami::runtime {
namespace {

models::BaseKind base_kind(const RunConfig& config) {
  return config.on == Scene::kStand ? models::BaseKind::kFixed : models::BaseKind::kFloating;
}

motions::PlayMode play_mode(const RunConfig& config, const motions::Motion& motion) {
  const bool controlled = !config.gains_file.empty();
  if (config.mode == RunMode::kKeyframe && controlled) {
    throw ConfigError(
        "--mode keyframe: a controller needs a target in every cycle; expected stream "
        "or ramp");
  }
  const bool coded = motion.has_speed_codes();
  if (config.mode == RunMode::kKeyframe && !coded) {
    throw ConfigError("--mode keyframe: motion " + motion.name +
                      " has poses without a speed code; expected --mode stream");
  }
  if (config.mode == RunMode::kKeyframe) return motions::PlayMode::kKeyframe;
  if (config.mode == RunMode::kStored) return motions::PlayMode::kStored;
  if (config.mode == RunMode::kRamp) return motions::PlayMode::kRamp;
  if (config.mode != RunMode::kAuto || !coded) return motions::PlayMode::kStream;
  if (controlled && config.on == Scene::kStand) return motions::PlayMode::kStream;
  // boards that arrive one after the other let the side steps fall (docs/math/servo.md)
  return config.on == Scene::kFloor ? motions::PlayMode::kRamp : motions::PlayMode::kKeyframe;
}

// s: longer no run of this motion lasts, whatever pose it starts from; a loop has no end, nor has
// one that is played again
double longest_run(const RunConfig& config, const motions::Motion& motion) {
  constexpr double kLongestLeadIn = 12.0;  // s, half a turn at 1 rad/s or by the slowest speed code
  if (config.loop || config.live) return std::numeric_limits<double>::infinity();
  return kLongestLeadIn + motion.duration() / config.speed + motions::PlayOptions{}.settle;
}

// all motions of a run are sent in one way
motions::PlayMode common_mode(const RunConfig& config, const RunSetup& s) {
  motions::PlayMode mode = play_mode(config, s.motion);
  for (const motions::Motion& motion : s.further) {
    if (motion.start != s.motion.start) {
      throw ConfigError(
          "motion " + motion.name + ": starts in another posture than " + s.motion.name +
          " (standing or lying); expected the same start posture of all motions of a run");
    }
    const motions::PlayMode other = play_mode(config, motion);
    if (other == motions::PlayMode::kStream) mode = other;  // plays every motion
  }
  return mode;
}

// where --on-stop sit goes: a robot that lies has no way there
JointArray<double> sit_pose(const models::RobotDescription& robot, const motions::Motion& motion) {
  if (motion.start != motions::Start::kStanding) {
    throw ConfigError("--on-stop sit: motion " + motion.name +
                      " starts lying; expected a motion that starts standing, or --on-stop hold");
  }
  if (robot.sit_pose) return *robot.sit_pose;
  throw ConfigError("--on-stop sit: robot " + robot.name +
                    " has no sit pose; expected the key sit_pose_deg in its robot.json (an angle "
                    "per joint), or --on-stop hold");
}

CycleConfig cycle_config(const RunConfig& config, const RunSetup& s) {
  const motions::Motion& motion = s.motion;
  CycleConfig c{};
  c.period_ns = std::llround(1e9 / config.rate_hz);
  c.play.mode = common_mode(config, s);
  if (c.play.mode == motions::PlayMode::kStored) {
    c.stored = motions::StoredProgram(motion, s.robot.wiring);
    c.stored_slot = static_cast<std::uint8_t>(config.stored_slot);
  }
  c.control.live =
      config.live && c.play.mode != motions::PlayMode::kKeyframe && config.read_every > 0;
  c.play.speed = config.speed;
  c.play.loop = config.loop;
  if (config.on == Scene::kFloor) {
    models::FloorOptions floor;
    floor.surface = {.mu_static = config.friction, .mu_kinetic = config.friction};
    floor.settings.method = models::contact_method(config.contact);
    c.floor = floor;
  }
  c.dynamics = {.algorithm = config.dynamics, .folder = config.robot_folder};
  c.start = start_of(motion.start);
  c.on_stop = config.on_stop;
  if (c.on_stop == OnStop::kSit) c.sit_pose = sit_pose(s.robot, motion);
  c.read_every = config.read_every;
  check_disturbance_times(config.disturbances, longest_run(config, motion));
  c.disturbances = on_side(config.disturbances, DisturbanceSide::kTwin);
  return c;
}

// everything is read back from the texts that the record will keep
struct SetupTexts {
  std::string twin{};
  std::vector<std::string> motions{};
  std::vector<std::string> motion_files{};  // for messages
  std::vector<std::string> gains{};
  std::vector<std::string> gains_files{};  // for messages
};
RunSetup from_texts(RunConfig config, models::RobotDescription robot, SetupTexts texts) {
  RunSetup s{.config = std::move(config), .robot = std::move(robot)};
  s.robot.servos =
      read_servo_file(ConfigDocument::parse(texts.twin, kTwinAttachment), s.robot.joint_names);
  for (std::size_t k = 0; k < texts.motions.size(); ++k) {
    motions::Motion motion = motions::bind_motion(
        motions::parse_motion_json(texts.motions[k], texts.motion_files[k]), s.robot.wiring);
    if (k == 0) {
      s.motion = std::move(motion);
    } else {
      s.further.push_back(std::move(motion));
      s.further_texts.push_back(texts.motions[k]);
    }
  }
  s.cycle = cycle_config(s.config, s);
  s.cycle.control.gains = texts.gains;
  s.cycle.control.gains_files = texts.gains_files;
  if (!texts.gains.empty()) s.gains_text = texts.gains.front();
  s.motion_text = std::move(texts.motions.front());
  s.twin_text = std::move(texts.twin);
  return s;
}

std::string attachment_text(const McapReader& record, const char* name) {
  const std::optional<Attachment> found = record.attachment(name);
  if (found) return found->text();
  throw RecordError(record.path() + ": attachment " + name +
                    " is missing; expected a record of `kagami replay`");
}

}  // namespace

BasePose start_of(motions::Start start) {
  constexpr double kEighth = 0.70710678118654752;  // sine and cosine of half a quarter turn
  switch (start) {
    case motions::Start::kStanding:
      return {};
    case motions::Start::kLyingFront:
      return {.turn = {kEighth, 0.0, kEighth, 0.0}};
    case motions::Start::kLyingBack:
      return {.turn = {kEighth, 0.0, -kEighth, 0.0}};
  }
  return {};
}

RunSetup read_setup(const RunConfig& config) {
  models::RobotDescription robot =
      models::read_robot_folder(config.robot_folder, base_kind(config));
  if (!config.twin_file.empty()) {
    robot.servos = read_servo_file(ConfigDocument::read(config.twin_file), robot.joint_names);
  }
  if (config.gains_file.empty() && !config.more_gains.empty()) {
    throw ConfigError("gains: further gain sets without a first one");
  }
  SetupTexts texts{.twin = servo_set_text(robot.servos, robot.joint_names)};
  const motions::Motion motion = motions::read_motion(config.motion_file, robot.wiring);
  const auto add_motion = [&](const std::filesystem::path& file, const motions::Motion& read) {
    texts.motions.push_back(motions::motion_json_text(read));
    texts.motion_files.push_back(file.string());
  };
  add_motion(config.motion_file, motion);
  for (const auto& file : config.more_motions)
    add_motion(file, motions::read_motion(file, robot.wiring));
  const auto add_gains = [&](const std::filesystem::path& file) {
    texts.gains.push_back(read_text_file(file));
    texts.gains_files.push_back(file.string());
  };
  if (!config.gains_file.empty()) add_gains(config.gains_file);
  for (const auto& file : config.more_gains) add_gains(file);
  RunSetup setup = from_texts(config, std::move(robot), std::move(texts));
  setup.motion.warnings = motion.warnings;
  return setup;
}

RunSetup read_setup(const McapReader& record) {
  const std::string config_text = attachment_text(record, kConfigAttachment);
  RunConfig config = read_run_config(ConfigDocument::parse(config_text, kConfigAttachment).root());
  models::RobotDescription robot = models::read_robot_texts(
      attachment_text(record, kUrdfAttachment), attachment_text(record, kRobotAttachment),
      record.path(), base_kind(config));
  SetupTexts texts{.twin = attachment_text(record, kTwinAttachment)};
  for (std::size_t k = 0; k <= config.more_motions.size(); ++k) {
    texts.motions.push_back(attachment_text(record, motion_attachment(k).c_str()));
    texts.motion_files.push_back(record.path() + ": " + motion_attachment(k));
  }
  const std::size_t gains = config.gains_file.empty() ? 0 : config.more_gains.size() + 1;
  for (std::size_t k = 0; k < gains; ++k) {
    texts.gains.push_back(attachment_text(record, gains_attachment(k).c_str()));
    texts.gains_files.push_back(record.path() + ": " + gains_attachment(k));
  }
  return from_texts(std::move(config), std::move(robot), std::move(texts));
}

std::string gains_attachment(std::size_t index) {
  return index == 0 ? kGainsAttachment : "gains_" + std::to_string(index + 1) + ".json";
}

std::string motion_attachment(std::size_t index) {
  return index == 0 ? kMotionAttachment : "motion_" + std::to_string(index + 1) + ".json";
}

std::string live_gains_attachment(int number) {
  return "gains_live_" + std::to_string(number) + ".json";
}

StringMap setup_hashes(const RunSetup& s) {
  std::string gains;
  for (const std::string& text : s.cycle.control.gains) gains += text;
  std::string motions = s.motion_text;
  for (const std::string& text : s.further_texts) motions += text;
  return {{"model_hash", hex_text(text_hash(s.robot.urdf_text + s.robot.json_text))},
          {"twin_hash", hex_text(text_hash(s.twin_text))},
          {"motion_hash", hex_text(text_hash(motions))},
          {"gains_hash", gains.empty() ? "" : hex_text(text_hash(gains))},
          {"config_hash", hex_text(text_hash(run_config_json(s.config).dump()))}};
}

CycleCore make_core(const RunSetup& setup, const control::ControllerFactory& controllers) {
  return CycleCore(setup.robot, setup.motion, setup.cycle, controllers, setup.further);
}

namespace {

/// What most servos do without is written only where it is set: records keep their text and hash.
void add_rare_keys(const ServoParameters& p, nlohmann::json& servo) {
  const ServoParameters off;
  const auto add = [&](const char* key, double ServoParameters::*member) {
    if (p.*member != off.*member) servo[key] = p.*member;
  };
  add("viscous_friction", &ServoParameters::viscous_friction);
  add("static_friction", &ServoParameters::static_friction);
  add("stribeck_speed", &ServoParameters::stribeck_speed);
  add("load_friction", &ServoParameters::load_friction);
  add("reading_gain", &ServoParameters::reading_gain);
  add("link_mass_scale", &ServoParameters::link_mass_scale);
}

}  // namespace

std::string servo_set_text(const ServoSet& servos, const std::vector<std::string>& joint_names) {
  nlohmann::json joints = nlohmann::json::object();
  for (std::size_t i = 0; i < joint_names.size(); ++i) {
    const ServoParameters& p = servos.joints.at(i);
    joints[joint_names[i]] = {{"delay_s", p.delay},
                              {"filter_1_s", p.filter_1},
                              {"filter_2_s", p.filter_2},
                              {"kp", p.kp},
                              {"kde", p.kde},
                              {"stall_torque", p.stall_torque},
                              {"free_speed", p.free_speed},
                              {"rotor_inertia", p.rotor_inertia},
                              {"coulomb_friction", p.coulomb_friction},
                              {"dead_band_deg", to_deg(p.dead_band)},
                              {"backlash_deg", to_deg(p.backlash)},
                              {"trim_deg", to_deg(p.trim)}};
    add_rare_keys(p, joints[joint_names[i]]);
  }
  const nlohmann::json j{{"schema", "kagami.servos/1"},
                         {"default", nlohmann::json::object()},
                         {"joints", joints},
                         {"supply", {{"sag", servos.supply.sag}}}};
  return j.dump(1) + "\n";
}

}  // namespace kagami::runtime
