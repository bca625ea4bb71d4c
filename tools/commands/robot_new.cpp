#include "tools/commands/robot_new.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/base/errors.hpp"
#include "models/base/file_replacement.hpp"
#include "models/base/number_text.hpp"
#include "models/robot/robot_folder.hpp"
#include "tools/cli/common_options.hpp"

namespace kagami::tools {
namespace {

namespace fs = std::filesystem;

/// A servo on a bench that swings a load.
struct BenchOptions {
  std::string folder;
  bool single_servo = false;
  std::string joint = "servo";
  double mass = 0.1;      // kg
  double arm = 0.1;       // m
  double inertia = 1e-4;  // kg m^2, of the load about its own centre
  std::string axis = "horizontal";
  int home_deg = 90;
  double stall_torque = 0.853;    // N m
  double free_speed = 6.16;       // rad/s
  double lag = 0.05;              // s
  double kp = 20.0;               // N m/rad
  double rotor_inertia = 0.0005;  // kg m^2
};

constexpr const char* kUrdf = R"(<?xml version="1.0"?>
<!-- One servo on a bench. Metres, kilograms, radians; x forward, y left, z up.
     At 0 rad the load is below the axis, if that is horizontal. -->
<robot name="{name}">
  <link name="bench">
    <inertial>
      <origin xyz="0 0 0" rpy="0 0 0"/>
      <mass value="2"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/>
    </inertial>
    <visual><geometry><box size="0.2 0.1 0.3"/></geometry></visual>
    <collision><geometry><box size="0.2 0.1 0.3"/></geometry></collision>
  </link>
  <!-- --mass, --arm (the centre of the load) and --inertia (about that centre) -->
  <link name="load">
    <inertial>
      <origin xyz="{centre}" rpy="0 0 0"/>
      <mass value="{mass}"/>
      <inertia ixx="{across}" ixy="0" ixz="0" iyy="{iyy}" iyz="0" izz="{izz}"/>
    </inertial>
    <visual>
      <origin xyz="{centre}" rpy="0 0 0"/>
      <geometry><box size="0.03 0.03 0.03"/></geometry>
    </visual>
  </link>
  <joint name="{joint}" type="revolute">
    <parent link="bench"/>
    <child link="load"/>
    <origin xyz="0 0.06 0" rpy="0 0 0"/>
    <axis xyz="{axis}"/>
    <limit lower="{lower}" upper="{upper}" effort="{stall_torque}" velocity="{free_speed}"/>
  </joint>
</robot>
)";

std::string urdf_text(const BenchOptions& opt, const std::string& name) {
  const bool is_level = opt.axis == "horizontal";
  // largest about the axis, as of a disc
  const std::string along = number_text(opt.inertia);
  const std::string across = number_text(0.6 * opt.inertia);
  const std::string arm = number_text(opt.arm);
  return fmt::format(
      kUrdf, fmt::arg("name", name), fmt::arg("joint", opt.joint),
      fmt::arg("centre", is_level ? "0 0 -" + arm : arm + " 0 0"),
      fmt::arg("mass", number_text(opt.mass)), fmt::arg("across", across),
      fmt::arg("iyy", is_level ? along : across), fmt::arg("izz", is_level ? across : along),
      fmt::arg("axis", is_level ? "0 1 0" : "0 0 1"),
      fmt::arg("lower", fmt::format("{:.6f}", -0.017453292519943295 * opt.home_deg)),
      fmt::arg("upper", fmt::format("{:.6f}", 0.017453292519943295 * (180 - opt.home_deg))),
      fmt::arg("stall_torque", number_text(opt.stall_torque)),
      fmt::arg("free_speed", number_text(opt.free_speed)));
}

nlohmann::json servo_json(const BenchOptions& opt) {
  return {{"delay_s", 0.0},
          {"filter_1_s", 0.5 * opt.lag},
          {"filter_2_s", 0.5 * opt.lag},
          {"kp", opt.kp},
          {"kde", 0.5},
          {"stall_torque", opt.stall_torque},
          {"free_speed", opt.free_speed},
          {"rotor_inertia", opt.rotor_inertia},
          {"coulomb_friction", 0.0},
          {"dead_band_deg", 0.0},
          {"backlash_deg", 0.0},
          {"trim_deg", 0.0}};
}

std::string plant_text(const BenchOptions& opt) {
  const nlohmann::ordered_json plant = {
      {"schema", "kagami.servos/1"},
      {"note",
       "The servo of the virtual robot; change a value to see what 'kagami compare' finds."},
      {"default", servo_json(opt)},
      {"joints", nlohmann::json::object()},
      {"supply", {{"sag", 0}}}};
  return plant.dump(2) + "\n";
}

std::string robot_text(const BenchOptions& opt, const std::string& name) {
  const nlohmann::ordered_json robot = {
      {"schema", "kagami.robot/1"},
      {"name", name},
      {"note", "One servo on a bench; README.md beside this file explains the keys."},
      {"boards", nlohmann::json::array({{{"id", 0}}})},
      {"speed_codes",
       {{"seconds_per_degree", {1e-4, 1e-3, 2e-3, 3e-3, 4e-3, 6e-3, 9e-3, 18e-3}},
        {"minimum_travel_deg", 0},
        {"scaled", true}}},
      {"joints",
       nlohmann::json::array({{{"name", opt.joint},
                               {"channel", 1},
                               {"sign", 1},
                               {"home_deg", opt.home_deg},
                               {"trim_deg", 0},
                               {"soft_limits_deg", {-opt.home_deg, 180 - opt.home_deg}}}})},
      {"servos",
       {{"default", servo_json(opt)},
        {"joints", nlohmann::json::object()},
        {"supply", {{"sag", 0}}}}}};
  return robot.dump(2) + "\n";
}

// steps of both signs and sizes, and rests that are long enough to arrive
std::string motion_text(const BenchOptions& opt) {
  nlohmann::ordered_json poses = nlohmann::json::array();
  const double reach = 0.4 * std::min(opt.home_deg, 180 - opt.home_deg);
  for (const double share : {0.0, 0.0, 1.0, 1.0, -1.0, -1.0, 0.25, 0.25, 0.0, 0.0}) {
    const bool is_move = poses.size() % 2 == 0;
    poses.push_back(
        {{"duration_s", is_move ? 0.6 : 0.9}, {"angles_deg", {std::round(share * reach)}}});
  }
  const nlohmann::ordered_json motion = {{"schema", "kagami.motion/1"},
                                         {"name", "steps"},
                                         {"note", "Moves of both signs and rests between them."},
                                         {"joints", {opt.joint}},
                                         {"poses", poses}};
  return motion.dump(1) + "\n";
}

constexpr const char* kReadme = R"(# {name}

One servo on a bench, made by `kagami robot new`.

| File | Content |
| --- | --- |
| `robot.urdf` | the load: mass, where its centre is, inertia about the centre, direction of the axis |
| `robot.json` | the servo |
| `plant.json` | the servo of the virtual robot, which stands in for the real one |
| `steps.json` | a motion to try it with |

Keys of `robot.json`:

| Key | Meaning |
| --- | --- |
| `home_deg` | count at 0 deg: the servo's range is -home_deg..180-home_deg |
| `speed_codes` | a servo without a board of its own moves at once: the first code |
| `delay_s` | s between a command and its effect |
| `filter_1_s`, `filter_2_s` | s, the lags with which the servo follows its target |
| `kp`, `kde` | N m/rad and N m s/rad of its position loop |
| `stall_torque`, `free_speed` | N m and rad/s at the nominal supply |
| `rotor_inertia` | kg m^2 of motor and gears at the axis |
| `coulomb_friction` | N m |
| `dead_band_deg`, `backlash_deg`, `trim_deg` | deg; one of the first two is 0 |

`kagami identify` fits the values of the servo to measurements:

    kagami log import MEASURED.csv --model {folder} --out measured
    kagami compare measured
    kagami identify measured --out servo.json

Without measurements, a virtual servo:

    kagami replay {folder}/steps.json --model {folder} --on stand --clock virtual --out virtual
)";

void robot_new(const BenchOptions& opt, Console& io) {
  if (!opt.single_servo) {
    throw ConfigError(
        "robot new: expected --single-servo; docs/howto/add_a_robot.md describes other robots");
  }
  const fs::path folder = opt.folder;
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error)) {
    throw ConfigError(opt.folder + ": exists already; expected a new folder");
  }
  const std::string name = fs::path(folder / "").parent_path().filename().string();
  const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  for (const auto& [what, text] :
       {std::pair<std::string, std::string>{"--joint", opt.joint}, {"folder", name}}) {
    if (!text.empty() && text.find_first_not_of(letters) == std::string::npos) continue;
    throw ConfigError(what + " '" + text + "': expected letters, digits, - and _");
  }
  fs::create_directories(folder, error);
  if (error) throw ConfigError(opt.folder + ": " + error.message());
  const std::array<std::pair<const char*, std::string>, 5> files = {
      {{"robot.urdf", urdf_text(opt, name)},
       {"robot.json", robot_text(opt, name)},
       {"plant.json", plant_text(opt)},
       {"steps.json", motion_text(opt)},
       {"README.md",
        fmt::format(kReadme, fmt::arg("name", name), fmt::arg("folder", opt.folder))}}};
  for (const auto& [file, text] : files) write_file_atomically(folder / file, text);
  static_cast<void>(models::read_robot_folder(folder, models::BaseKind::kFixed));
  if (io.json) {
    return io.print_json(
        {{"schema", "kagami.robot_new/1"}, {"folder", opt.folder}, {"joints", {opt.joint}}});
  }
  io.print(opt.folder + ": robot.urdf, robot.json, plant.json, steps.json, README.md\n");
  io.say("next: kagami log import MEASURED.csv --model " + opt.folder);
}

}  // namespace

