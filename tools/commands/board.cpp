// kagami board: the virtual KHR-1 alone, at the end of a pseudo-terminal.
#include <atomic>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "drivers/virtual/faults.hpp"
#include "drivers/virtual/pty_server.hpp"
#include "drivers/virtual/virtual_robot.hpp"
#include "models/base/errors.hpp"
#include "runtime/clock/clock.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/robot_choice.hpp"
#include "tools/cli/stop_signals.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/replay_options.hpp"

namespace kagami::tools {
namespace {

namespace vr = drivers::virtual_robot;

struct BoardOptions {
  RobotChoice robot;
  std::string pty;
  std::string preset = "fast";
  std::optional<double> latency_ms;
  std::string plant;
  std::string memory;
  bool dtr_high = false;
  std::vector<std::string> faults;
  std::optional<double> seconds;
};

vr::VirtualRobotConfig robot_config(const BoardOptions& opt, const Console& io) {
  vr::VirtualRobotConfig config;
  const std::filesystem::path folder = find_robot(find_data(io, opt.robot.data), opt.robot.model);
  config.robot = models::read_robot_folder(folder, models::BaseKind::kFixed);
  config.servos = vr::read_plant_servos(config.robot, folder, opt.plant);
  config.behaviour = vr::board_preset(opt.preset);
  config.behaviour.dtr_high = opt.dtr_high;
  if (opt.latency_ms) {
    const double latency = *opt.latency_ms * 1e-3;
    config.behaviour.acknowledge_latency = latency;
    config.behaviour.read_latency = latency;
    config.behaviour.store_latency = latency;
  }
  config.memory_file = opt.memory;
  return config;
}

std::string counters_text(const vr::PtyCounters& pty, const vr::RobotCounters& robot) {
  return std::to_string(robot.requests) + " requests, " + std::to_string(pty.answers) +
         " answers, " + std::to_string(robot.bad_frames) + " bad frames, " +
         std::to_string(robot.bytes_ignored) + " bytes ignored";
}

void run_board(const BoardOptions& opt, Console& io) {
  runtime::StopRequest stop;
  const StopSignals signals(stop);
  runtime::SteadyClock clock;
  vr::VirtualRobot robot(robot_config(opt, io));
  for (const std::string& text : opt.faults) {
    for (const auto& [board, faults] : vr::parse_placed_faults(text)) {
      robot.add_faults(board, faults);
    }
  }
  vr::PtyServer server(robot, clock, opt.pty);
  const std::string path = opt.pty.empty() ? server.path() : opt.pty;

  if (io.json)
    io.print_json({{"schema", "kagami.board/1"},
                   {"pty", server.path()},
                   {"path", path},
                   {"board", opt.preset}});
  else
    io.print(path + "\n");
  io.say("a virtual KHR-1 answers on " + path + " (" + server.path() +
         "): two RCB-1 boards, IDs 0 and 1, 115200 8N1");
  io.say("any program for the RCB-1 can open it, e.g. kagami replay bow --robot " + path +
         " --unproven; Ctrl-C ends it");

  // the server waits for a flag; this thread waits for the signals that set it
  std::atomic<bool> end{false};
  std::thread serving([&] { server.serve(end); });
  const double until = io.seconds() + opt.seconds.value_or(1e18);
  while (stop.level() == runtime::StopLevel::kNone && io.seconds() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  end = true;
  serving.join();
  io.say(counters_text(server.counters(), robot.counters()));
  if (!robot.memory_error().empty()) {
    io.error(robot.memory_error());
    io.exit_with(ExitCode::kFailure);
  }
}

}  // namespace

void add_board(Command& app, Console& io) {
  auto opt = std::make_shared<BoardOptions>();
  Command cmd = app.add_command("board",
                                "Run a virtual KHR-1 on a pseudo-terminal until interrupted. "
                                "Any program for the RCB-1 can open it.");
  cmd.start_group("Virtual robot");
  cmd.add_option("--pty", opt->pty,
                 "Path of a symbolic link to the terminal. Default: no link is made.")
      .value("FILE");
  cmd.add_option("--board", opt->preset, kBoardOptionText)
      .one_of({"fast", "slow", "burst"})
      .with_default();
  cmd.add_option("--latency", opt->latency_ms,
                 "Time before every answer, ms. Default: set by --board.")
      .value("MS")
      .range(0.0, 100.0);
  add_plant_option(cmd, opt->plant);
  cmd.add_option("--memory", opt->memory,
                 "File that keeps the memory of the boards. Default: it is lost at the end.")
      .value("FILE");
  cmd.add_flag("--dtr-high", opt->dtr_high, "Never answer, as with a wrong cable.");
  add_fault_option(cmd, opt->faults);
  cmd.add_option("--seconds", opt->seconds, "End after this time. Default: run until interrupted.")
      .value("SECONDS")
      .range(0.0, 1e9);
  add_robot_options(cmd, opt->robot);
  add_json_option(cmd, io);
  add_common_options(cmd, io, "board --pty /tmp/khr1",
                     "board --pty /tmp/khr1 --board slow --memory khr1.json");
  cmd.on_run([opt, &io] { run_board(*opt, io); });
}

}  // namespace kagami::tools
