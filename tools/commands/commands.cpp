#include "tools/commands/commands.hpp"

#include <CLI/CLI.hpp>

#include "models/base/errors.hpp"
#include "tools/cli/subprogram.hpp"

namespace kagami::tools {
namespace {

void add_missing(CLI::App& app, const char* command) {
  CLI::App* cmd = add_subprogram(app, command);
  cmd->allow_extras();
  cmd->set_help_flag();
  cmd->callback([command] { throw Error(missing_subprogram(command)); });
}

}  // namespace

void add_main_commands(CLI::App& app, Console& io) {
  add_replay(app, io);
  add_missing(app, "run");
  add_missing(app, "tune");
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
