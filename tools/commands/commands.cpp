#include "tools/commands/commands.hpp"

#include "models/base/errors.hpp"
#include "tools/cli/subprogram.hpp"

namespace kagami::tools {
namespace {

void add_missing(Command& app, const char* command) {
  Command cmd = add_subprogram(app, command);
  cmd.accept_everything();
  cmd.on_run([command] { throw Error(missing_subprogram(command)); });
}

}  // namespace

void add_main_commands(Command& app, Console& io) {
  add_replay(app, io);
  add_check(app, io);
  add_missing(app, "run");
  add_missing(app, "sweep");
  add_missing(app, "tune");
  add_missing(app, "identify");
  add_compare(app, io);
  add_verify(app, io);
  add_motion(app, io);
  add_board(app, io);
  add_ports(app, io);
  add_robot_generate(app, io);
  add_log(app, io);
  add_missing(app, "dynamics");
  add_missing(app, "experiment");
  add_missing(app, "bench");
  add_help(app, io);
  add_version(app, io);
  add_completion(app, io);
}

}  // namespace kagami::tools
