#include "runtime/app/run_config.hpp"

#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "models/base/config.hpp"
#include "models/base/errors.hpp"

namespace kagami::runtime {
namespace {

// names of the enumerators, in their order
constexpr std::array<std::string_view, 2> kClocks{"real", "virtual"};
constexpr std::array<std::string_view, 2> kScenes{"floor", "stand"};
constexpr std::array<std::string_view, 5> kModes{"auto", "keyframe", "stream", "stored", "ramp"};
constexpr std::array<std::string_view, 3> kStops{"hold", "sit", "release"};
constexpr std::array<std::string_view, 3> kRealtime{"prefer", "require", "off"};
constexpr std::array<std::string_view, 3> kLate{"skip", "catch-up", "stop"};
constexpr std::array<std::string_view, 5> kDynamics{"crba", "aba", "dca", "ada", "hybrid"};
constexpr std::array<std::string_view, 2> kLibraries{"libserial", "asio"};

// ranges, written once
constexpr Range kSpeed{0.1, 2.0, ""};
constexpr Range kReadEvery{0, 1000, "rounds"};
constexpr Range kRate{100.0, 2000.0, "Hz"};
constexpr Range kSlot{0, 39, ""};
constexpr Range kFriction{0.0, 2.0, ""};
constexpr Range kLatency{0.0, 0.1, "s"};
constexpr Range kTime{0.0, 86400.0, "s"};

template <class Enum, std::size_t N>
Enum read_name(const ConfigNode& node, std::string_view key,
               const std::array<std::string_view, N>& names, Enum fallback) {
  if (!node.has(key)) return fallback;
  const std::string text = node.one_of(key, names);
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == text) return static_cast<Enum>(i);
  }
  return fallback;  // one_of has thrown
}

template <class Enum, std::size_t N>
std::string name_of(const std::array<std::string_view, N>& names, Enum value) {
  return std::string(names.at(static_cast<std::size_t>(value)));
}

std::vector<std::filesystem::path> read_files(const ConfigNode& node, std::string_view key) {
  std::vector<std::filesystem::path> files;
  for (const ConfigNode& entry : node.list(key)) {
    files.emplace_back(entry.text("file"));
    entry.reject_unknown_keys();
  }
  return files;
}

std::vector<std::string> read_faults(const ConfigNode& node) {
  std::vector<std::string> faults;
  for (const ConfigNode& entry : node.list("faults")) {
    faults.push_back(entry.text("fault"));
    entry.reject_unknown_keys();
  }
  return faults;
}

nlohmann::json files_json(const std::vector<std::filesystem::path>& files) {
  nlohmann::json list = nlohmann::json::array();
  for (const std::filesystem::path& file : files) list.push_back({{"file", file.string()}});
  return list;
}

void refuse(const std::string& problem) {
  throw ConfigError(problem);
}

// the boards play by themselves: nothing of the run changes what they do but its end
void check_stored_mode(const RunConfig& c) {
  const auto refuse_if = [](bool is_so, const std::string& what) {
    if (!is_so) return;
    refuse("--mode stored: the boards play from their memory and take no " + what +
           "; expected it left out, or --mode keyframe, ramp or stream");
  };
  refuse_if(c.speed != 1.0, "--speed");
  refuse_if(c.loop, "--loop");
  refuse_if(!c.gains_file.empty(), "controller");
  refuse_if(!c.more_motions.empty(), "further motion");
  refuse_if(c.live, "requests during the run");
}

}  // namespace

RunConfig read_run_config(const ConfigNode& node) {
  constexpr std::array<std::string_view, 1> kSchemas{"kagami.config/1"};
  static_cast<void>(node.one_of("schema", kSchemas));

  RunConfig c{};
  c.robot_folder = node.text("robot_folder");
  c.motion_file = node.text("motion_file");
  c.robot = node.text_or("robot", c.robot);
  c.port_library =
      node.has("port_library") ? node.one_of("port_library", kLibraries) : c.port_library;
  c.clock = read_name(node, "clock", kClocks, c.clock);
  c.on = read_name(node, "on", kScenes, c.on);
  c.friction = node.number_or("friction", c.friction, kFriction);
  c.contact = node.text_or("contact", c.contact);
  c.dynamics = read_name(node, "dynamics", kDynamics, c.dynamics);
  c.speed = node.number_or("speed", c.speed, kSpeed);
  c.loop = node.boolean_or("loop", c.loop);
  c.mode = read_name(node, "mode", kModes, c.mode);
  c.stored_slot = static_cast<int>(node.integer_or("stored_slot", c.stored_slot, kSlot));
  c.read_every = static_cast<int>(node.integer_or("read_every", c.read_every, kReadEvery));
  c.on_stop = read_name(node, "on_stop", kStops, c.on_stop);
  c.out_dir = node.text_or("out_dir", "");
  c.report = node.boolean_or("report", c.report);
  c.realtime = read_name(node, "realtime", kRealtime, c.realtime);
  c.rate_hz = node.number_or("rate_hz", c.rate_hz, kRate);
  c.late = read_name(node, "late", kLate, c.late);
  c.twin_file = node.text_or("twin_file", "");
  c.plant = node.text_or("plant", c.plant);
  c.board = node.text_or("board", c.board);
  if (node.has("answer_latency_s")) c.answer_latency = node.number("answer_latency_s", kLatency);
  c.gains_file = node.text_or("gains_file", "");
  c.disturbances = read_disturbances(node, DisturbanceScope::kRun);
  if (node.has("faults")) c.board_faults = read_faults(node);
  if (node.has("more_gains")) c.more_gains = read_files(node, "more_gains");
  if (node.has("more_motions")) c.more_motions = read_files(node, "more_motions");
  c.live = node.boolean_or("live", c.live);
  if (node.has("timeline")) {
    for (const ConfigNode& entry : node.list("timeline")) {
      c.timeline.push_back({entry.number("at_s", kTime), entry.text("do")});
      entry.reject_unknown_keys();
    }
  }
  c.unproven = node.boolean_or("unproven", c.unproven);
  node.reject_unknown_keys();
  return c;
}

