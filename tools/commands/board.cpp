// kagami board: the virtual KHR-1, or a mirror of a real one, at the end of a pseudo-terminal.
#include <memory>

#include "models/base/errors.hpp"
#include "tools/board/board_run.hpp"
#include "tools/board/virtual_board.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/subprogram.hpp"
#include "tools/commands/board_command.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/replay_options.hpp"

namespace kagami::tools {
namespace {

void add_virtual_options(Command& cmd, BoardOptions& opt) {
  cmd.start_group("Virtual robot");
  cmd.add_option("--pty", opt.pty,
                 "Path of a symbolic link to the terminal. Default: no link is made.")
      .value("FILE");
  cmd.add_option("--on", opt.on, "What supports the robot.")
      .one_of({"stand", "floor"})
      .with_default();
  cmd.add_option("--friction", opt.friction, "Friction of the floor.")
      .value("MU")
      .range(0.0, 2.0)
      .with_default();
  cmd.add_option("--start", opt.start,
                 "Pose at the start: home (as the boards have it), standing, lying_front, "
                 "lying_back, or the first pose of a motion.")
      .value("POSE")
      .with_default();
  cmd.add_option("--board", opt.preset, kBoardOptionText)
      .one_of({"fast", "slow", "burst"})
      .with_default();
  cmd.add_option("--latency", opt.latency_ms,
                 "Time before every answer, ms. Default: set by --board.")
      .value("MS")
      .range(0.0, 100.0);
  add_plant_option(cmd, opt.plant);
  cmd.add_option("--memory", opt.memory,
                 "File that keeps the memory of the boards. Default: it is lost at the end.")
      .value("FILE");
  cmd.add_flag("--dtr-high", opt.dtr_high, "Never answer, as with a wrong cable.");
  add_fault_option(cmd, opt.faults);
  cmd.add_option("--seconds", opt.seconds, "End after this time. Default: run until interrupted.")
      .value("SECONDS")
      .range(0.0, 1e9);
}

void add_watch_options(Command& cmd, BoardOptions& opt) {
  cmd.start_group("Real boards");
  cmd.add_option("--mirror", opt.mirror,
                 "Serial port of real boards: every byte goes on to them unchanged, and they "
                 "answer. The model follows the same bytes and is compared with their readings.")
      .value("PORT");
  cmd.start_group("Output");
  cmd.add_option("--record", opt.record,
                 "Record of what the program commanded and the robot did, with the model beside "
                 "it: for kagami compare and log.")
      .value("FILE");
  cmd.add_flag("--force", opt.force, "Replace an existing record, once the new one is finished.");
  cmd.add_option("--twin", opt.twin, "Servo parameters of the model. Default: those of robot.json.")
      .value("FILE");
  cmd.add_flag("--view", opt.view,
               "Show the robot on the dashboard's page, on this computer only.");
  cmd.add_option("--view-port", opt.view_port, "TCP port of the page. 0: any free port.")
      .value("N")
      .with_default();
  cmd.add_flag("--no-open", opt.no_open, "Do not open the page in the browser.");
}

void add_program_options(Command& cmd, BoardOptions& opt) {
  cmd.start_group("Program");
  cmd.add_flag("--exec", opt.exec,
               "Run the program that follows, with its arguments; ends with it and returns its "
               "exit code. {port} in its arguments is the path of the terminal, as is the variable "
               "KAGAMI_PORT. Requests for DTR and other modem lines succeed.");
  cmd.add_flag("--obey-dtr", opt.obey_dtr,
               "Be silent while the program of --exec drives DTR high, as real boards are.");
  cmd.accept_program(opt.program);
}

}  // namespace

void add_board_with(Command& app, Console& io, const MakeBoardView& make_view) {
  auto opt = std::make_shared<BoardOptions>();
  Command cmd = app.add_command("board",
                                "Run a virtual KHR-1 on a pseudo-terminal until interrupted, or "
                                "put a real one behind it. Any program for the RCB-1 can open it.");
  add_virtual_options(cmd, *opt);
  add_watch_options(cmd, *opt);
  add_program_options(cmd, *opt);
  add_robot_options(cmd, opt->robot);
  add_json_option(cmd, io);
  add_common_options(cmd, io, "board --pty /tmp/khr1 --on floor --record walk.mcap",
                     "board --on floor --exec python3 walk.py {port}");
  cmd.on_run([opt, cmd, make_view, &io] {
    check_board_options(*opt, cmd);
    if (opt->view && !make_view) throw Error("--view: " + missing_subprogram("board"));
    run_board(*opt, make_view, io);
  });
}

void add_board(Command& app, Console& io) {
  add_board_with(app, io, {});
}

}  // namespace kagami::tools
