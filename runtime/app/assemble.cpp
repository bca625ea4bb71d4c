#include "runtime/app/assemble.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "models/base/angle.hpp"
#include "models/base/errors.hpp"
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
  if (config.mode == RunMode::kRamp) return motions::PlayMode::kRamp;
  if (config.mode != RunMode::kAuto || !coded) return motions::PlayMode::kStream;
  if (controlled && config.on == Scene::kStand) return motions::PlayMode::kStream;
  // boards that arrive one after the other let the side steps fall (docs/math/servo.md)
  return config.on == Scene::kFloor ? motions::PlayMode::kRamp : motions::PlayMode::kKeyframe;
}

// the base of a robot that stands, or lies with its x axis down or up
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

// s: longer no run of this motion lasts, whatever pose it starts from; a loop has no end
double longest_run(const RunConfig& config, const motions::Motion& motion) {
  constexpr double kLongestLeadIn = 12.0;  // s, half a turn at 1 rad/s or by the slowest speed code
  if (config.loop) return std::numeric_limits<double>::infinity();
  return kLongestLeadIn + motion.duration() / config.speed + motions::PlayOptions{}.settle;
}

CycleConfig cycle_config(const RunConfig& config, const motions::Motion& motion) {
  CycleConfig c{};
  c.period_ns = std::llround(1e9 / config.rate_hz);
  c.play.mode = play_mode(config, motion);
  c.play.speed = config.speed;
  c.play.loop = config.loop;
  if (config.on == Scene::kFloor) {
    models::FloorOptions floor;
    floor.surface = {.mu_static = config.friction, .mu_kinetic = config.friction};
    floor.settings.method = models::contact_method(config.contact);
    c.floor = floor;
  }
  c.start = start_of(motion.start);
  c.on_stop = config.on_stop;
  c.read_every = config.read_every;
  check_disturbance_times(config.disturbances, longest_run(config, motion));
  c.disturbances = on_side(config.disturbances, DisturbanceSide::kTwin);
  return c;
}

// everything is read back from the texts that the record will keep
RunSetup from_texts(RunConfig config, models::RobotDescription robot, std::string twin_text,
                    std::string motion_text, std::string gains_text) {
  RunSetup s{.config = std::move(config), .robot = std::move(robot)};
  s.robot.servos =
      read_servo_file(ConfigDocument::parse(twin_text, kTwinAttachment), s.robot.joint_names);
  s.motion = motions::bind_motion(motions::parse_motion_json(motion_text, kMotionAttachment),
                                  s.robot.wiring);
  s.cycle = cycle_config(s.config, s.motion);
  if (!gains_text.empty()) s.cycle.control.gains.push_back(gains_text);
  s.gains_text = std::move(gains_text);
  s.motion_text = std::move(motion_text);
  s.twin_text = std::move(twin_text);
  return s;
}

std::string attachment_text(const McapReader& record, const char* name) {
  const std::optional<Attachment> found = record.attachment(name);
  if (found) return found->text();
  throw RecordError(record.path() + ": attachment " + name +
                    " is missing; expected a record of `kagami replay`");
}

}  // namespace

RunSetup read_setup(const RunConfig& config) {
  models::RobotDescription robot =
      models::read_robot_folder(config.robot_folder, base_kind(config));
  if (!config.twin_file.empty()) {
    robot.servos = read_servo_file(ConfigDocument::read(config.twin_file), robot.joint_names);
  }
  std::string twin_text = servo_set_text(robot.servos, robot.joint_names);
  const motions::Motion motion = motions::read_motion(config.motion_file, robot.wiring);
  std::string gains = config.gains_file.empty() ? "" : read_text_file(config.gains_file);
  RunSetup setup = from_texts(config, std::move(robot), std::move(twin_text),
                              motions::motion_json_text(motion), std::move(gains));
  setup.motion.warnings = motion.warnings;
  return setup;
}

RunSetup read_setup(const McapReader& record) {
  const std::string config_text = attachment_text(record, kConfigAttachment);
  RunConfig config = read_run_config(ConfigDocument::parse(config_text, kConfigAttachment).root());
  models::RobotDescription robot = models::read_robot_texts(
      attachment_text(record, kUrdfAttachment), attachment_text(record, kRobotAttachment),
      record.path(), base_kind(config));
  std::string gains = config.gains_file.empty() ? "" : attachment_text(record, kGainsAttachment);
  return from_texts(std::move(config), std::move(robot), attachment_text(record, kTwinAttachment),
                    attachment_text(record, kMotionAttachment), std::move(gains));
}

CycleCore make_core(const RunSetup& setup, const control::ControllerFactory& controllers) {
  return CycleCore(setup.robot, setup.motion, setup.cycle, controllers);
}

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
  }
  const nlohmann::json j{{"schema", "kagami.servos/1"},
                         {"default", nlohmann::json::object()},
                         {"joints", joints},
                         {"supply", {{"sag", servos.supply.sag}}}};
  return j.dump(1) + "\n";
}

}  // namespace kagami::runtime