nlohmann::json run_config_json(const RunConfig& c) {
  nlohmann::json j{{"schema", "kagami.config/1"},
                   {"robot_folder", c.robot_folder.string()},
                   {"motion_file", c.motion_file.string()},
                   {"robot", c.robot},
                   {"port_library", c.port_library},
                   {"clock", name_of(kClocks, c.clock)},
                   {"on", name_of(kScenes, c.on)},
                   {"friction", c.friction},
                   {"contact", c.contact},
                   {"speed", c.speed},
                   {"loop", c.loop},
                   {"mode", name_of(kModes, c.mode)},
                   {"read_every", c.read_every},
                   {"on_stop", name_of(kStops, c.on_stop)},
                   {"out_dir", c.out_dir.string()},
                   {"report", c.report},
                   {"realtime", name_of(kRealtime, c.realtime)},
                   {"rate_hz", c.rate_hz},
                   {"late", name_of(kLate, c.late)},
                   {"twin_file", c.twin_file.string()},
                   {"plant", c.plant},
                   {"board", c.board},
                   {"gains_file", c.gains_file.string()},
                   {"unproven", c.unproven}};
  if (!c.disturbances.empty()) j["disturbances"] = disturbances_json(c.disturbances);
  // what most runs have none of is left out
  if (!c.more_gains.empty()) j["more_gains"] = files_json(c.more_gains);
  if (!c.more_motions.empty()) j["more_motions"] = files_json(c.more_motions);
  if (c.live) j["live"] = true;
  if (c.mode == RunMode::kStored) j["stored_slot"] = c.stored_slot;
  if (c.dynamics != models::Algorithm::kAba) j["dynamics"] = name_of(kDynamics, c.dynamics);
  for (const TimedCommand& t : c.timeline)
    j["timeline"].push_back({{"at_s", t.at_s}, {"do", t.request}});
  for (const std::string& fault : c.board_faults) j["faults"].push_back({{"fault", fault}});
  if (c.answer_latency) j["answer_latency_s"] = *c.answer_latency;
  return j;
}

std::filesystem::path record_file(const RunConfig& config) {
  return config.out_dir / "run.mcap";
}

void check_run_config(const RunConfig& c) {
  const bool is_virtual = c.robot == "virtual";
  if (!is_virtual && c.clock == ClockKind::kVirtual) {
    refuse("--clock virtual: the robot at " + c.robot +
           " runs in real time; expected --clock real");
  }
  if (!is_virtual && !c.unproven) {
    refuse(
        "--robot " + c.robot +
        ": real-time and fault handling for real hardware is not finished in this version: a "
        "lost line, a reset board or a stalled computer may leave the robot in any pose. "
        "Expected --robot virtual, or --unproven with a person at the robot and its power switch");
  }
  if (!is_virtual && (!c.plant.empty() || c.answer_latency)) {
    refuse("--robot " + c.robot + ": plant and answer latency belong to the virtual robot");
  }
  if (!is_virtual && !c.board_faults.empty()) {
    refuse("--robot " + c.robot + ": --fault belongs to the virtual robot");
  }
  for (const Disturbance& d : c.disturbances) {
    if (!is_virtual && d.side != DisturbanceSide::kTwin) {
      fail(d, "on",
           "the robot at " + c.robot +
               " cannot be disturbed by the program; expected 'twin', or --robot virtual");
    }
  }
  if (c.mode == RunMode::kStored) check_stored_mode(c);
}

}  // namespace kagami::runtime
