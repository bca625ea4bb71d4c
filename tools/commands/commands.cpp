#include "tools/commands/commands.hpp"

namespace kagami::tools {

void add_all_commands(CLI::App& app, Console& io) {
  add_replay(app, io);
  add_run(app, io);
  add_tune(app, io);
  add_compare(app, io);
  add_verify(app, io);
  add_motion(app, io);
  add_board(app, io);
  add_ports(app, io);
  add_robot_generate(app, io);
  add_log(app, io);
  add_dynamics(app, io);
  add_experiment(app, io);
  add_bench(app, io);
  add_help(app, io);
  add_version(app, io);
  add_completion(app, io);
}

}  // namespace kagami::tools