void add_robot_new(Command& robot, Console& io) {
  auto opt = std::make_shared<BenchOptions>();
  Command cmd = robot.add_command("new", "Write the folder of a servo on a bench.");
  cmd.add_option("folder", opt->folder, "The folder to write; its name is the robot's.")
      .value("DIR")
      .required();
  cmd.add_flag("--single-servo", opt->single_servo, "One servo that swings a load.");
  cmd.add_option("--joint", opt->joint, "Name of the joint.").value("NAME").with_default();
  cmd.start_group("Load");
  cmd.add_option("--mass", opt->mass, "kg").value("KG").range(1e-4, 100.0).with_default();
  cmd.add_option("--arm", opt->arm, "m from the axis to the centre of the load; 0 for a disc.")
      .value("M")
      .range(0.0, 2.0)
      .with_default();
  cmd.add_option("--inertia", opt->inertia, "kg m^2 of the load about its own centre.")
      .value("KGM2")
      .range(1e-9, 10.0)
      .with_default();
  cmd.add_option("--axis", opt->axis, "Vertical: gravity has no effect.")
      .one_of({"horizontal", "vertical"})
      .with_default();
  cmd.start_group("Servo");
  cmd.add_option("--home", opt->home_deg, "Count at 0 deg; the range is -home..180-home.")
      .value("DEG")
      .range(0, 180)
      .with_default();
  cmd.add_option("--stall-torque", opt->stall_torque, "N m at the nominal supply.")
      .value("NM")
      .range(0.01, 20.0)
      .with_default();
  cmd.add_option("--free-speed", opt->free_speed, "rad/s without load.")
      .value("RADS")
      .range(0.1, 50.0)
      .with_default();
  cmd.add_option("--lag", opt->lag, "s with which the servo follows its target.")
      .value("S")
      .range(0.0, 1.0)
      .with_default();
  cmd.add_option("--kp", opt->kp, "N m/rad of its position loop.")
      .value("NMRAD")
      .range(0.1, 1000.0)
      .with_default();
  cmd.add_option("--rotor-inertia", opt->rotor_inertia, "kg m^2 of motor and gears at the axis.")
      .value("KGM2")
      .range(0.0, 0.1)
      .with_default();
  add_json_option(cmd, io);
  add_common_options(cmd, io, "robot new my_servo --single-servo --mass 0.05 --arm 0.08",
                     "robot new disc --single-servo --mass 0.2 --arm 0 --inertia 2e-4");
  cmd.on_run([opt, &io] { robot_new(*opt, io); });
}

}  // namespace kagami::tools
